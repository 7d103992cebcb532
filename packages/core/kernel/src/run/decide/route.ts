import type { ErrorData, LookedRoute, NodeRef, RunEvents, Wish } from '../../event/run-event.ts';
import { END, type Outcome } from '../../graph/definition.ts';
import type { CompiledNode, CompiledRoute } from '../../graph/program.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { Mutable } from '../draft.ts';
import { nodeKey } from '../keys.ts';
import type { Scope } from '../scope.ts';
import type { Token } from '../token.ts';
import { type Bindings, bindings } from './bindings.ts';
import { cancelScope } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { askAtLimit, limitError, type Over } from './limit-question.ts';

/** What a node ended with, as far as its routes care. */
export interface Ending extends NodeRef {
  readonly outcome: Outcome;
  readonly output: JsonValue;
  readonly wish?: Wish;
}

type Guard =
  | { readonly held: boolean; readonly looked?: LookedRoute }
  | { readonly broken: string; readonly looked: LookedRoute };

/**
 * Tries a finished node's routes in order and takes the first that holds (design 4.1, 4.4).
 * A guard that cannot be evaluated stops the token there, whichever later route would hold.
 */
export function route(d: Decider, ending: Ending): void {
  const token = d.token(ending.token);
  const node = d.node(token, ending.node);
  const looked: LookedRoute[] = [];
  if (
    node.routes.length === 0 &&
    ending.outcome !== 'failed' &&
    ending.outcome !== 'limit' &&
    ending.wish === undefined
  )
    return decided(d, ending, { to: [END], leads: 'end' }, []);
  const see = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output: ending.output });
  for (const candidate of node.routes) {
    if (!answers(candidate, ending)) continue;
    const guard = tryGuard(candidate, see);
    if (guard.looked !== undefined) looked.push(guard.looked);
    if ('broken' in guard) return stop(d, ending, 'ConditionError', `${where(ending)}: ${guard.broken}`, looked);
    if (!guard.held) continue;
    const over = ending.outcome === 'limit' ? undefined : limitOf(d, token, candidate);
    if (over !== undefined) return limited(d, ending, node, over);
    return take(d, ending, candidate, looked);
  }
  nothingHeld(d, ending, node, looked);
}

function answers(candidate: CompiledRoute, ending: Ending): boolean {
  if (ending.wish !== undefined && !candidate.to.includes(ending.wish.to)) return false;
  if (candidate.on !== undefined)
    return candidate.on.has(ending.outcome) || (candidate.on.has('success') && isAnswered(ending.outcome));
  return ending.outcome !== 'failed' && ending.outcome !== 'limit';
}

/** An answered request is a success whatever the action. */
function isAnswered(outcome: Outcome): boolean {
  return outcome === 'approve' || outcome === 'edit' || outcome === 'reject' || outcome === 'cancel';
}

function tryGuard(candidate: CompiledRoute, see: Bindings): Guard {
  const { index, when, predicate } = candidate;
  if (predicate !== undefined) return tryPredicate(index, predicate, see);
  if (when === undefined) return { held: true };
  const result = when.evaluate(see);
  const values = readValues(when.reads, see);
  if (!result.ok)
    return {
      broken: `the guard "${when.source}" cannot be evaluated: ${result.reason}`,
      looked: { route: index, held: false, values, reason: result.reason },
    };
  if (typeof result.value !== 'boolean')
    return {
      broken: `the guard "${when.source}" gives no bool`,
      looked: { route: index, held: false, values, reason: 'not a bool' },
    };
  return { held: result.value, looked: { route: index, held: result.value, values } };
}

function tryPredicate(index: number, predicate: (see: Bindings) => boolean, see: Bindings): Guard {
  try {
    const held = predicate(see) === true;
    return { held, looked: { route: index, held } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { broken: `a predicate threw: ${reason}`, looked: { route: index, held: false, reason } };
  }
}

const VALUE_LIMIT = 200;

/** What the guard read, as it was then; large values are told by their kind. */
function readValues(reads: readonly (readonly string[])[], see: Bindings): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (const path of reads) {
    let value: unknown = see[path[0] ?? ''];
    for (let depth = 1; depth < path.length; depth += 1) {
      const key = path[depth]!;
      value =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined;
    }
    if (value !== undefined) values[path.join('.')] = shortened(value as JsonValue);
  }
  return values;
}

