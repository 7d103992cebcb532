import type { NodeRef, RunEvents, UndoableCall } from '../../event/run-event.ts';
import { jsonEqual } from '../../json/equal.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { Draft, Mutable } from '../draft.ts';
import { CHECK_PREFIX, nodeKey } from '../keys.ts';
import type { Adoption, Journal, NodeExecution, OpRecord } from '../node-execution.ts';
import { lacksPlace } from '../place.ts';
import type { Compensation } from '../run.ts';
import type { Token } from '../token.ts';
import { toolOfOp } from '../tool-tally.ts';
import type { Evolve } from './evolver.ts';
import { dropScope, dropTimers, setOutcome } from './tokens.ts';
import { withoutTakenOver } from './tool-tallies.ts';

export const nodeStarted: Evolve<'node.started'> = (draft, data) => {
  const token = draft.token(data.token);
  const adopt = token.at.kind === 'pending' ? token.at.adopt : undefined;
  if (data.attempt === 1) countVisit(draft, token, data);
  const at = token.at;
  const again = at.kind === 'node' && at.node === data.node && at.visit === data.visit ? at : undefined;
  if (data.target && token.entries[data.node] === undefined)
    token.entries = {
      ...token.entries,
      [data.node]: { state: token.state, writes: token.writes.length, last: token.last },
    };
  const execution: Mutable<NodeExecution> & { readonly kind: 'node' } = {
    kind: 'node',
    node: data.node,
    visit: data.visit,
    attempt: data.attempt,
    status: statusAs(data.as),
    input: data.input ?? again?.input ?? token.last,
    state: again?.state ?? token.state,
    startedAt: again?.startedAt ?? draft.run.at,
    journal: again?.journal ?? adopted(adopt),
    recorded: again?.recorded ?? nextOrder(adopt),
    scope: undefined,
    fallback: again?.fallback,
    error: again?.error,
    crashes: again?.crashes ?? 0,
    durable: false,
  };
  if (data.as === 'check') execution.checking = true;
  const session = again === undefined ? draft.run.sessionView : again.session;
  if (session !== undefined) execution.session = session;
  const tools = again === undefined ? withoutTakenOver(draft.run.tools, execution.journal) : again.tools;
  if (tools !== undefined) execution.tools = tools;
  const episode = again === undefined ? draft.run.episode : again.episode;
  if (episode) execution.episode = episode;
  token.at = execution;
  if (token.branches !== undefined) {
    setOutcome(token, data.node, { status: 'running', branches: token.branches });
    token.branches = undefined;
  }
  if (draft.run.status === 'paused' && draft.run.allowance > 0) draft.run.allowance -= 1;
  if (data.deadline !== undefined && again === undefined)
    draft.timers().set(`${nodeKey(data)}/deadline`, {
      id: `${nodeKey(data)}/deadline`,
      at: data.deadline,
      kind: 'deadline',
      token: data.token,
      node: data.node,
      visit: data.visit,
    });
};

function statusAs(as: RunEvents['node.started']['as']): NodeExecution['status'] {
  if (as === 'wait') return 'waiting';
  return as === 'composite' ? 'composite' : 'running';
}

export const nodePassed: Evolve<'node.passed'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  execution.checking = undefined;
  execution.status = statusAs(data.as);
};

/**
 * A new visit reads and decides anew, and is judged anew by the checks; what was done or answered is taken over, and so
 * is what may have been done. An approval is not, where what it let happen is to happen again: it counts once.
 */
function adopted(adopt: Adoption | undefined): NodeExecution['journal'] {
  const journal = new Map<string, OpRecord>();
  for (const [op, record] of adopt?.journal ?? [])
    if (op.startsWith(CHECK_PREFIX)) continue;
    else if (isDone(record) && record.kind !== 'refresh' && record.kind !== 'decide')
      journal.set(op, { ...record, adopted: true, left: undefined });
    else if (record.class === 'once' && record.status !== 'recorded')
      journal.set(op, {
        ...record,
        status: 'intended',
        adopted: true,
        from: record.from ?? adopt!.visit,
        left: undefined,
      });
  for (const { op, approval } of adopt?.journal.values() ?? [])
    if (approval !== undefined && !journal.has(op)) journal.delete(approval);
  return journal;
}

