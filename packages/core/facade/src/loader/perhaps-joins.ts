import { checkDefinition, type Fault, type GraphDefinition, type JoinMode } from '@signalbox/kernel';
import { type Conversion, graphOf } from './conversion.ts';

/** Faults that speak of which nodes close what. */
export const OF_JOINS: ReadonlySet<string> = new Set([
  ...['ForkWithTwoJoins', 'ForkWithoutJoin', 'JoinOutOfReach', 'JoinShared', 'JoinWithoutFork'],
  ...['RouteIntoScope', 'RouteOutOfScope', 'ConflictingWrites'],
]);

/**
 * What the kernel finds in a graph some of whose nodes are of an unknown type: of the faults that speak of joins only
 * those that are there whether these nodes are joins or not.
 */
export function checkWithDoubts(graph: GraphDefinition, conversion: Conversion): readonly Fault[] {
  const found = checkDefinition(graph);
  const asJoins = withJoins(graph, conversion.perhapsJoins);
  if (asJoins === undefined || !found.some(({ code }) => OF_JOINS.has(code))) return found;
  const otherwise = new Set(checkDefinition(asJoins).map(placeOf));
  return found.filter(fault => !OF_JOINS.has(fault.code) || otherwise.has(placeOf(fault)));
}

function placeOf({ code, pointer }: Fault): string {
  return `${code} ${pointer}`;
}

/** The body of a map is beside no other node, so it is none. */
function withJoins(graph: GraphDefinition, pointers: readonly string[]): GraphDefinition | undefined {
  if (pointers.length === 0) return undefined;
  const changed = structuredClone(graph);
  for (const pointer of pointers) {
    const [, ...within] = pointer.slice(graphOf(pointer).length).split('/');
    if (within.length !== 2 || within[0] !== 'nodes') continue;
    const node = nodeAt(changed, pointer);
    if (node !== undefined) node.join ??= 'all';
  }
  return changed;
}

function nodeAt(root: GraphDefinition, pointer: string): { join?: JoinMode } | undefined {
  let value: unknown = root;
  for (const token of pointer.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  return value as { join?: JoinMode } | undefined;
}
