import { type Fault, pointerTo } from '../../error/fault.ts';
import { END, type Outcome } from '../definition.ts';
import { edgesFrom, nodeOf, reachableFrom, routesOf } from '../flow.ts';
import { type Check, type CheckContext, hasEntry } from './context.ts';
import { errorAt, quoted, warningAt } from './fault.ts';
import { coveredBy, isUnguarded } from './outcomes.ts';

/** `UnreachableNode`. A node that only stands in for another is reached by that one. */
export const checkReach: Check = context => {
  if (!hasEntry(context)) return [];
  const { graph, pointer } = context;
  const reached = new Set(reachableFrom(graph, graph.entry));
  for (const name of reached) {
    const fallback = nodeOf(graph, name)?.fallback?.node;
    if (fallback !== undefined && nodeOf(graph, fallback) !== undefined) reached.add(fallback);
  }
  const lost = Object.keys(graph.nodes).filter(name => !reached.has(name));
  return lost.map(name => {
    const hint = 'Route to it, or take it out.';
    return errorAt(pointerTo(`${pointer}/nodes`, name), 'UnreachableNode', `No route leads to \`${name}\`.`, hint);
  });
};

/** `LoopWithoutExit`: nodes that lead to each other and nowhere else. A warning where only failing leads out. */
export const checkLoops: Check = context => {
  if (!hasEntry(context)) return [];
  const { graph } = context;
  const reached = reachableFrom(graph, graph.entry);
  return components([...reached], node => edgesFrom(graph, node).flatMap(({ to }) => (to === END ? [] : [to])))
    .filter(loop => loop.length > 1 || edgesFrom(graph, loop[0]!).some(({ to }) => to === loop[0]))
    .flatMap(loop => loopFaults(context, loop));
};

function loopFaults(context: CheckContext, loop: readonly string[]): Fault[] {
  const { graph, pointer } = context;
  const inside = new Set(loop);
  const exits = loop.flatMap(name =>
    openRoutes(context, name).filter(({ to }) => to.some(target => target === END || !inside.has(target))),
  );
  const ordered = Object.keys(graph.nodes).filter(name => inside.has(name));
  const place = pointerTo(`${pointer}/routes`, ordered[0]!);
  const names = ordered.length === 1 ? `\`${ordered[0]}\` leads` : `${quoted(ordered.slice(0, 8))} lead`;
  const hint = 'Add a route out of the loop.';
  if (exits.length === 0) {
    return [errorAt(place, 'LoopWithoutExit', `${names} nowhere but back; only a limit would end it.`, hint)];
  }
  if (!exits.every(({ on }) => on?.every(outcome => outcome === 'failed'))) return [];
  return [warningAt(place, 'LoopWithoutExit', `${names} out of the loop only by failing.`, hint)];
}

/** The routes that can be taken at all: not hidden by one without a guard. */
function openRoutes({ graph }: CheckContext, name: string) {
  const node = nodeOf(graph, name)!;
  const taken = new Set<Outcome>();
  return routesOf(graph, name).filter(route => {
    const covered = [...coveredBy(node, route)];
    const isHidden = covered.every(outcome => taken.has(outcome));
    if (isUnguarded(route)) for (const outcome of covered) taken.add(outcome);
    return !isHidden;
  });
}

/** Strongly connected components (Tarjan), without recursion so that a chain of any length is walked. */
export function components(nodes: readonly string[], next: (node: string) => readonly string[]): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];
  const found: string[][] = [];
  const enter = (node: string) => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    onStack.add(node);
    return { node, targets: [...next(node)] };
  };
  for (const start of nodes) {
    const calls = index.has(start) ? [] : [enter(start)];
    for (let call = calls.at(-1); call !== undefined; call = calls.at(-1)) {
      const { node, targets } = call;
      const target = targets.pop();
      if (target === undefined) {
        calls.pop();
        const above = calls.at(-1)?.node;
        if (above !== undefined) low.set(above, Math.min(low.get(above)!, low.get(node)!));
        if (low.get(node) === index.get(node)) found.push(popUntil(node, stack, onStack));
      } else if (!index.has(target)) calls.push(enter(target));
      else if (onStack.has(target)) low.set(node, Math.min(low.get(node)!, index.get(target)!));
    }
  }
  return found;
}

function popUntil(node: string, stack: string[], onStack: Set<string>): string[] {
  const component = stack.splice(stack.lastIndexOf(node));
  for (const name of component) onStack.delete(name);
  return component;
}