function shortened(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.length > 20 ? `list of ${value.length}` : value;
  if (typeof value === 'string' && value.length > VALUE_LIMIT) return `${value.slice(0, VALUE_LIMIT)}…`;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 20 ? 'object' : value;
}

/** What the route would go beyond by starting its target. A join starts when its scope closes, and what ends starts nothing. */
function limitOf(d: Decider, token: Token, candidate: CompiledRoute): Over | undefined {
  const [target] = candidate.to;
  const scope = d.scope(token.scope);
  if (target === undefined || (candidate.to.length === 1 && leadsOut(scope, target) !== undefined)) return undefined;
  const { maxSteps } = d.graphOf(token).limits;
  if (token.steps >= maxSteps + (token.granted ?? 0)) return { node: target, limit: 'maxSteps', value: maxSteps };
  if (candidate.to.length > 1) return undefined;
  const node = d.node(token, target);
  if ((scope.visits[target] ?? 0) >= node.maxVisits + (scope.granted?.[target] ?? 0))
    return { node: target, limit: 'maxVisits', value: node.maxVisits };
  const row = token.successive;
  if (node.maxSuccessive !== undefined && row?.node === target && row.count >= node.maxSuccessive)
    return { node: target, limit: 'maxSuccessive', value: node.maxSuccessive };
  return undefined;
}

function leadsOut(scope: Scope, target: string): 'end' | 'join' | undefined {
  if (target === END) return 'end';
  return target === scope.join && scope.kind === 'fork' ? 'join' : undefined;
}

/**
 * A limit was met after all guards before it: the node's `on: limit` route, else a person where one is to be asked, else
 * an error that names it.
 */
export function limited(d: Decider, ending: Ending, node: CompiledNode, over: Over): void {
  const isRouted = hasLimitRoute(node);
  if (!isRouted && askAtLimit(d, ending, over, () => closeBelow(d, ending.token))) return;
  d.emit('limit.reached', {
    ...refOf(ending),
    limit: over.limit,
    value: over.value,
    ...(over.node === ending.node ? {} : { of: over.node }),
  });
  if (isRouted) return route(d, { ...ending, outcome: 'limit', wish: undefined });
  failAtLimit(d, ending, over);
}

export function hasLimitRoute(node: CompiledNode): boolean {
  return node.routes.some(candidate => candidate.on?.has('limit') === true);
}

/** The routing failed at a limit: a retry looks whether it still stands. */
export function failAtLimit(d: Decider, ending: Pick<Ending, 'token' | 'outcome'>, over: Over): void {
  endFailed(d, ending.token, { error: limitError(d.token(ending.token), over), outcome: ending.outcome });
}

function take(d: Decider, ending: Ending, candidate: CompiledRoute, looked: readonly LookedRoute[]): void {
  closeBelow(d, ending.token);
  const [target] = candidate.to;
  if (candidate.to.length === 1 && target !== undefined) {
    const leads = leadsOut(d.scope(d.token(ending.token).scope), target);
    return decided(d, ending, { to: candidate.to, route: candidate.index, leads }, looked);
  }
  decided(d, ending, { to: candidate.to, route: candidate.index, leads: 'fork' }, looked);
  d.emit('scope.opened', {
    ...refOf(ending),
    scope: nodeKey(ending),
    kind: 'fork',
    graph: d.token(ending.token).graph,
    size: candidate.to.length,
    entries: candidate.to,
    ...(candidate.join === undefined ? {} : { join: candidate.join }),
  });
}

