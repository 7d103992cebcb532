import type { Change, ErrorData, NodeRef, RunEvents, UndoableCall, Wish } from '../../event/run-event.ts';
import type { Outcome } from '../../graph/definition.ts';
import type { CompiledNode, ExpressionMap } from '../../graph/program.ts';
import { sha256Hex } from '../../json/digest.ts';
import type { JsonValue } from '../../json/value.ts';
import { applyChanges } from '../../state/apply-changes.ts';
import { reduceWrites } from '../../state/reduce.ts';
import type { SessionWrites, Update } from '../command.ts';
import type { Mutable } from '../draft.ts';
import { nodeKey } from '../keys.ts';
import type { OpRecord } from '../node-execution.ts';
import { type Bindings, bindings } from './bindings.ts';
import { settleReserved } from './budget.ts';
import { cancelNode, cancelScope } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { hasFurtherAttempt } from './further-attempt.ts';
import { type Ending, grants, limited, route } from './route.ts';
import { CLOSES_WHAT_ENDED_NODES_ASK, UNDOES_ONCE_BEHIND_FALLBACKS } from './semantics.ts';

export interface Success {
  readonly output: JsonValue;
  readonly updates?: readonly Update[];
  readonly outcome?: Outcome;
  readonly wish?: Wish;
  readonly session?: SessionWrites;
  /** Of a scope that closed into this node: deltas that already are results. */
  readonly changes?: readonly Change[];
  readonly degraded?: { readonly by: string; readonly error: ErrorData };
  readonly undo?: readonly UndoableCall[] | undefined;
}

/** A node ended well: output and writes are validated together, then recorded, then its route is taken. */
export function succeed(d: Decider, ref: NodeRef, success: Success): void {
  const token = d.token(ref.token);
  const node = d.node(token, ref.node);
  const output = checkedOutput(node, success.output);
  if ('error' in output) return fail(d, ref, output.error);
  const written = writes(d, ref, node, success, output.value);
  if ('error' in written) return fail(d, ref, written.error);
  const said = whatIsSaid(d, ref, node, { ...success, output: output.value }, written.changes);
  if ('error' in said) return fail(d, ref, said.error);
  const outcome = success.outcome ?? 'success';
  const { changes } = written;
  const { wish } = success;
  if (wish !== undefined && !wishHolds(d, { ...refOf(ref), outcome, output: output.value, wish }, changes)) {
    const message = `Node "${nodeKey(ref)}" wished for "${wish.to}", but no route to it holds.`;
    return fail(d, ref, errorData('WishNotGranted', message, { permanent: true, details: { to: wish.to } }));
  }
  closeQuestions(d, ref);
  const { token: id, node: name, visit } = ref;
  const data: Mutable<RunEvents['node.succeeded']> = { token: id, node: name, visit, output: output.value };
  if (success.degraded !== undefined) data.degraded = success.degraded;
  if (outcome !== 'success') data.outcome = outcome;
  if (isCompensable(d, ref, node, success)) data.compensable = true;
  else if (success.undo !== undefined) Object.assign(data, { compensable: true, undo: success.undo });
  d.emit('node.succeeded', data);
  if (changes.length > 0) d.emit('state.changed', { token: ref.token, changes });
  writeSession(d, ref, said);
  recordDecision(d, ref, node, output.value);
  const progress = d.token(ref.token).progress[ref.node];
  const { noProgress } = d.graphOf(token).limits;
  if (noProgress !== false && progress !== undefined && progress.count >= noProgress)
    return limited(d, { ...refOf(ref), outcome, output: output.value }, node, {
      node: ref.node,
      limit: 'noProgress',
      value: noProgress,
    });
  route(d, { token: id, node: name, visit, outcome, output: output.value, wish });
}

/** A handler may end without an answer to all that it asked: nobody waits for it any more. */
function closeQuestions(d: Decider, ref: NodeRef): void {
  if (d.run.requests.size === 0 || d.run.semantics < CLOSES_WHAT_ENDED_NODES_ASK) return;
  cancelNode(d, ref, 'superseded', { keepToken: true });
}

