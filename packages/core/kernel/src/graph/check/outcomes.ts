import type { NodeDefinition, Outcome, RouteDefinition } from '../definition.ts';

const ANSWERS: readonly Outcome[] = ['approve', 'edit', 'reject', 'cancel'];
const ANY_NODE: readonly Outcome[] = ['success', 'failed', 'skipped', 'limit'];

/** What a node of this type can end with, as `on` may name it. */
export function outcomesOf(node: NodeDefinition): readonly Outcome[] {
  return node.type === 'ask' ? [...ANSWERS, 'expired', ...ANY_NODE] : ANY_NODE;
}

/** What a route stands for, each answer by itself: `success` is any answer of an `ask`. */
export function coveredBy(node: NodeDefinition, route: RouteDefinition): ReadonlySet<Outcome> {
  const named = route.on ?? outcomesOf(node).filter(outcome => outcome !== 'failed' && outcome !== 'limit');
  return new Set(named.flatMap(outcome => (node.type === 'ask' && outcome === 'success' ? ANSWERS : [outcome])));
}

/** What must find a way out: the ends that are no failure and no exception. */
export function expectedOutcomes(node: NodeDefinition): readonly Outcome[] {
  if (node.type === 'fail') return [];
  if (node.type !== 'ask') return ['success'];
  return node.request.deadline?.onExpire === 'route' ? [...ANSWERS, 'expired'] : ANSWERS;
}

export function isUnguarded(route: RouteDefinition): boolean {
  return route.when === undefined && route.predicate === undefined;
}
