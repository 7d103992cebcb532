import type { Graph, NodeType } from '@signalbox/core';
import type { KeyRing } from '@signalbox/ports';
import { keysAt } from '../box/keys-at.ts';
import type { Cli } from '../cli.ts';
import { fileOf, graphsOfFile } from '../graphs/find-graph.ts';

/** The code that this build has. */
export interface Build {
  readonly graphs: readonly Graph[];
  /** By handler key. */
  readonly handlers: ReadonlyMap<string, NodeType['handler']>;
  /** Of the database that the runs are in. */
  readonly keys: KeyRing;
}

/** Of the configuration and of graph files given beside it. */
export async function buildOf(cli: Cli, files: readonly string[]): Promise<Build> {
  const { types = [] } = await cli.config();
  const graphs: Graph[] = [...(await cli.graphs())];
  for (const reference of files) {
    const { file, path } = fileOf(cli.io.cwd, reference) ?? { file: reference, path: reference };
    graphs.push(...(await graphsOfFile(file, path, types)));
  }
  const handlers = new Map(types.map(({ key, handler }) => [key, handler]));
  for (const graph of graphs) for (const [key, handler] of graph.handlers) handlers.set(key, handler);
  return { graphs, handlers, keys: keysAt(await cli.storePath(), cli.io.env) };
}
