import { pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import { toCamelCase } from './object-shape.ts';
import { nodesFromList, placeParams } from './older-nodes.ts';
import { edgesToRoutes, targetsToRoutes } from './older-routes.ts';
import { entryOf, isText, type SourceEntry, type SourceList, type SourceMap, type SourceNode } from './source-node.ts';

/** Routes of one node as one part of the text gives them. */
interface RouteSource {
  readonly node: string;
  readonly keyAt: number;
  /** In words, for messages. */
  readonly where: string;
  readonly routes: SourceNode;
}

type ToRoutes = (node: string, value: SourceNode) => SourceNode;

/**
 * Brings the older forms of a graph into the present one, every part with the place it had: nodes as a list with `params`
 * and `route_to`, `edges`, `next` that names targets, maps from condition to target, the first of listed nodes as entry.
 * The forms may be mixed as long as no node's routes are said twice in different ways.
 */
export function bringUpToDate(graph: SourceMap, pointer: string, conversion: Conversion): SourceMap {
  const written = entryOf(graph, 'nodes');
  const listed = written?.value.kind === 'list';
  const nodes = listed
    ? nodesFromList(written.value as SourceList, pointerTo(pointer, 'nodes'), conversion)
    : written?.value;
  const place = pointerTo(pointer, 'routes');
  const toRoutes = (node: string, value: SourceNode) => targetsToRoutes(value, pointerTo(place, node), conversion);
  const sources: RouteSource[] = [...routesAsWritten(graph, toRoutes), ...routesOfEdges(graph, pointer, conversion)];
  const cleaned =
    nodes?.kind === 'map'
      ? { ...nodes, entries: nodes.entries.map(node => takeRoutes(node, sources, toRoutes)) }
      : nodes;
  const entries = graph.entries
    .filter(entry => !['edges', 'routes'].includes(entry.key))
    .map(entry => (entry === written && cleaned !== undefined ? { ...entry, value: cleaned } : entry));
  const routes = entryOf(graph, 'routes');
  if (routes !== undefined && routes.value.kind !== 'map') entries.push(routes);
  else if (routes !== undefined || sources.length > 0) entries.push(mergeRoutes(sources, routes, pointer, conversion));
  return { ...graph, entries: listed ? withEntry(entries, cleaned) : entries };
}

function routesAsWritten(graph: SourceMap, toRoutes: ToRoutes): RouteSource[] {
  const routes = entryOf(graph, 'routes')?.value;
  if (routes?.kind !== 'map') return [];
  return routes.entries.map(({ key, keyAt, value }) => ({
    node: key,
    keyAt,
    where: `routes.${key}`,
    routes: toRoutes(key, value),
  }));
}

function routesOfEdges(graph: SourceMap, pointer: string, conversion: Conversion): RouteSource[] {
  const edges = entryOf(graph, 'edges');
  if (edges === undefined) return [];
  const byNode = edgesToRoutes(edges, pointerTo(pointer, 'edges'), conversion);
  return [...byNode].map(([node, routes]) => ({ node, keyAt: routes.at, where: 'edges', routes }));
}

/** The node without what it says of routes, which goes to `sources`. A list under `next` is what a handler may wish for. */
function takeRoutes(entry: SourceEntry, sources: RouteSource[], toRoutes: ToRoutes): SourceEntry {
  if (entry.value.kind !== 'map') return entry;
  const rest: SourceEntry[] = [];
  for (const member of entry.value.entries) {
    const key = toCamelCase(member.key);
    if (key === 'routeTo' || (key === 'next' && member.value.kind !== 'list')) {
      const routes = toRoutes(entry.key, member.value);
      sources.push({ node: entry.key, keyAt: member.keyAt, where: `${entry.key}.${member.key}`, routes });
    } else rest.push(member);
  }
  return { ...entry, value: placeParams({ ...entry.value, entries: rest }) };
}

function mergeRoutes(
  sources: readonly RouteSource[],
  routes: SourceEntry | undefined,
  pointer: string,
  conversion: Conversion,
): SourceEntry {
  const chosen = new Map<string, RouteSource>();
  for (const source of sources) {
    const earlier = chosen.get(source.node);
    if (earlier === undefined) chosen.set(source.node, source);
    else if (saying(earlier.routes) !== saying(source.routes)) {
      const place = pointerTo(pointerTo(pointer, 'routes'), source.node);
      const message = `\`${earlier.where}\` and \`${source.where}\` say different things of where \`${source.node}\` leads.`;
      conversion.fault('ContradictoryRoutes', place, message, { at: source.keyAt, hint: 'Keep one of them.' });
    }
  }
  const at = routes?.keyAt ?? sources[0]?.keyAt ?? 0;
  const entries = [...chosen.values()].map(({ node, keyAt, routes: value }) => ({ key: node, keyAt, value }));
  return { key: 'routes', keyAt: at, value: { kind: 'map', at: routes?.value.at ?? at, entries } };
}

/** What a part of the text says, wherever and in whatever order of keys it says it. */
function saying(node: SourceNode): string {
  if (node.kind === 'scalar') return JSON.stringify(node.value);
  if (node.kind === 'list') return `[${node.items.map(saying).join()}]`;
  if (node.kind === 'broken') return 'broken';
  const members = node.entries.map(
    ({ key, value }) => `${JSON.stringify(toCamelCase(key))}:${saying(oneAsList(key, value))}`,
  );
  return `{${members.sort().join()}}`;
}

function oneAsList(key: string, value: SourceNode): SourceNode {
  return (key === 'to' || key === 'on') && isText(value) ? { kind: 'list', at: value.at, items: [value] } : value;
}

function withEntry(entries: readonly SourceEntry[], nodes: SourceNode | undefined): readonly SourceEntry[] {
  const first = nodes?.kind === 'map' ? nodes.entries[0] : undefined;
  if (first === undefined || entries.some(entry => entry.key === 'entry')) return entries;
  const value = { kind: 'scalar', at: first.keyAt, value: first.key, raw: first.key, style: 'plain' } as const;
  return [...entries, { key: 'entry', keyAt: first.keyAt, value }];
}