/** What a fallback gave is nothing to undo, unless the handler that it stands in for did something once, or may have. */
function isCompensable(d: Decider, ref: NodeRef, node: CompiledNode, { degraded }: Success): boolean {
  if (node.compensate === undefined || degraded === undefined) return node.compensate !== undefined;
  const { at } = d.token(ref.token);
  if (at.kind !== 'node' || d.run.semantics < UNDOES_ONCE_BEHIND_FALLBACKS) return false;
  const isOwn = (record: OpRecord) => at.fallback === undefined || record.left === true;
  return [...at.journal.values()].some(
    record => record.class === 'once' && record.error === undefined && isOwn(record),
  );
}

/** What the handler said and, behind it, the node's own `say`, which counts where its `update` does. */
function whatIsSaid(
  d: Decider,
  ref: NodeRef,
  node: CompiledNode,
  success: Success,
  changes: readonly Change[],
): Checked<SessionWrites> {
  const { session = {}, outcome, output } = success;
  if (node.say === undefined || d.run.session === undefined || !mayUpdate(outcome)) return session;
  const token = d.token(ref.token);
  const state = applyChanges(token.state, [...(success.changes ?? []), ...changes]);
  const filled = node.say.fill(bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output, state }));
  if (filled.ok)
    return { ...session, messages: [...(session.messages ?? []), { role: 'assistant', content: filled.value }] };
  const message = `What "${node.name}" says cannot be evaluated: ${filled.reason}.`;
  return { error: errorData('ConditionError', message, { permanent: true }) };
}

/** What a node tells its session counts when the node has succeeded, and only then. */
function writeSession(d: Decider, ref: NodeRef, { messages = [], set = {}, remove = [] }: SessionWrites): void {
  if (d.run.session === undefined) return;
  for (const { role, content } of messages) d.emit('message.added', { ...refOf(ref), role, content });
  if (Object.keys(set).length > 0 || remove.length > 0)
    d.emit('session.changed', { ...refOf(ref), set, ...(remove.length === 0 ? {} : { remove }) });
}

/** Tried on a run in which the node has succeeded, since its guards see what it wrote; without a route the node fails. */
function wishHolds(d: Decider, ending: Ending & { readonly wish: Wish }, changes: readonly Change[]): boolean {
  const trial = d.trial();
  trial.emit('node.succeeded', { ...refOf(ending), output: ending.output });
  if (changes.length > 0) trial.emit('state.changed', { token: ending.token, changes });
  return grants(trial, ending);
}

type Checked<Value> = Value | { readonly error: ErrorData };

export function checkedOutput(node: CompiledNode, output: JsonValue): Checked<{ readonly value: JsonValue }> {
  if (node.output === undefined) return { value: output };
  const result = node.output.validate(output);
  if (result.ok) return { value: result.value };
  const issues = result.issues.map(issue => ({ pointer: issue.pointer, message: issue.message }));
  const told = issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
  return {
    error: errorData('InvalidOutput', `The output of "${node.name}" does not fit its schema: ${told}.`, {
      permanent: true,
      details: { issues },
    }),
  };
}

/** All that is to be written, as deltas: what the scope brought, what the handler wrote, what `update:` says. */
function writes(
  d: Decider,
  ref: NodeRef,
  node: CompiledNode,
  success: Success,
  output: JsonValue,
): Checked<{ readonly changes: readonly Change[] }> {
  const token = d.token(ref.token);
  const graph = d.graphOf(token);
  const changes: Change[] = [...(success.changes ?? [])];
  /** With how many of the changes `state` is. */
  let applied = 0;
  let state = token.state;
  const stateNow = () => {
    if (applied < changes.length) state = applyChanges(state, applied === 0 ? changes : changes.slice(applied));
    applied = changes.length;
    return state;
  };
  const add = (update: Update): ErrorData | undefined => {
    const reduced = reduceWrites(graph.state, stateNow(), update, ref.node);
    if (!reduced.ok)
      return errorData(reduced.code, reduced.message, { permanent: true, details: { pointer: reduced.pointer } });
    changes.push(...reduced.changes);
    return undefined;
  };
  for (const update of success.updates ?? []) {
    const error = add(update);
    if (error !== undefined) return { error };
  }
  if (node.update !== undefined && mayUpdate(success.outcome)) {
    const see = bindings({ run: d.run, token, graph, at: d.at, output, state: stateNow() });
    const evaluated = evaluateMap(node.update, see, `update of "${node.name}"`);
    if ('error' in evaluated) return evaluated;
    const error = add(evaluated.values);
    if (error !== undefined) return { error };
  }
  return { changes };
}

