import type { CompiledRequest, Program } from '../graph/program.ts';
import type { JsonObject } from '../json/value.ts';
import { isJsonObject } from '../json/value.ts';
import { checkDisplays } from '../request/check-displays.ts';
import type { Display } from '../request/display.ts';
import type { Field, FieldOption } from '../request/field.ts';
import type { RequestState } from './request-state.ts';
import type { Run } from './run.ts';

/**
 * What a question asks as it was put: what came from the state when it was opened stands in `filled`, and is read from there for
 * good.
 */
type Put = Pick<RequestState, 'filled'>;

/** The fields with the options that the state gave. */
export function askedFields({ filled }: Put, { fields }: Pick<CompiledRequest, 'fields'>): readonly Field[] {
  return fields.map(field => {
    const options = filled[`options/${field.name}`];
    if (!Array.isArray(options) || !('options' in field)) return field;
    return { ...field, options: options.map(toOption) } as unknown as Field;
  });
}

/** Logs of the first version hold options as they were written. */
function toOption(option: unknown): FieldOption {
  const { value, label, description } = (
    isJsonObject(option as JsonObject) ? option : { value: option }
  ) as Partial<FieldOption> & Pick<FieldOption, 'value'>;
  return { value, label: label ?? String(value), ...(description === undefined ? {} : { description }) };
}

export function askedDisplays(
  { filled }: Put,
  { definition }: Pick<CompiledRequest, 'definition'>,
): readonly Display[] {
  return checkDisplays(filled.displays ?? definition.displays ?? [], '').displays;
}

/** What the asker suggests, none where it suggests nothing. */
export function proposedValues(
  { filled }: Put,
  { definition }: Pick<CompiledRequest, 'definition'>,
): JsonObject | undefined {
  const proposal = filled.proposal ?? definition.proposal;
  const values = isJsonObject(proposal) ? proposal.values : undefined;
  return isJsonObject(values) ? values : undefined;
}

/** In which local times of a question are read: that of the graph that asks. */
export function zoneOf(program: Program, run: Run, { token }: Pick<RequestState, 'token'>): string {
  const graph = run.tokens.get(token)?.graph;
  return (graph === undefined ? undefined : program.graphs.get(graph)?.zone) ?? run.zone;
}
