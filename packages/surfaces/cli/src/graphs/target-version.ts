import type { Graph } from '@signalbox/core';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { fileOf, graphOfFile } from './find-graph.ts';
import { isGraphFileName } from './graph-file.ts';
import { storeGraph, versionNamed } from './versions.ts';

/** The version that a run is to go on with. */
export interface TargetVersion {
  /** Where a file brings it: code that the run needs from then on. */
  readonly files: readonly string[];
  /** Its hash; what a file or the configuration brings is put into the store. */
  hashIn(opened: CommandBox, graphName: string): Promise<string>;
}

/** @param reference a hash, its beginning, a label, or a graph file. @throws SignalboxError as `graphOfFile` does */
export async function targetVersion(cli: Cli, reference: string): Promise<TargetVersion> {
  const file = isGraphFileName(reference.replace(/#[^#]*$/, '')) ? fileOf(cli.io.cwd, reference) : undefined;
  if (file === undefined)
    return { files: [], hashIn: ({ box, graphs }, name) => versionNamed(cli, box, graphs, name, reference) };
  const { types = [] } = await cli.config();
  const graph: Graph = await graphOfFile(file, types);
  cli.needs(reference);
  const hashIn = async ({ box }: CommandBox) => {
    await storeGraph(box.store, graph);
    return graph.versionHash;
  };
  return { files: [reference], hashIn };
}
