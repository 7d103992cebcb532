import type { MemoryEntry } from '../../event/memory-entry.ts';
import type { NodeRef } from '../../event/run-event.ts';
import type { CompiledRequest, Program } from '../../graph/program.ts';
import type { JsonObject } from '../../json/value.ts';
import { isExpired, mayRecall } from '../../request/remember.ts';
import type { RequestState } from '../request-state.ts';
import { findRequest, type Run } from '../run.ts';
import { carryOn } from './answer.ts';
import { bindings } from './bindings.ts';
import { questionsInARow } from './chain.ts';
import { type Decider, refOf } from './decider.ts';
import { fillRequest } from './fill-request.ts';
import { type Asking, openRequest } from './open-request.ts';
import { validAnswer } from './read-answer.ts';
import { memoryKey } from './remember.ts';
import { questionId } from './request-id.ts';

/** Asks, unless memory has an answer that holds and fits. `found`: of a memory outside the run, by whoever looked there. */
export function askOrRecall(d: Decider, ref: NodeRef, asking: Asking, found?: MemoryEntry): void {
  const recalled = mayRecall(asking.compiled.definition) ? recallable(d, ref, asking, found) : undefined;
  if (recalled === undefined) openRequest(d, ref, asking);
  else takeRecalled(d, ref, asking, recalled);
}

interface Recalled {
  readonly entry: MemoryEntry;
  readonly request: RequestState;
  readonly values: JsonObject;
}

function recallable(d: Decider, ref: NodeRef, asking: Asking, found: MemoryEntry | undefined): Recalled | undefined {
  const { compiled, see, op } = asking;
  const token = d.token(ref.token);
  const graph = d.graphOf(token);
  if (restarts(compiled) && questionsInARow(d, ref) >= graph.limits.maxChain) return undefined;
  const filled = fillRequest(compiled, see, graph.zone);
  if ('error' in filled) return undefined;
  const key = memoryKey(compiled, { graph: graph.definition.name, node: ref.node, filled: filled.values });
  const entry = compiled.definition.remember?.scope === 'run' ? d.run.memory?.get(key) : found;
  if (entry === undefined || entry.key !== key || isExpired(entry, d.at)) return undefined;
  const request = asIfAsked(d, ref, { compiled, filled: filled.values, op });
  const valid = validAnswer(d, request, compiled, entry.values);
  return valid.ok ? { entry, request, values: valid.values } : undefined;
}

function restarts({ definition }: CompiledRequest): boolean {
  return definition.resume?.mode === 'restart';
}

/** The question as it would stand, for its fields and rules to judge what is remembered. */
function asIfAsked(
  d: Decider,
  ref: NodeRef,
  { compiled, filled, op }: { compiled: CompiledRequest; filled: JsonObject; op: string },
): RequestState {
  const title = filled.title ?? compiled.definition.title;
  return {
    ...refOf(ref),
    id: questionId(d.run, ref, op),
    op,
    status: 'answered',
    definition: undefined,
    filled,
    kind: compiled.definition.kind,
    title: typeof title === 'string' ? title : '',
    assignees: [],
    openedAt: d.at,
    deadline: undefined,
    step: 0,
    about: 'ask',
    subject: undefined,
    hold: undefined,
    answer: undefined,
  };
}

function takeRecalled(d: Decider, ref: NodeRef, { compiled, op, digest }: Asking, recalled: Recalled): void {
  const { entry, request, values } = recalled;
  const { key, scope, by, at, confidence, expiresAt, run, request: answered } = entry;
  d.emit('request.recalled', {
    ...refOf(ref),
    op,
    request: request.id,
    kind: request.kind,
    title: request.title,
    ...(digest === undefined ? {} : { digest }),
    ...(restarts(compiled) ? { restarts: true as const } : {}),
    action: 'approve',
    values,
    by,
    at,
    from: {
      key,
      scope,
      confidence,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(run === undefined ? {} : { run }),
      ...(answered === undefined ? {} : { request: answered }),
    },
  });
  d.emit('decision.made', {
    ...refOf(ref),
    point: `recall:${key}`,
    chosen: values,
    confidence,
    decidedBy: `rule:memory`,
    reason: `${by.kind}:${by.id} answered it at ${at}${run === undefined ? '' : ` in ${run}`}, so it is not asked again`,
    attributes: { scope, ...(expiresAt === undefined ? {} : { expiresAt }) },
  });
  if (d.isAt(ref))
    carryOn(d, findRequest(d.run, request.id) ?? request, compiled, { action: 'approve', values, by, at });
}

/** Under which key memory is looked at for a question that a node is about to put; undefined where it cannot be put. */
export function recallKey(
  program: Program,
  run: Run,
  ref: NodeRef,
  compiled: CompiledRequest,
): { readonly key: string; readonly title: string; readonly graph: string } | undefined {
  const token = run.tokens.get(ref.token);
  const graph = token === undefined ? undefined : program.graphs.get(token.graph);
  if (token === undefined || graph === undefined) return undefined;
  const see = bindings({ run, token, graph, at: run.at, output: token.last });
  const filled = fillRequest(compiled, see, graph.zone);
  if ('error' in filled) return undefined;
  const name = graph.definition.name;
  const title = filled.values.title ?? compiled.definition.title;
  const key = memoryKey(compiled, { graph: name, node: ref.node, filled: filled.values });
  return { key, graph: name, title: typeof title === 'string' ? title : '' };
}
