import type { ErrorData, NodeRef, RunEvents } from '../../event/run-event.ts';
import type { CompiledNode } from '../../graph/program.ts';
import type { JsonValue } from '../../json/value.ts';
import { outsideScope } from '../../request/remember.ts';
import { cellValue } from '../../state/cell.ts';
import type { Mutable } from '../draft.ts';
import { nodeKey } from '../keys.ts';
import type { Run } from '../run.ts';
import type { Token } from '../token.ts';
import { type Bindings, bindings } from './bindings.ts';
import { type Decider, errorData, lastNodes, refOf } from './decider.ts';
import { evaluateMap, fail, outputBefore, runTransform, succeed } from './finish.ts';
import { itemsOf } from './items.ts';
import { askAtLimit, limitError, type Over } from './limit-question.ts';
import { askOrRecall } from './recall.ts';
import { hasLimitRoute, limited } from './route.ts';
import { LIMITS_VISITS_OF_JOINS } from './semantics.ts';
import { openWaitNode } from './waits.ts';

/** Starts the node a token is about to enter; nodes that need no handler run to their end, or to their wait, here. */
export function enter(d: Decider, token: Token): void {
  if (token.at.kind !== 'pending') return;
  const node = d.node(token, token.at.node);
  const graph = d.graphOf(token);
  if (token.steps >= graph.limits.maxSteps + (token.granted ?? 0) && token.at.byLimit === undefined)
    return tooManySteps(d, token, node.name, graph.limits.maxSteps);
  if (token.branches !== undefined && isJoinedTooOften(d, token, node)) return;
  const visit = (token.visits[node.name] ?? 0) + 1;
  const ref: NodeRef = { token: token.id, node: node.name, visit };
  const output = (branchesOf(node, token) as JsonValue | undefined) ?? token.last;
  const given = givenInput(node, token, () => bindings({ run: d.run, token, graph, at: d.at, output }));
  if ('error' in given) return endStart(d, token, given.error);
  const isChecked = d.checks && node.handler === undefined;
  const as = isChecked ? 'check' : executionKind(node, d.run);
  const data: Mutable<RunEvents['node.started']> = { ...ref, attempt: 1 };
  if (given.input !== undefined) data.input = given.input;
  if (as !== undefined) data.as = as;
  if (token.at.adopt !== undefined) data.adopt = token.at.adopt.visit;
  if (node.deadline !== undefined) data.deadline = d.at + node.deadline;
  if (node.restartTarget) data.target = true;
  d.emit('node.started', data);
  if (isChecked || node.definition.type === 'step') return;
  // The token has moved on, and what is read lazily must be read from where it stands now.
  begin(d, ref, node, bindings({ run: d.run, token: d.token(token.id), graph, at: d.at, output }));
}

/** The checks let it go on: what has no handler begins only now. */
export function pass(d: Decider, ref: NodeRef): void {
  const token = d.token(ref.token);
  const { at } = token;
  if (at.kind !== 'node' || at.checking === undefined) return;
  const node = d.node(token, ref.node);
  const as = at.fallback === undefined ? executionKind(node, d.run) : undefined;
  d.emit('node.passed', { ...refOf(ref), ...(as === undefined ? {} : { as }) });
  if (at.fallback !== undefined) return runTransform(d, ref, d.node(token, at.fallback.node));
  const output = outputBefore(d, ref);
  const now = d.token(ref.token);
  begin(d, ref, node, bindings({ run: d.run, token: now, graph: d.graphOf(now), at: d.at, output }));
}

/**
 * No route leads a token to a join's start, so a limit on its visits is met only now that its scope has closed: the node
 * that forked takes its `on: limit` route, and what the branches did is kept.
 */
function isJoinedTooOften(d: Decider, token: Token, join: CompiledNode): boolean {
  const { visits, granted } = d.scope(token.scope);
  const most = join.maxVisits + (granted?.[join.name] ?? 0);
  if ((visits[join.name] ?? 0) < most || d.run.semantics < LIMITS_VISITS_OF_JOINS) return false;
  const [fork] = lastNodes(token).slice(-1);
  const node = d.node(token, String(fork));
  const over: Over = { node: join.name, limit: 'maxVisits', value: join.maxVisits };
  if (!hasLimitRoute(node)) {
    endAtLimit(d, token, over);
    return true;
  }
  const ending = { token: token.id, node: node.name, visit: token.visits[node.name] ?? 1, outcome: 'success' as const };
  limited(d, { ...ending, output: token.last }, node, over);
  return true;
}

/** Where no route led here that could have said so: the first node of a branch, item or graph, or a join. */
function tooManySteps(d: Decider, token: Token, node: string, value: number): void {
  endAtLimit(d, token, { limit: 'maxSteps', node, value });
}

function endAtLimit(d: Decider, token: Token, over: Over): void {
  const ref = { token: token.id, node: over.node, visit: 0 };
  if (askAtLimit(d, ref, over)) return;
  d.emit('limit.reached', { ...ref, limit: over.limit, value: over.value });
  endStart(d, token, limitError(token, over));
}

function endStart(d: Decider, token: Token, error: ErrorData): void {
  d.emit('token.ended', { token: token.id, status: 'failed', error });
}

