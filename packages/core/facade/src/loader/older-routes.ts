import { pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import { toCamelCase } from './object-shape.ts';
import { OUTCOMES, ROUTE_KEYS } from './route-shape.ts';
import { entryOf, isText, type SourceEntry, type SourceList, type SourceMap, type SourceNode } from './source-node.ts';

const DEFAULT = 'default';

/**
 * What may stand for the routes of a node, as a list of routes: a target, one route, a map from outcome or condition to
 * target in which `default` comes last wherever it stands. Anything else is given back as it is, for the shape to refuse.
 */
export function targetsToRoutes(node: SourceNode, pointer: string, conversion: Conversion): SourceNode {
  if (isText(node)) return listOf(node.at, [routeTo(node, node.at)]);
  if (node.kind === 'map') return listOf(node.at, isRoute(node) ? [node] : conditionsToRoutes(node));
  if (node.kind !== 'list' || node.items.length === 0 || !node.items.every(isText)) return node;
  if (node.items.length === 1) return listOf(node.at, [routeTo(node, node.at)]);
  const message = 'Several targets without a condition: all of them, or one of them?';
  conversion.fault('AmbiguousRoutes', pointer, message, { at: node.at, hint: FORK_OR_CHOICE });
  return { kind: 'broken', at: node.at };
}

const FORK_OR_CHOICE = 'For branches side by side write one route with `to: [a, b]`; for a choice give conditions.';

function isRoute(map: SourceMap): boolean {
  return map.entries.some(({ key }) => ROUTE_KEYS.includes(key));
}

function conditionsToRoutes(map: SourceMap): SourceNode[] {
  const last = map.entries.filter(({ key }) => key === DEFAULT);
  const first = map.entries.filter(({ key }) => key !== DEFAULT);
  return [...first, ...last].map(({ key, keyAt, value }) => routeTo(value, keyAt, condition(key, keyAt)));
}

/** The name of an outcome, `default`, or an expression. */
function condition(word: string, at: number): SourceEntry[] {
  if (word === DEFAULT) return [];
  const value = { kind: 'scalar', at, value: word, raw: word, style: 'block' } as const;
  return [{ key: OUTCOMES.includes(word) ? 'on' : 'when', keyAt: at, value }];
}

function routeTo(target: SourceNode, at: number, conditions: readonly SourceEntry[] = []): SourceMap {
  return { kind: 'map', at, entries: [{ key: 'to', keyAt: at, value: target }, ...conditions] };
}

function listOf(at: number, items: readonly SourceNode[]): SourceList {
  return { kind: 'list', at, items };
}

/** `[{ from, to, condition? }]` by node, in the order written. Two ways out without a condition are refused: a fork or a choice? */
export function edgesToRoutes(
  edges: SourceEntry,
  pointer: string,
  conversion: Conversion,
): ReadonlyMap<string, SourceList> {
  const byNode = new Map<string, SourceMap[]>();
  conversion.mark(pointer, edges.value, edges.keyAt);
  if (edges.value.kind !== 'list') {
    conversion.wrong(edges.value, pointer, 'a list of { from, to }');
    return new Map();
  }
  edges.value.items.forEach((edge, index) => {
    const place = pointerTo(pointer, index);
    conversion.mark(place, edge);
    const from = edge.kind === 'map' ? entryOf(edge, 'from') : undefined;
    if (edge.kind !== 'map' || !isText(from?.value)) {
      conversion.fault('WrongType', place, 'An edge must be a map with `from` and `to` as texts.');
      return;
    }
    const routes = byNode.get(from.value.value) ?? [];
    const route = { ...edge, entries: edge.entries.filter(entry => entry !== from).flatMap(plainCondition) };
    if (isUnconditional(route) && routes.some(isUnconditional)) {
      const message = `Two edges lead from \`${from.value.value}\` without a condition.`;
      conversion.fault('AmbiguousRoutes', place, message, { hint: FORK_OR_CHOICE });
    } else routes.push(route);
    byNode.set(from.value.value, routes);
  });
  return new Map([...byNode].map(([node, routes]) => [node, listOf(routes[0]?.at ?? edges.keyAt, routes)]));
}

function plainCondition(entry: SourceEntry): SourceEntry[] {
  if (entry.key !== 'condition') return [entry];
  if (!isText(entry.value)) return [{ ...entry, key: 'when' }];
  const { value } = entry.value;
  if (value === DEFAULT) return [];
  return [{ ...entry, key: OUTCOMES.includes(value) ? 'on' : 'when' }];
}

function isUnconditional(route: SourceMap): boolean {
  return !route.entries.some(({ key }) => ['on', 'when', 'until', 'predicate'].includes(toCamelCase(key)));
}
