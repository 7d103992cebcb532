import { type FirstMember, isJsonObject, type JsonValue, SignalboxError, type Validator } from '@signalbox/kernel';
import { frozen } from './freeze.ts';
import { PERMANENT } from './handler.ts';
import { senderSchema } from './signal-schema.ts';

/**
 * The signal as its schema gives it out, with defaults and transforms. The sender was refused what its JSON Schema does
 * not take; what that cannot say is found only here, and fails the operation.
 */
export function signalValue(name: string, value: JsonValue, schema: Validator): JsonValue {
  const result = schema.validate(value);
  if (result.ok) return frozen(result.value);
  const issues = result.issues.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const told = issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
  const error = new SignalboxError('InvalidSignal', `The signal "${name}" does not fit its schema: ${told}.`, {
    details: { name, issues },
  });
  throw Object.assign(error, { [PERMANENT]: true });
}

/** What a first-of gave, its winner read by its schema. */
export function wonValue(won: JsonValue, schemas: ReadonlyMap<string, Validator>): JsonValue {
  if (!isJsonObject(won)) return won;
  const { winner = '', value = null } = won;
  const schema = schemas.get(String(winner));
  return schema === undefined ? won : frozen({ winner, value: signalValue(String(winner), value, schema) });
}

export function withSchemas(
  of: Readonly<Record<string, FirstMember>>,
  schemas: ReadonlyMap<string, Validator>,
): Record<string, FirstMember> {
  return Object.fromEntries(
    Object.entries(of).map(([name, member]) => {
      const schema = schemas.get(name);
      return [name, schema === undefined ? member : ({ ...member, schema: senderSchema(schema) } as FirstMember)];
    }),
  );
}