/** An `ask` node's update is applied on `approve` and `edit` alone. */
function mayUpdate(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome === 'success' || outcome === 'approve' || outcome === 'edit';
}

/** Evaluates a map of CEL; the first expression that cannot be evaluated is a `ConditionError`. */
export function evaluateMap(
  map: ExpressionMap,
  see: Bindings,
  what: string,
): Checked<{ readonly values: Record<string, JsonValue> }> {
  const values: Record<string, JsonValue> = {};
  for (const [name, expression] of map) {
    const result = expression.evaluate(see);
    if (!result.ok)
      return {
        error: errorData(
          'ConditionError',
          `The ${what} cannot be evaluated at "${name}" (${expression.source}): ${result.reason}.`,
          { permanent: true },
        ),
      };
    values[name] = result.value;
  }
  return { values };
}

function recordDecision(d: Decider, ref: NodeRef, node: CompiledNode, output: JsonValue): void {
  const { decides } = node;
  if (decides === undefined) return;
  const token = d.token(ref.token);
  const see = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output });
  const value = (expression: typeof decides.chosen | undefined): JsonValue | undefined => {
    const result = expression?.evaluate(see);
    return result?.ok ? result.value : undefined;
  };
  const confidence = value(decides.confidence);
  const reason = value(decides.reason);
  const options =
    decides.options === undefined || Array.isArray(decides.options)
      ? decides.options
      : value(decides.options as typeof decides.chosen);
  const chosen = value(decides.chosen) ?? null;
  d.emit('decision.made', {
    ...refOf(ref),
    point: decides.point,
    chosen,
    ...(Array.isArray(options)
      ? { options, rejected: (options as JsonValue[]).filter(option => option !== chosen).map(option => ({ option })) }
      : {}),
    ...(typeof confidence === 'number' ? { confidence } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
    decidedBy: node.handler === undefined ? `rule:${ref.node}` : `node:${node.handler.handler}`,
  });
}

/** The node's own way out of an error: another attempt, a fallback, its `on: failed` route, or the failure of its token. */
export function fail(
  d: Decider,
  ref: NodeRef,
  error: ErrorData,
  options: { retry?: boolean; lastGood?: { output: JsonValue; at: number } } = {},
): void {
  const at = d.token(ref.token).at;
  if (at.kind !== 'node') return;
  const node = d.node(d.token(ref.token), ref.node);
  if (hasFurtherAttempt(node, at, { error, ...options })) return scheduleRetry(d, ref, node, at.attempt, error);
  if (at.fallback === undefined && fallBack(d, ref, node, error, options.lastGood)) return;
  cancelNode(d, ref, 'failed', { keepToken: true });
  d.emit('node.failed', { ...refOf(ref), error, attempt: at.attempt });
  const token = d.token(ref.token);
  route(d, { ...refOf(ref), outcome: 'failed', output: token.last });
}

/** Waits under a second live in memory; longer ones are durable timers and let the run be suspended. */
const DURABLE_BACKOFF_MS = 1000;

export function scheduleRetry(
  d: Decider,
  ref: NodeRef,
  node: CompiledNode,
  attempt: number,
  error: ErrorData,
  after?: number,
): void {
  const wait = after ?? backoff(d, ref, node, attempt);
  d.emit('node.retryScheduled', {
    ...refOf(ref),
    attempt: attempt + 1,
    at: d.at + wait,
    error,
    durable: wait >= DURABLE_BACKOFF_MS,
  });
  settleReserved(d, d.at, ref);
}

