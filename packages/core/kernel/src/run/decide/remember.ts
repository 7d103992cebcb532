import type { AnswerEntry } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import type { JsonObject } from '../../json/value.ts';
import { mayRemember } from '../../request/remember.ts';
import { commitTime } from '../../time/commit-time.ts';
import type { RequestState } from '../request-state.ts';
import type { Decider } from './decider.ts';

/** What a request is remembered under: its own key, else graph, node and title. */
export function memoryKey(
  { definition }: Pick<CompiledRequest, 'definition'>,
  place: { readonly graph: string; readonly node: string; readonly filled: JsonObject },
): string {
  const { graph, node, filled } = place;
  const key = filled.rememberKey ?? definition.remember?.key;
  if (typeof key === 'string') return key;
  const title = filled.title ?? definition.title;
  return `${graph}/${node}/${typeof title === 'string' ? title : ''}`;
}

/** The values of an accepted answer are kept where its request says so. What somebody else answered is not the user's. */
export function remember(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  const { remember: wished } = compiled.definition;
  if (wished === undefined || !mayRemember(compiled.definition) || request.subject !== undefined) return;
  if (entry.values === undefined || (entry.action !== 'approve' && entry.action !== 'edit')) return;
  const { scope } = wished;
  const { run } = d;
  if (scope === 'session' && run.session === undefined) return;
  if (scope === 'user' && (entry.by.kind !== 'user' || entry.by.id !== run.user)) return;
  const token = run.tokens.get(request.token);
  const graph = token === undefined ? run.graph : d.graphOf(token).definition.name;
  d.emit('memory.written', {
    key: memoryKey(compiled, { graph, node: request.node, filled: request.filled }),
    scope,
    values: entry.values,
    by: entry.by,
    at: entry.at,
    confidence: 1,
    ...(compiled.rememberFor === undefined ? {} : { expiresAt: commitTime(d.at + compiled.rememberFor) }),
    run: run.id,
    request: request.id,
    title: request.title,
  });
}
