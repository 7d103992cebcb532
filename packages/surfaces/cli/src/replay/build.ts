import type { Graph } from '@signalbox/core';
import type { GraphCode } from '@signalbox/kernel';
import type { Cli } from '../cli.ts';
import { fileOf, graphsOfFile } from '../graphs/find-graph.ts';

/** The code that this build has, by handler key and by graph. */
export interface Build {
  readonly handlers: ReadonlySet<string>;
  readonly code: ReadonlyMap<string, GraphCode>;
}

/** Of the configuration and of graph files given beside it. */
export async function buildOf(cli: Cli, files: readonly string[]): Promise<Build> {
  const { types = [] } = await cli.config();
  const graphs: Graph[] = [...(await cli.graphs())];
  for (const reference of files) {
    const { file, path } = fileOf(cli.io.cwd, reference) ?? { file: reference, path: reference };
    graphs.push(...(await graphsOfFile(file, path, types)));
  }
  return {
    handlers: new Set([...types.map(({ key }) => key), ...graphs.flatMap(graph => [...graph.handlers.keys()])]),
    code: new Map(graphs.map(graph => [graph.name, graph.code])),
  };
}