/** Where a failure is dealt with, what was parked in the scope that failed is cancelled. */
function closeBelow(d: Decider, token: string): void {
  const { at } = d.token(token);
  const scope = at.kind === 'forked' || (at.kind === 'failed' && at.phase === 'scope') ? at.scope : undefined;
  if (scope === undefined || !d.run.scopes.has(scope)) return;
  cancelScope(d, scope, 'failed');
  d.emit('scope.closed', { scope, outcome: 'failed' });
}

function decided(
  d: Decider,
  ending: Ending,
  chosen: { to: readonly string[]; route?: number; leads?: 'fork' | 'join' | 'end' },
  looked: readonly LookedRoute[],
): void {
  const { wish } = ending;
  if (wish !== undefined)
    d.emit('decision.made', {
      ...refOf(ending),
      point: 'route',
      chosen: wish.to,
      ...(wish.options === undefined
        ? {}
        : {
            options: wish.options,
            rejected: wish.options.filter(option => option !== wish.to).map(option => ({ option })),
          }),
      ...(wish.reason === undefined ? {} : { reason: wish.reason }),
      ...(wish.confidence === undefined ? {} : { confidence: wish.confidence }),
      from: ending.node,
      to: wish.to,
      decidedBy: `node:${ending.node}`,
    });
  const { token, node, visit, outcome } = ending;
  const data: Mutable<RunEvents['route.decided']> = { token, node, visit, outcome, to: chosen.to };
  if (chosen.route !== undefined) data.route = chosen.route;
  if (chosen.leads !== undefined) data.leads = chosen.leads;
  if (looked.length > 0) data.looked = looked;
  if (wish !== undefined) data.wish = { to: wish.to, ...(wish.reason === undefined ? {} : { reason: wish.reason }) };
  d.emit('route.decided', data);
}

function nothingHeld(d: Decider, ending: Ending, node: CompiledNode, looked: readonly LookedRoute[]): void {
  if (ending.outcome === 'failed') {
    const error = d.token(ending.token).error ?? errorData('Failed', `${where(ending)} failed.`);
    return endFailed(d, ending.token, { error });
  }
  const guards = looked.map(
    look =>
      `"${node.routes.find(r => r.index === look.route)?.when?.source ?? 'predicate'}" with ${JSON.stringify(look.values ?? {})}`,
  );
  const tried =
    guards.length === 0
      ? `no route is for the outcome "${ending.outcome}"`
      : `none of its guards held: ${guards.join('; ')}`;
  stop(d, ending, 'NoRoute', `${where(ending)} ended with "${ending.outcome}", but ${tried}.`, looked);
}

function where(ref: NodeRef): string {
  return `Node "${nodeKey(ref)}"`;
}

/** The routing failed, not the node: no `on: failed` route catches it, and a retry routes anew. */
function stop(
  d: Decider,
  ending: Ending,
  code: string,
  message: string,
  looked: readonly LookedRoute[],
  details?: JsonObject,
): void {
  const error = errorData(code, message, {
    details: { ...details, ...(looked.length === 0 ? {} : { looked: looked as unknown as JsonValue }) },
  });
  endFailed(d, ending.token, { error, outcome: ending.outcome });
}

/** An item of a map that collects failures is over with it, and so is what was parked below. */
function endFailed(d: Decider, token: string, failure: { error: ErrorData; outcome?: Outcome }): void {
  if (d.scope(d.token(token).scope).collect) closeBelow(d, token);
  d.emit('token.ended', { token, status: 'failed', ...failure });
}

/** Whether a route to the wished target holds; one whose guard cannot be evaluated is the routing's own failure. */
export function grants(d: Decider, ending: Ending & { readonly wish: Wish }): boolean {
  const token = d.token(ending.token);
  const node = d.node(token, ending.node);
  const { next } = node.definition;
  if (next !== undefined && !next.includes(ending.wish.to)) return false;
  const see = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output: ending.output });
  for (const candidate of node.routes) {
    if (!answers(candidate, ending)) continue;
    const guard = tryGuard(candidate, see);
    if ('broken' in guard || guard.held) return true;
  }
  return false;
}