function backoff(d: Decider, ref: NodeRef, node: CompiledNode, attempt: number): number {
  const { retry } = node;
  if (retry === undefined) return 0;
  const base = Math.min(retry.backoff * retry.factor ** (attempt - 1), retry.maxBackoff);
  const share = Number.parseInt(sha256Hex(`${d.run.id}/${nodeKey(ref)}/${attempt}`).slice(0, 8), 16) / 0xffffffff;
  return Math.round(base * (1 - retry.jitter * share));
}

function fallBack(
  d: Decider,
  ref: NodeRef,
  node: CompiledNode,
  error: ErrorData,
  lastGood: { output: JsonValue; at: number } | undefined,
): boolean {
  if (node.fallbackNode !== undefined) {
    closeOwn(d, ref);
    const fallback = d.node(d.token(ref.token), node.fallbackNode);
    const isChecked = d.checks && fallback.handler === undefined;
    const as = isChecked ? { as: 'check' as const } : {};
    d.emit('node.fellBack', { ...refOf(ref), to: node.fallbackNode, error, ...as });
    if (fallback.handler === undefined && !isChecked) runTransform(d, ref, fallback);
    return true;
  }
  const good = lastGood ?? lastGoodHere(d, ref);
  if (node.lastGoodMaxAge === undefined || good === undefined || d.at - good.at > node.lastGoodMaxAge) return false;
  closeOwn(d, ref);
  succeed(d, ref, { output: good.output, degraded: { by: 'lastGood', error } });
  return true;
}

/** What stands in for the node ends what the node itself had open: its questions, and its scope with all in it. */
function closeOwn(d: Decider, ref: NodeRef): void {
  cancelNode(d, ref, 'failed', { keepToken: true });
  const { at } = d.token(ref.token);
  if (at.kind !== 'node' || at.scope === undefined) return;
  cancelScope(d, at.scope, 'failed');
  d.emit('scope.closed', { scope: at.scope, outcome: 'failed' });
}

function lastGoodHere(d: Decider, ref: NodeRef): { output: JsonValue; at: number } | undefined {
  const good = d.token(ref.token).good[ref.node];
  return good === undefined ? undefined : { output: good.output, at: good.at };
}

/** What expressions know as `output` before the node ran: the last output, of a join the list of its branches. */
export function outputBefore(d: Decider, ref: NodeRef): JsonValue {
  const token = d.token(ref.token);
  if (token.at.kind === 'node' && d.node(token, ref.node).input === undefined) return token.at.input;
  return (token.nodes[ref.node]?.branches as JsonValue | undefined) ?? token.last;
}

/** Evaluates a transform (the node itself, or the one that stands in for it); without `output` it gives out what it got. */
export function runTransform(d: Decider, ref: NodeRef, node: CompiledNode): void {
  const token = d.token(ref.token);
  const at = token.at;
  const degraded =
    at.kind === 'node' && at.fallback !== undefined ? { by: at.fallback.node, error: at.fallback.error } : undefined;
  if (node.values === undefined)
    return succeed(d, ref, { output: at.kind === 'node' ? at.input : token.last, degraded });
  const see = bindings({
    run: d.run,
    token,
    graph: d.graphOf(token),
    at: d.at,
    output: outputBefore(d, ref),
  });
  const evaluated = evaluateMap(node.values, see, `output of "${node.name}"`);
  if ('error' in evaluated) return fail(d, ref, evaluated.error);
  succeed(d, ref, { output: evaluated.values, degraded });
}

/** The node stood aside; its routes go on with the outcome `skipped`. */
export function skip(d: Decider, ref: NodeRef, reason: string | undefined, output: JsonValue | undefined): void {
  closeQuestions(d, ref);
  d.emit('node.skipped', {
    ...refOf(ref),
    ...(reason === undefined ? {} : { reason }),
    ...(output === undefined ? {} : { output }),
  });
  route(d, { ...refOf(ref), outcome: 'skipped', output: d.token(ref.token).last });
}
