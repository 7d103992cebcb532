import { END, type GraphDefinition, type NodeDefinition, type RouteDefinition } from './definition.ts';
import { isJoin, routesOf } from './flow.ts';

const LONGEST_LABEL = 40;

/** Shapes tell the kinds apart: a question is a hexagon, a join a circle, work a box, a wait a stadium. */
const BRACKETS: Readonly<Record<NodeDefinition['type'] | 'closing', readonly [string, string]>> = {
  step: ['[', ']'],
  transform: ['[/', '/]'],
  ask: ['{{', '}}'],
  wait: ['([', '])'],
  map: ['[[', ']]'],
  subgraph: ['[[', ']]'],
  join: ['((', '))'],
  fail: ['>', ']'],
  closing: ['((', '))'],
};

/**
 * The graph as a Mermaid flowchart, for people: nodes by title or name, routes with their guards (shortened) and
 * outcomes, forks as thick lines, stand-ins as dotted ones. Texts of the definition cannot break out of their labels.
 */
export function toMermaid(graph: GraphDefinition): string {
  const ids = new Map(Object.keys(graph.nodes).map((name, index) => [name, `n${index}`]));
  const lines = ['flowchart TD', '  start([start])'];
  for (const [name, node] of Object.entries(graph.nodes)) lines.push(`  ${ids.get(name)}${shape(name, node)}`);
  const edges = [
    ...(ids.has(graph.entry) ? [`  start --> ${ids.get(graph.entry)}`] : []),
    ...[...ids].flatMap(([name, id]) => routesOf(graph, name).flatMap(route => routeLines(id, route, ids))),
    ...[...ids].flatMap(([name, id]) => fallbackLines(id, graph.nodes[name]!, ids)),
  ];
  if (edges.some(line => line.endsWith(` ${END_ID}`))) lines.push(`  ${END_ID}([end])`);
  return `${[...lines, ...edges].join('\n')}\n`;
}

const END_ID = 'finish';

function shape(name: string, node: NodeDefinition): string {
  const [open, close] = BRACKETS[node.type === 'transform' && isJoin(node) ? 'closing' : node.type];
  const join = isJoin(node) ? ` (${joinLabel(node)})` : '';
  const title = node.title === undefined || node.title === name ? name : `${node.title} · ${name}`;
  return `${open}"${escaped(shortened(title) + join)}"${close}`;
}

function joinLabel({ join = 'all' }: NodeDefinition): string {
  return typeof join === 'object' ? `join ${join.count}` : `join ${join}`;
}

function routeLines(from: string, route: RouteDefinition, ids: ReadonlyMap<string, string>): string[] {
  const arrow = route.to.length > 1 ? '==>' : '-->';
  const label = routeLabel(route);
  const text = label === '' ? '' : `|"${escaped(label)}"|`;
  return route.to.flatMap(to => {
    const id = to === END ? END_ID : ids.get(to);
    return id === undefined ? [] : [`  ${from} ${arrow}${text} ${id}`];
  });
}

function routeLabel({ on, when, predicate }: RouteDefinition): string {
  const guard = when ?? (predicate === undefined ? undefined : `${predicate}()`);
  return [on?.join(', '), guard === undefined ? undefined : shortened(guard)]
    .filter(part => part !== undefined)
    .join(': ');
}

function fallbackLines(from: string, { fallback }: NodeDefinition, ids: ReadonlyMap<string, string>): string[] {
  const to = fallback?.node === undefined ? undefined : ids.get(fallback.node);
  return to === undefined ? [] : [`  ${from} -.->|"fallback"| ${to}`];
}

/** By code points, so that no character is cut in two. */
function shortened(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length <= LONGEST_LABEL
    ? characters.join('')
    : `${characters.slice(0, LONGEST_LABEL - 1).join('')}…`;
}

/** Everything that means something to Mermaid, Markdown or HTML becomes an entity by number. */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} ,.:()=+/·…-]/gu, character => `#${character.codePointAt(0)};`);
}
