import { END, type GraphDefinition } from './definition.ts';
import { edgesFrom } from './flow.ts';

/**
 * For each node that can be reached from the entry: the nodes that every way to it leads through, itself included. So
 * they have surely been visited when it runs.
 */
export function dominatorsOf(graph: GraphDefinition): ReadonlyMap<string, ReadonlySet<string>> {
  const order = reversePostorder(graph);
  const position = new Map(order.map((node, index) => [node, index]));
  const before = predecessors(graph, order);
  const parent = new Map<string, string>([[graph.entry, graph.entry]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order.slice(1)) {
      const known = before.get(node)!.filter(from => parent.has(from));
      const nearest = known.reduce((a, b) => meet(a, b, parent, position));
      if (parent.get(node) === nearest) continue;
      parent.set(node, nearest);
      changed = true;
    }
  }
  const result = new Map<string, ReadonlySet<string>>();
  for (const node of order) {
    const above = node === graph.entry ? undefined : result.get(parent.get(node)!);
    result.set(node, new Set([...(above ?? []), node]));
  }
  return result;
}

function meet(
  a: string,
  b: string,
  parent: ReadonlyMap<string, string>,
  position: ReadonlyMap<string, number>,
): string {
  let [left, right] = [a, b];
  while (left !== right) {
    while (position.get(left)! > position.get(right)!) left = parent.get(left)!;
    while (position.get(right)! > position.get(left)!) right = parent.get(right)!;
  }
  return left;
}

function predecessors(graph: GraphDefinition, order: readonly string[]): Map<string, string[]> {
  const before = new Map<string, string[]>(order.map(node => [node, []]));
  for (const from of order) for (const { to } of edgesFrom(graph, from)) before.get(to)?.push(from);
  return before;
}

/** Without recursion, so that a chain of any length is walked. */
function reversePostorder(graph: GraphDefinition): string[] {
  if (!Object.hasOwn(graph.nodes, graph.entry)) return [];
  const order: string[] = [];
  const seen = new Set([graph.entry]);
  const stack = [{ node: graph.entry, next: targetsOf(graph, graph.entry) }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const to = top.next.pop();
    if (to === undefined) {
      order.push(top.node);
      stack.pop();
    } else if (!seen.has(to)) {
      seen.add(to);
      stack.push({ node: to, next: targetsOf(graph, to) });
    }
  }
  return order.reverse();
}

function targetsOf(graph: GraphDefinition, node: string): string[] {
  return edgesFrom(graph, node)
    .map(edge => edge.to)
    .filter(to => to !== END);
}
