import type { Outcome } from '../definition.ts';
import { routesOf } from '../flow.ts';
import { type Check, routePointer } from './context.ts';
import { warningAt } from './fault.ts';
import { coveredBy, isUnguarded } from './outcomes.ts';

/** `OptionalRead`, a warning: a guard looks at the values of an answer, and may meet one that has none. */
export const checkAnswerReads: Check = context =>
  Object.entries(context.graph.nodes).flatMap(([name, node]) => {
    if (node.type !== 'ask') return [];
    const taken = new Set<Outcome>();
    const possible = (outcome: Outcome) =>
      outcome === 'reject' || outcome === 'cancel' || (outcome === 'expired' && routesWhenExpired);
    const routesWhenExpired = node.request.deadline?.onExpire === 'route';
    return routesOf(context.graph, name).flatMap((route, index) => {
      const covered = [...coveredBy(node, route)];
      const empty = covered.filter(outcome => possible(outcome) && !taken.has(outcome));
      if (isUnguarded(route)) for (const outcome of covered) taken.add(outcome);
      const guard = context.compiled.nodes.get(name)?.routes[index]?.when;
      if (guard === undefined || empty.length === 0 || !readsValuesUnasked(guard)) return [];
      const message = `An answer that is no approval has no values; after \`${empty[0]}\` this guard cannot be evaluated.`;
      const hint = 'Add `on: [approve, edit]` to the route, or take the other answers before it.';
      return [warningAt(`${routePointer(context, name, index)}/when`, 'OptionalRead', message, hint)];
    });
  });

function readsValuesUnasked({ reads, source }: { reads: readonly (readonly string[])[]; source: string }): boolean {
  const reading = (key: string) => reads.some(([first, second]) => first === 'output' && second === key);
  return reading('values') && !reading('action') && !/\bhas\s*\(\s*output\.values\b/.test(source);
}