/**
 * What a run may take over that goes on from a point of another, or of its own past: an approval given before the point is
 * theirs whose call came of it, so it lets nothing begin any more. It stays where its call was begun, for what came of that.
 */
export function asOfPast(journal: Journal): Journal {
  const past = new Map(journal);
  const begun = new Set(
    [...journal.values()].flatMap(({ approval, error }) => (error === undefined ? [approval] : [])),
  );
  for (const [op, record] of journal)
    if (record.grants !== undefined && isApproval(record))
      if (begun.has(op)) past.set(op, { ...record, grants: 'past' });
      else past.delete(op);
  return past;
}

function isApproval({ value }: OpRecord): boolean {
  return isJsonObject(value ?? null) && (value as JsonObject).action === 'approve';
}

function isDone(record: OpRecord): boolean {
  return record.status === 'recorded' && record.error === undefined;
}

/** What is recorded now comes after what is taken over. */
function nextOrder(adopt: Adoption | undefined): number {
  let next = 0;
  for (const record of adopt?.journal.values() ?? []) next = Math.max(next, record.order + 1);
  return next;
}

function countVisit(draft: Draft, token: Mutable<Token>, ref: NodeRef): void {
  token.steps += 1;
  token.first ??= ref.node;
  token.visits = { ...token.visits, [ref.node]: ref.visit };
  token.trail = token.trail.append([ref.node]);
  const before = token.successive;
  token.successive = { node: ref.node, count: before?.node === ref.node ? before.count + 1 : 1 };
  const scope = draft.scope(token.scope);
  scope.visits = { ...scope.visits, [ref.node]: (scope.visits[ref.node] ?? 0) + 1 };
}

/** The node is over: its timers go, its scope goes, the token waits for its route. */
function leave(draft: Draft, ref: NodeRef): Mutable<Token> {
  if (draft.run.timers.size > 0) dropTimers(draft, ref);
  const token = draft.token(ref.token);
  if (token.at.kind === 'node' && token.at.scope !== undefined) dropScope(draft, token.at.scope);
  return token;
}

export const nodeSucceeded: Evolve<'node.succeeded'> = (draft, data) => {
  const { at } = draft.token(data.token);
  const own = at.kind === 'node' && at.node === data.node && at.visit === data.visit ? at : undefined;
  const input = own?.input ?? null;
  const token = leave(draft, data);
  token.last = data.output;
  token.error = undefined;
  if (data.degraded === undefined)
    token.good = { ...token.good, [data.node]: { output: data.output, at: draft.run.at } };
  setOutcome(token, data.node, {
    status: 'success',
    output: data.output,
    ...(data.degraded === undefined ? {} : { degraded: true as const, error: data.degraded.error }),
  });
  token.progress = { ...token.progress, [data.node]: nextProgress(token, data.node, data.output) };
  if (data.compensable)
    draft.run.compensations = [
      ...draft.run.compensations,
      compensationOf(token, data, {
        input,
        output: data.output,
        ...callsOf(own, data.undo),
        ...(data.undo === undefined || data.degraded === undefined ? {} : { by: data.degraded.by }),
      }),
    ];
};

/** What they got and gave, while the journal of the visit still stands. */
function callsOf(
  at: NodeExecution | undefined,
  undo: readonly UndoableCall[] | undefined,
): Pick<Compensation, 'calls'> {
  if (at === undefined || undo === undefined) return {};
  const calls = undo.map(({ op, judged }) => {
    const judgement = at.journal.get(judged)?.value;
    const args = isJsonObject(judgement) && isJsonObject(judgement.args) ? judgement.args : {};
    return { op, tool: toolOfOp(op), args, output: at.journal.get(op)?.value ?? null };
  });
  return { calls };
}

type Undone = Omit<Compensation, keyof NodeRef | 'graph'>;

function compensationOf(token: Token, ref: NodeRef, of: Undone): Compensation {
  return { token: ref.token, node: ref.node, visit: ref.visit, graph: token.graph, ...of };
}

