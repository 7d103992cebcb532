import { existsSync } from 'node:fs';
import type { Graph } from '@signalbox/core';
import type { GraphDefinition } from '@signalbox/kernel';
import type { Cli } from '../cli.ts';
import { storedDefinition } from '../report/load-report.ts';
import { fileOf, graphOfFile, unknownGraph } from './find-graph.ts';
import { presentVersion, storedVersion } from './versions.ts';

export interface NamedDefinition {
  readonly definition: GraphDefinition;
  readonly hash: string;
}

/** The graph that a file holds or the configuration names; undefined when only the store can know it. */
export async function graphInHand(cli: Cli, reference: string): Promise<Graph | undefined> {
  const file = fileOf(cli.io.cwd, reference);
  if (file === undefined) return (await cli.graphs()).find(({ name }) => name === reference);
  const { types = [] } = await cli.config();
  return await graphOfFile(file, types);
}

/**
 * A definition by file or name; with `version` that one of the store.
 *
 * @throws SignalboxError `UnknownGraph`, `UnknownVersion`, `InvalidGraph`
 */
export async function namedDefinition(cli: Cli, reference: string, version?: string): Promise<NamedDefinition> {
  const graph = await graphInHand(cli, reference);
  if (graph !== undefined && (version === undefined || version === graph.versionHash))
    return { definition: graph.definition, hash: graph.versionHash };
  const name = graph?.name ?? reference;
  const unknown = async () =>
    unknownGraph(
      name,
      (await cli.graphs()).map(known => known.name),
      (await cli.config()).path !== undefined,
    );
  if (version === undefined && !existsSync(await cli.storePath())) throw await unknown();
  return await cli.withStore(async store => {
    const hash =
      version === undefined ? await presentVersion(cli, store, name) : await storedVersion(cli, store, name, version);
    const definition = hash === undefined ? undefined : await storedDefinition(store, hash);
    if (hash === undefined || definition === undefined) throw await unknown();
    return { definition, hash };
  });
}
