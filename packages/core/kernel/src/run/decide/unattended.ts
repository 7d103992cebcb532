import type { CompiledRequest } from '../../graph/program.ts';
import { hasKey, type JsonObject } from '../../json/value.ts';
import { isApproval } from '../../request/approval.ts';
import { commitTime } from '../../time/commit-time.ts';
import type { RequestState } from '../request-state.ts';
import { carryOn } from './answer.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { fail } from './finish.ts';
import { validAnswer } from './read-answer.ts';
import { requestOf } from './request-of.ts';

/** The values that the fields' own defaults give; undefined where a required field has none. A proposal is no default. */
export function defaultValues(d: Decider, request: RequestState, compiled: CompiledRequest): JsonObject | undefined {
  if (isApproval(compiled.definition) || request.subject !== undefined) return undefined;
  const result = validAnswer(d, request, compiled, {});
  return result.ok ? result.values : undefined;
}

/** In an unattended run nothing stays open: see {@link settleUnattended}. Returns whether there was anything. */
export function settleOpenQuestions(d: Decider): boolean {
  if (d.run.decisions !== 'unattended') return false;
  const open = [...d.run.requests.values()].find(request => request.about === 'ask' && !isWithService(request));
  if (open !== undefined) settleUnattended(d, open.id);
  return open !== undefined;
}

/** A service needs nobody who attends; when it is silent the question counts as put to people. */
function isWithService({ claim }: RequestState): boolean {
  return claim?.until !== undefined;
}

/** A question takes its defaults, or fails its node. */
function settleUnattended(d: Decider, id: string): void {
  const request = d.run.requests.get(id);
  if (request === undefined) return;
  const compiled = requestOf(d.program, d.run, request);
  const values =
    compiled.fields.some(field => hasKey(field, 'default')) || compiled.definition.kind === 'display'
      ? defaultValues(d, request, compiled)
      : undefined;
  if (values === undefined) {
    const message = `"${request.title}" has to be asked, but nobody attends this run and not every field has a default.`;
    return fail(d, refOf(request), errorData('DecisionsUnattended', message, { permanent: true }));
  }
  takeDefaults(d, request, compiled, values);
}

/** The defaults stand as the answer, given by the system. */
export function takeDefaults(d: Decider, request: RequestState, compiled: CompiledRequest, values: JsonObject): void {
  const entry = {
    action: 'approve' as const,
    values,
    by: { kind: 'system' as const, id: 'default' },
    at: commitTime(d.at),
  };
  d.emit('request.answered', { request: request.id, ...entry });
  if (d.isAt(request)) carryOn(d, request, compiled, entry);
}
