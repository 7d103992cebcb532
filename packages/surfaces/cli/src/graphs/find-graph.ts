import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Graph, NodeType } from '@signalbox/core';
import { closest, SignalboxError } from '@signalbox/kernel';
import type { LoadedConfig } from '../config/load-config.ts';
import { isGraphFileName, readGraphFile } from './graph-file.ts';

/** `support-desk.yaml`, `desk.ts`, `desk.ts#refund-desk`; a name without such an ending is a file only where one is there. */
export function fileOf(cwd: string, reference: string): { file: string; path: string; name?: string } | undefined {
  const hash = reference.lastIndexOf('#');
  const file = hash > 0 ? reference.slice(0, hash) : reference;
  const path = resolve(cwd, file);
  if (!isGraphFileName(file) && !statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return { file, path, ...(hash > 0 ? { name: reference.slice(hash + 1) } : {}) };
}

/** @throws SignalboxError `InvalidGraph` with all faults, `UnknownGraph`, `UnknownFile`, `ModuleFailed` */
export async function graphsOfFile(file: string, path: string, types: readonly NodeType[]): Promise<readonly Graph[]> {
  const { graphs, faults } = await readGraphFile(file, path, types);
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return graphs;
  const count = errors.length === 1 ? 'one fault' : `${errors.length} faults`;
  throw new SignalboxError('InvalidGraph', `${file} has ${count}.`, {
    hint: `See \`signalbox graph check ${file}\`.`,
    details: { faults: faults.map(fault => ({ ...fault })) },
  });
}

/** The one graph that a reference to a file means. */
export async function graphOfFile(
  { file, path, name }: { readonly file: string; readonly path: string; readonly name?: string },
  types: readonly NodeType[],
): Promise<Graph> {
  const graphs = await graphsOfFile(file, path, types);
  const chosen = name === undefined ? graphs : graphs.filter(graph => graph.name === name);
  if (chosen.length === 1) return chosen[0]!;
  const names = graphs.map(graph => `${file}#${graph.name}`).join(', ');
  throw new SignalboxError(
    'UnknownGraph',
    name === undefined ? `${file} has several graphs.` : `${file} has no graph "${name}".`,
    { hint: `Name one: ${names}.` },
  );
}

/** The graphs of a configuration, its graph files read. */
export async function configuredGraphs({ graphs = [], types = [], folder }: LoadedConfig): Promise<readonly Graph[]> {
  const found: Graph[] = [];
  for (const graph of graphs)
    if (typeof graph !== 'string') found.push(graph);
    else found.push(...(await graphsOfFile(graph, resolve(folder, graph), types)));
  return found;
}

export function unknownGraph(name: string, known: readonly string[], hasConfig: boolean): SignalboxError {
  const meant = closest(name, known);
  const listed = known.length === 0 ? '' : `Known are ${[...known].sort().join(', ')}. `;
  const config = hasConfig ? '' : 'There is no signalbox.config.ts here; ';
  return new SignalboxError('UnknownGraph', `There is no graph "${name}".`, {
    hint:
      meant === undefined
        ? `${listed}${config}${config === '' ? 'A' : 'a'} graph file works too: signalbox run graph.yaml`
        : `Did you mean "${meant}"? ${listed}`.trim(),
    details: { graph: name },
  });
}
