import type { GraphDefinition } from '@signalbox/kernel';
import type { TextFormat } from './parse-source.ts';
import { writeText } from './write-text.ts';

export interface ExportGraphOptions {
  /** Written as the file's `version:`, which is for people and no part of the definition. */
  readonly version?: string;
}

/**
 * The text of a definition: what `loadGraph` reads from it is that definition again, hence the same version hash.
 * Non-ASCII stays readable; in YAML a text is quoted wherever YAML 1.2 or 1.1 would take it for something else.
 */
export function exportGraph(definition: GraphDefinition, format: TextFormat, options: ExportGraphOptions = {}): string {
  const { version } = options;
  const { name, ...rest } = definition;
  const whole = { name, ...(version === undefined ? {} : { version }), ...rest };
  return writeText(format === 'json' ? whole : withShortRoutes(whole), format);
}

/** `to: reply` instead of a list of one. */
function withShortRoutes(graph: GraphDefinition): object {
  const routes = mapValues(graph.routes, list =>
    list.map(({ to, ...route }) => ({ to: to.length === 1 ? to[0] : to, ...route })),
  );
  return {
    ...graph,
    routes,
    ...(graph.graphs === undefined ? {} : { graphs: mapValues(graph.graphs, withShortRoutes) }),
  };
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));
}
