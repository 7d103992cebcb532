import type { ErrorData, JsonValue, NodeExecution, NodeOutcome, Run, StoredEvent } from '@signalbox/kernel';
import { type Commits, foldedEvents } from './commits.ts';

/** One visit of a node. */
export interface NodeView {
  readonly node: string;
  readonly token: string;
  readonly visit: number;
  readonly status: NodeOutcome['status'];
  /** What the node got, resolved when it started. */
  readonly input: JsonValue;
  readonly output?: JsonValue;
  readonly error?: ErrorData;
  /** Set when the output came from a fallback. */
  readonly degraded?: true;
  readonly attempts: number;
  /** Sequence number of its start. */
  readonly seq: number;
  readonly startedAt: string;
  readonly endedAt?: string;
}

/** The last visit of a node, or undefined when it was never visited. `token` narrows to one branch, item or subgraph. */
export async function nodeView(commits: Commits, node: string, token?: string): Promise<NodeView | undefined> {
  let last: NodeView | undefined;
  for await (const visit of nodeVisits(commits, node, token))
    if (last === undefined || visit.seq >= last.seq) last = visit;
  return last;
}

/** Every visit of a node, each when it is over for good; those that a retry can still go on with, at the end. */
export async function* nodeVisits(commits: Commits, node: string, token?: string): AsyncGenerator<NodeView> {
  const open = new Map<string, NodeView>();
  let run: Run | undefined;
  const look = (now: Run) => {
    run = now;
    return undefined;
  };
  for await (const { seq, commit, event } of foldedEvents(commits, look)) {
    const { data } = event;
    if (data.node !== node || (token !== undefined && data.token !== token)) continue;
    const key = `${data.token}/${data.visit}`;
    if (event.type === 'node.started') {
      const execution = executionOf(run, String(data.token), node);
      if (execution !== undefined) open.set(key, begun(open.get(key), String(data.token), execution, seq, commit.at));
      continue;
    }
    const visit = open.get(key);
    const next = visit === undefined ? undefined : withEvent(visit, event, commit.at);
    if (next === undefined) continue;
    open.set(key, next);
    if (next.endedAt === undefined || next.status === 'failed') continue;
    open.delete(key);
    yield next;
  }
  yield* open.values();
}

function executionOf(run: Run | undefined, token: string, node: string): NodeExecution | undefined {
  const at = run?.tokens.get(token)?.at;
  return at?.kind === 'node' && at.node === node ? at : undefined;
}

function begun(
  before: NodeView | undefined,
  token: string,
  execution: NodeExecution,
  seq: number,
  at: string,
): NodeView {
  const { node, visit, attempt, input } = execution;
  if (before !== undefined) {
    const { endedAt: _over, ...kept } = before;
    return { ...kept, status: 'running', attempts: attempt };
  }
  return {
    node,
    token,
    visit,
    status: execution.status === 'waiting' ? 'suspended' : 'running',
    input,
    attempts: attempt,
    seq,
    startedAt: at,
  };
}

function withEvent(visit: NodeView, { type, data }: StoredEvent, at: string): NodeView | undefined {
  const error = data.error as ErrorData | undefined;
  switch (type) {
    case 'node.succeeded': {
      const { error: _old, ...kept } = visit;
      const degraded = data.degraded as { readonly error: ErrorData } | undefined;
      const marked = degraded === undefined ? {} : { degraded: true as const, error: degraded.error };
      return { ...kept, status: 'success', output: data.output!, ...marked, endedAt: at };
    }
    case 'node.failed':
      return { ...visit, status: 'failed', attempts: Number(data.attempt), error: error!, endedAt: at };
    case 'node.skipped':
      return {
        ...visit,
        status: 'skipped',
        ...(data.output === undefined ? {} : { output: data.output }),
        endedAt: at,
      };
    case 'node.cancelled':
      return { ...visit, status: 'cancelled', endedAt: at };
    case 'node.suspended':
      return { ...visit, status: 'suspended' };
    case 'node.retryScheduled':
      return {
        ...visit,
        attempts: Number(data.attempt),
        error: error!,
        status: data.durable === true ? 'suspended' : 'running',
      };
    case 'node.woken':
    case 'op.recorded':
    case 'request.answered':
      return { ...visit, status: 'running' };
    default:
      return undefined;
  }
}
