import { type Fault, pointerTo } from '../error/fault.ts';
import type { GraphDefinition } from './definition.ts';
import type { GraphCode } from './program.ts';

/** A graph that decides by code of the process cannot be moved to another one. */
export function usesPredicates(graph: GraphDefinition): boolean {
  return predicatesOf(graph, '').length > 0;
}

/** `UnknownPredicate` for each key that the code does not have. */
export function checkPredicates(graph: GraphDefinition, code: GraphCode | undefined): Fault[] {
  return predicatesOf(graph, '')
    .filter(({ key }) => !code?.predicates?.has(key))
    .map(({ key, pointer }) => ({
      code: 'UnknownPredicate',
      severity: 'error' as const,
      pointer,
      message: `There is no predicate \`${key}\` here.`,
      hint: 'Load the graph with the code that defines it, or write the guard as CEL in `when`.',
    }));
}

function predicatesOf(graph: GraphDefinition, pointer: string): { key: string; pointer: string }[] {
  const own = Object.entries(graph.routes).flatMap(([node, routes]) =>
    routes.flatMap(({ predicate }, index) => {
      const place = `${pointerTo(`${pointer}/routes`, node)}/${index}/predicate`;
      return predicate === undefined ? [] : [{ key: predicate, pointer: place }];
    }),
  );
  const inner = Object.entries(graph.graphs ?? {}).flatMap(([name, graph]) =>
    predicatesOf(graph, pointerTo(`${pointer}/graphs`, name)),
  );
  return [...own, ...inner];
}
