import type { Graph, Signalbox } from '@signalbox/core';
import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { ACTIVE } from '@signalbox/runtime';
import type { Cli } from '../cli.ts';

/**
 * The full hash of a version of a graph, by its label, its hash or the beginning of its hash (six digits at least).
 *
 * @throws SignalboxError `UnknownVersion`
 */
export async function storedVersion(
  { tenant }: Pick<Cli, 'tenant'>,
  store: EventStore,
  name: string,
  reference: string,
): Promise<string> {
  const labelled = await store.label(tenant, 'graph', name, reference);
  if (labelled !== undefined) return labelled;
  const documents = await store.documents('graph', name);
  const found = /^[0-9a-f]{6,64}$/.test(reference) ? documents.filter(({ hash }) => hash.startsWith(reference)) : [];
  if (found.length === 1) return found[0]!.hash;
  throw new SignalboxError(
    'UnknownVersion',
    found.length === 0
      ? `Graph "${name}" has no version "${reference}" in the store.`
      : `Several versions of graph "${name}" begin with ${reference}.`,
    { hint: 'See `signalbox graph list`.', details: { graph: name, version: reference } },
  );
}

/** As {@link storedVersion}; a version that a file or the configuration brings is put into the store. */
export async function versionNamed(
  cli: Pick<Cli, 'tenant'>,
  { store }: Pick<Signalbox, 'store'>,
  graphs: ReadonlyMap<string, Graph>,
  name: string,
  reference: string,
): Promise<string> {
  const graph = graphs.get(name);
  if (graph !== undefined) await storeGraph(store, graph);
  return await storedVersion(cli, store, name, reference);
}

/** Puts a definition into the store, as the first run of its version would. */
export async function storeGraph(store: EventStore, { name, versionHash, definition }: Graph): Promise<void> {
  if ((await store.document('graph', versionHash)) !== undefined) return;
  const document = {
    kind: 'graph',
    name,
    hash: versionHash,
    createdAt: Date.now(),
    text: JSON.stringify(definition),
  };
  await store.commit({ appends: [], documents: [document] }, { sync: true });
}

/** The version that is active, else the one stored last. */
export async function presentVersion(
  { tenant }: Pick<Cli, 'tenant'>,
  store: EventStore,
  name: string,
): Promise<string | undefined> {
  const active = await store.label(tenant, 'graph', name, ACTIVE);
  return active ?? (await store.documents('graph', name)).at(-1)?.hash;
}