function nextProgress(token: Token, node: string, output: JsonValue): Token['progress'][string] {
  const before = token.progress[node];
  const same = before !== undefined && before.revision === token.revision && jsonEqual(before.output, output);
  return { output, revision: token.revision, count: same ? before.count + 1 : 1 };
}

export const nodeFailed: Evolve<'node.failed'> = (draft, data) => {
  const execution = draft.execution(data);
  const journal = execution?.journal ?? new Map();
  const composite = execution?.scope === undefined ? undefined : { ...execution };
  const token = draft.token(data.token);
  if (draft.run.timers.size > 0) dropTimers(draft, data);
  token.error = data.error;
  setOutcome(token, data.node, { status: 'failed', error: data.error });
  token.at =
    composite?.scope === undefined
      ? { kind: 'failed', error: data.error, phase: 'node', node: data.node, visit: data.visit, journal }
      : {
          kind: 'failed',
          error: data.error,
          phase: 'scope',
          node: data.node,
          visit: data.visit,
          scope: composite.scope,
          composite,
        };
};

/** Without operations it waits for nothing but leave to go on. */
export const nodeSuspended: Evolve<'node.suspended'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  execution.status = data.ops.length === 0 ? 'held' : 'waiting';
  if (data.executed !== undefined) execution.executed = (execution.executed ?? 0) + data.executed;
};

export const nodeSkipped: Evolve<'node.skipped'> = (draft, data) => {
  const token = leave(draft, data);
  if (data.output !== undefined) token.last = data.output;
  token.error = undefined;
  setOutcome(token, data.node, { status: 'skipped', output: data.output });
};

export const nodeCancelled: Evolve<'node.cancelled'> = (draft, data) => {
  const { at } = draft.token(data.token);
  const token = leave(draft, data);
  setOutcome(token, data.node, { status: 'cancelled' });
  if (data.done !== undefined && at.kind === 'node')
    draft.run.compensations = [
      ...draft.run.compensations,
      compensationOf(token, data, { input: at.input, output: data.done.output, ...callsOf(at, data.done.undo) }),
    ];
  const left = data.keep && at.kind === 'node' ? { left: { visit: at.visit, journal: at.journal } } : {};
  token.at = { kind: 'cancelled', was: data.node, ...left };
};

export const retryScheduled: Evolve<'node.retryScheduled'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  execution.status = 'backoff';
  // What failed is done again, and may go another way now: what was done after it need not be asked for any more.
  const journal = draft.journal(execution);
  const used = new Set<string>();
  for (const [op, record] of [...journal]) {
    if (record.error !== undefined) {
      journal.delete(op);
      if (record.approval !== undefined) used.add(record.approval);
    } else if (isDone(record)) journal.set(op, { ...record, adopted: true });
    // In a log that does not tell of what an approval is it served the next attempt as well.
    else if (record.approval !== undefined && record.class !== 'once' && journal.get(record.approval)?.grants)
      used.add(record.approval);
  }
  for (const approval of used) journal.delete(approval);
  execution.attempt = data.attempt;
  execution.executed = undefined;
  execution.error = data.error;
  execution.durable = data.durable;
  const id = `${nodeKey(data)}/retry`;
  const { token, node, visit, at } = data;
  draft.timers().set(id, { id, at, kind: 'retry', token, node, visit });
};

export const fellBack: Evolve<'node.fellBack'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  draft.token(data.token).error = data.error;
  execution.fallback = { node: data.to, error: data.error };
  execution.checking = data.as === undefined ? undefined : true;
  execution.journal = leftBehind(execution.journal, data.to);
  execution.scope = undefined;
  execution.error = data.error;
  execution.attempt = 1;
  execution.executed = undefined;
  execution.status = lacksPlace(draft.run) ? 'held' : 'running';
};

/**
 * Another handler, which asks for none of it; but what the first one did once, or may have done, is not forgotten. Names
 * that the other one's own operations have stay free.
 */
function leftBehind(journal: NodeExecution['journal'], to: string): NodeExecution['journal'] {
  const left = new Map<string, OpRecord>();
  for (const [op, record] of journal)
    if ((record.status === 'recorded' || record.class === 'once') && !op.startsWith(`${to}/`))
      left.set(op, { ...record, left: true });
  return left;
}
