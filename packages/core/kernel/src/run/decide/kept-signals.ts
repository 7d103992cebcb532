import type { WaitData } from '../../event/run-event.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { Issue } from '../../schema/issue.ts';
import { compileJsonSchema } from '../../schema/json-schema.ts';
import type { Decider } from './decider.ts';

/** The most signals that are kept for waits to come, of one name and in all: a run must not grow by what nobody takes. */
export const KEPT_OF_NAME = 100;
export const KEPT_IN_ALL = 1_000;

/** The oldest kept signal that fits is used up; those that do not fit stay, for a wait that takes them. */
export function takeKept(d: Decider, { signal, schema }: WaitData): { readonly value: JsonValue } | undefined {
  const kept = d.run.signals.get(signal ?? '') ?? [];
  const index = kept.findIndex(value => misfits(value, schema).length === 0);
  if (signal === undefined || index < 0) return undefined;
  d.emit('signal.consumed', { name: signal, ...(index === 0 ? {} : { index }) });
  return { value: kept[index]! };
}

/** Why a value is none of the signal that is waited for; empty where it is one. */
export function misfits(value: JsonValue, schema: JsonObject | undefined): readonly Issue[] {
  if (schema === undefined) return [];
  const result = compileJsonSchema(schema).validate(value);
  return result.ok ? [] : result.issues;
}
