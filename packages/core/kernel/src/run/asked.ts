import type { CompiledRequest, Program } from '../graph/program.ts';
import type { JsonObject } from '../json/value.ts';
import { isJsonObject } from '../json/value.ts';
import { checkDisplays } from '../request/check-displays.ts';
import type { Display } from '../request/display.ts';
import { type Asked, namedPrincipal } from '../request/entitlement.ts';
import type { Field, FieldOption } from '../request/field.ts';
import { standingValues } from '../request/quorum.ts';
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

/** What a quorum approves, else what the asker suggests: an approval that says nothing of its own means this. */
export function standing(
  request: Put & Pick<RequestState, 'endorsements'>,
  compiled: Pick<CompiledRequest, 'definition'>,
) {
  return standingValues(request.endorsements) ?? proposedValues(request, compiled);
}

/** Whom a question is for now, and whom four eyes exclude. */
export function askedOf(run: Run, request: RequestState, { definition }: Pick<CompiledRequest, 'definition'>): Asked {
  const requester = request.filled.requester ?? definition.requester;
  const named = typeof requester === 'string' ? [namedPrincipal(requester)] : [];
  const excluded = definition.fourEyes === true ? [...(run.requesters ?? []), ...named] : [];
  return { request: request.id, assignees: request.assignees, excluded };
}

/** In which local times of a question are read: that of the graph that asks. */
export function zoneOf(program: Program, run: Run, { token }: Pick<RequestState, 'token'>): string {
  const graph = run.tokens.get(token)?.graph;
  return (graph === undefined ? undefined : program.graphs.get(graph)?.zone) ?? run.zone;
}
