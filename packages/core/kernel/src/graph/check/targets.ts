import { type Fault, pointerTo } from '../../error/fault.ts';
import { END, type GraphDefinition } from '../definition.ts';
import { nodeOf, routesOf } from '../flow.ts';
import { type Check, type CheckContext, eachNode, type PlacedNode, routePointer } from './context.ts';
import { errorAt, hintFor, warningAt } from './fault.ts';

/** `UnknownNode`: a name that leads nowhere, wherever nodes are named. */
export const checkEntry: Check = ({ graph, pointer }) =>
  graph.entry === '' ? [] : unknownNode(graph, graph.entry, `${pointer}/entry`);

/** `UnknownNode`, `DuplicateTarget`. */
export const checkRouteTargets: Check = context =>
  Object.entries(context.graph.routes).flatMap(([from, routes]) => [
    ...unknownNode(context.graph, from, pointerTo(`${context.pointer}/routes`, from)),
    ...routes.flatMap(({ to }, index) => checkTargets(context, to, `${routePointer(context, from, index)}/to`)),
  ]);

function checkTargets({ graph }: CheckContext, to: readonly string[], pointer: string): Fault[] {
  return to.flatMap((target, index) => {
    const place = to.length > 1 ? `${pointer}/${index}` : pointer;
    if (to.indexOf(target) < index) {
      const hint = 'To do one thing several times at once, use a `map` node.';
      return [errorAt(place, 'DuplicateTarget', `\`${target}\` is a target of this route already.`, hint)];
    }
    return target === END ? [] : unknownNode(graph, target, place, [END]);
  });
}

/** `UnknownNode`, `NextWithoutRoute`, `FallbackCycle`, `NotInBody`. */
export const checkNamedNodes: Check = eachNode((placed, context) => {
  const { node, pointer, isBody } = placed;
  if (isBody) return checkBodyNode(placed);
  const fallback = node.fallback?.node;
  return [
    ...(fallback === undefined ? [] : checkFallback(context.graph, placed, fallback)),
    ...(node.next ?? []).flatMap((name, index) => checkNext(context, placed, name, `${pointer}/next/${index}`)),
  ];
});

function checkFallback(graph: GraphDefinition, { name, pointer }: PlacedNode, fallback: string): Fault[] {
  const place = `${pointer}/fallback/node`;
  const unknown = unknownNode(graph, fallback, place);
  if (unknown.length > 0) return unknown;
  const seen = new Set([name]);
  for (let at: string | undefined = fallback; at !== undefined; at = nodeOf(graph, at)?.fallback?.node) {
    if (at === name) return [errorAt(place, 'FallbackCycle', `\`${name}\` would stand in for itself.`)];
    if (seen.has(at)) return [];
    seen.add(at);
  }
  return [];
}

function checkNext({ graph }: CheckContext, { name }: PlacedNode, next: string, pointer: string): Fault[] {
  const unknown = next === END ? [] : unknownNode(graph, next, pointer, [END]);
  if (unknown.length > 0 || routesOf(graph, name).some(route => route.to.includes(next))) return unknown;
  const message = `\`${name}\` may wish for \`${next}\`, but has no route to it; the wish would fail the node.`;
  return [errorAt(pointer, 'NextWithoutRoute', message, `Add a route from \`${name}\` to \`${next}\`.`)];
}

/** The body of a map stands alone: there is nothing beside it to go to. */
function checkBodyNode({ node, pointer }: PlacedNode): Fault[] {
  const keys = ['join', 'next', 'restartTargets'] as const;
  const used = keys.filter(key => node[key] !== undefined).map(key => `${pointer}/${key}`);
  if (node.fallback?.node !== undefined) used.push(`${pointer}/fallback/node`);
  if (node.type === 'join') used.push(`${pointer}/type`);
  const message = 'The body of a map is one node; there is nothing beside it to come from or to go to.';
  return used.map(place => errorAt(place, 'NotInBody', message, 'Use a graph as body.'));
}

/** `UnknownGraph`, `UnusedGraph`. */
export const checkGraphNames: Check = context => {
  const { graph, pointer } = context;
  const known = Object.keys(graph.graphs ?? {});
  const used = new Set<string>();
  const unknown = eachNode(({ node, pointer: at }) => {
    const isBody = node.type === 'map' && 'graph' in node.body;
    const name = node.type === 'subgraph' ? node.graph : isBody ? (node.body as { graph: string }).graph : undefined;
    if (name === undefined) return [];
    used.add(name);
    if (known.includes(name)) return [];
    const hint = hintFor(name, known) ?? 'Put it into `graphs` under this name.';
    return [
      errorAt(
        `${at}${isBody ? '/body' : ''}/graph`,
        'UnknownGraph',
        `There is no graph \`${name}\` in \`graphs\`.`,
        hint,
      ),
    ];
  })(context);
  const unused = known.filter(name => !used.has(name));
  return [
    ...unknown,
    ...unused.map(name =>
      warningAt(pointerTo(`${pointer}/graphs`, name), 'UnusedGraph', `No node runs the graph \`${name}\`.`),
    ),
  ];
};

function unknownNode(graph: GraphDefinition, name: string, pointer: string, also: readonly string[] = []): Fault[] {
  if (nodeOf(graph, name) !== undefined) return [];
  const hint = hintFor(name, [...Object.keys(graph.nodes), ...also]);
  return [errorAt(pointer, 'UnknownNode', `There is no node \`${name}\`.`, hint)];
}