/** A node that asks executes while somebody looks into a memory outside the run. */
function executionKind(node: CompiledNode, run: Run): 'wait' | 'composite' | undefined {
  switch (node.definition.type) {
    case 'ask':
      return outsideScope(run, node.definition.request) === undefined ? 'wait' : undefined;
    case 'wait':
      return 'wait';
    case 'map':
    case 'subgraph':
      return 'composite';
    default:
      return undefined;
  }
}

type Given = { readonly input: JsonValue | undefined } | { readonly error: ErrorData };

/** Of a join that is begun anew those of the visit that is taken over. */
function branchesOf(node: CompiledNode, token: Token): Token['branches'] {
  const isAnew = token.at.kind === 'pending' && token.at.adopt !== undefined;
  return token.branches ?? (isAnew ? token.nodes[node.name]?.branches : undefined);
}

/** What `input:` gives; a join gets the list of its branches, everything else the last output (absent here). */
function givenInput(node: CompiledNode, token: Token, see: () => Bindings): Given {
  if (node.input !== undefined) {
    const evaluated = evaluateMap(node.input, see(), `input of "${node.name}"`);
    return 'error' in evaluated ? evaluated : { input: evaluated.values };
  }
  return { input: branchesOf(node, token) as JsonValue | undefined };
}

function begin(d: Decider, ref: NodeRef, node: CompiledNode, see: Bindings): void {
  const { definition } = node;
  switch (definition.type) {
    case 'step':
      return;
    case 'transform':
      return runTransform(d, ref, node);
    case 'join': {
      const at = d.token(ref.token).at;
      return succeed(d, ref, { output: at.kind === 'node' ? at.input : null });
    }
    case 'fail':
      return failOnPurpose(d, ref, node, see);
    case 'ask':
      if (outsideScope(d.run, definition.request) === undefined)
        askOrRecall(d, ref, { op: 'ask#1', compiled: node.request!, see, ofNode: true });
      return;
    case 'wait':
      return openWaitNode(d, ref, node, see);
    case 'map':
      return openMap(d, ref, node, see);
    case 'subgraph':
      return openSubgraph(d, ref, node, definition.graph, definition.share ?? []);
  }
}

function failOnPurpose(d: Decider, ref: NodeRef, node: CompiledNode, see: Bindings): void {
  const { definition } = node;
  const code = definition.type === 'fail' ? (definition.code ?? 'Failed') : 'Failed';
  const filled = node.failMessage?.fill(see);
  if (filled !== undefined && !filled.ok)
    return fail(d, ref, errorData('ConditionError', filled.reason), { retry: false });
  const message = filled === undefined ? `Node "${node.name}" fails.` : String(filled.value);
  fail(d, ref, errorData(code, message, { permanent: true }), { retry: false });
}

/**
 * A node that runs tokens of its own may fork when it ends: the two scopes of one visit have different ids, since journal
 * keys and idempotency keys are made of them.
 */
function compositeScope(ref: NodeRef): string {
  return `${nodeKey(ref)}*`;
}

function openMap(d: Decider, ref: NodeRef, node: CompiledNode, see: Bindings): void {
  if (node.definition.type !== 'map' || node.items === undefined) return;
  const items = itemsOf(node.items, see, node.definition.maxItems);
  if ('limit' in items) {
    d.emit('limit.reached', { ...refOf(ref), limit: 'maxItems', value: items.limit });
    return fail(d, ref, items.error, { retry: false });
  }
  if ('error' in items) return fail(d, ref, items.error, { retry: false });
  d.emit('scope.opened', {
    ...refOf(ref),
    scope: compositeScope(ref),
    kind: 'map',
    graph: node.graph!,
    size: items.items.length,
    inputs: items.items,
    ...(node.definition.onError === 'collect' ? { collect: true as const } : {}),
  });
}

/** A subgraph has its own state; shared keys start at the parent's value. */
function openSubgraph(d: Decider, ref: NodeRef, node: CompiledNode, name: string, share: readonly string[]): void {
  const token = d.token(ref.token);
  const key = node.graph!;
  const graph = d.program.graphs.get(key);
  if (graph === undefined)
    return fail(d, ref, errorData('UnknownGraph', `Graph "${name}" is not in this version.`, { permanent: true }));
  const at = token.at;
  const valid = graph.input.validate(at.kind === 'node' ? at.input : token.last);
  if (!valid.ok) {
    const told = valid.issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
    return fail(
      d,
      ref,
      errorData('InvalidInput', `The input of graph "${name}" does not fit its schema: ${told}.`, { permanent: true }),
    );
  }
  const state: Record<string, JsonValue> = {};
  for (const [stateKey, definition] of graph.state) {
    const shared = share.includes(stateKey) ? token.state[stateKey] : undefined;
    const value = shared === undefined ? definition.initial : cellValue(shared);
    if (value !== undefined) state[stateKey] = value;
  }
  d.emit('scope.opened', {
    ...refOf(ref),
    scope: compositeScope(ref),
    kind: 'subgraph',
    graph: key,
    size: 1,
    inputs: [valid.value],
    state,
    entries: [graph.entry],
    ...(share.length === 0 ? {} : { share }),
  });
}
