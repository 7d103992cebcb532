import { type Fault, pointerTo } from '../../error/fault.ts';
import type { NodeDefinition, Outcome, RouteDefinition } from '../definition.ts';
import { routesOf } from '../flow.ts';
import { type Check, type CheckContext, routePointer } from './context.ts';
import { errorAt, hintFor, quoted, warningAt } from './fault.ts';
import { coveredBy, expectedOutcomes, isUnguarded, outcomesOf } from './outcomes.ts';

/** `UnknownOutcome`, `RouteNeverTaken`, `NoDefaultRoute`, `GuardTwice`. */
export const checkRoutes: Check = context =>
  Object.entries(context.graph.nodes).flatMap(([name, node]) => {
    const routes = routesOf(context.graph, name);
    if (routes.length === 0) return [];
    return [
      ...routes.flatMap((route, index) => checkRoute(context, name, node, route, index)),
      ...checkNeverTaken(context, name, node, routes),
      ...checkWayOut(context, name, node, routes),
    ];
  });

function checkRoute(
  context: CheckContext,
  name: string,
  node: NodeDefinition,
  route: RouteDefinition,
  index: number,
): Fault[] {
  const possible = outcomesOf(node);
  const place = routePointer(context, name, index);
  const faults = (route.on ?? []).flatMap((outcome, at) => {
    if (possible.includes(outcome)) return [];
    const message = `A node of type \`${node.type}\` never ends with \`${outcome}\`.`;
    return [errorAt(`${place}/on/${at}`, 'UnknownOutcome', message, hintFor(outcome, possible))];
  });
  if (route.when !== undefined && route.predicate !== undefined) {
    faults.push(errorAt(`${place}/predicate`, 'GuardTwice', 'A route has one guard: `when` or `predicate`.'));
  }
  return faults;
}

/** A route that stands only for what unguarded routes before it take. */
function checkNeverTaken(
  context: CheckContext,
  name: string,
  node: NodeDefinition,
  routes: readonly RouteDefinition[],
): Fault[] {
  const taken = new Set<Outcome>();
  const isFallbackOnly = !context.structure.scopeOf.has(name) && isFallback(context, name);
  return routes.flatMap((route, index) => {
    const covered = [...coveredBy(node, route)];
    const place = routePointer(context, name, index);
    if (isFallbackOnly) {
      const message = `\`${name}\` stands in for another node, whose routes go on; its own are never looked at.`;
      return [warningAt(place, 'RouteNeverTaken', message)];
    }
    if (covered.length > 0 && covered.every(outcome => taken.has(outcome))) {
      const message = 'A route before this one takes all that it stands for.';
      return [errorAt(place, 'RouteNeverTaken', message, 'Put the route without a guard last.')];
    }
    if (isUnguarded(route)) for (const outcome of covered) taken.add(outcome);
    return [];
  });
}

function isFallback({ graph }: CheckContext, name: string): boolean {
  return Object.values(graph.nodes).some(node => node.fallback?.node === name);
}

function checkWayOut(
  context: CheckContext,
  name: string,
  node: NodeDefinition,
  routes: readonly RouteDefinition[],
): Fault[] {
  const sure = new Set(routes.filter(isUnguarded).flatMap(route => [...coveredBy(node, route)]));
  const maybe = new Set(routes.flatMap(route => [...coveredBy(node, route)]));
  const open = expectedOutcomes(node).filter(outcome => !sure.has(outcome));
  const without = open.filter(outcome => !maybe.has(outcome));
  const place = pointerTo(`${context.pointer}/routes`, name);
  const hint = 'Add a last route without a guard.';
  if (without.includes('success') || (without.length > 0 && without.length === expectedOutcomes(node).length)) {
    const message = `No route is for the case that \`${name}\` succeeds; its token would fail each time.`;
    return [errorAt(place, 'NoDefaultRoute', message, hint)];
  }
  if (open.length === 0) return [];
  const which = node.type === 'ask' ? ` after ${quoted(open)}` : '';
  const message = `When no guard of \`${name}\` holds${which}, its token fails.`;
  return [warningAt(place, 'NoDefaultRoute', message, hint)];
}
