import { type Principal, SignalboxError } from '@signalbox/kernel';
import { Labels } from '@signalbox/runtime';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { graphInHand } from '../graphs/named-graph.ts';
import { storedVersion, storeGraph } from '../graphs/versions.ts';

/** What `graph tag` and `graph activate` do. A version that only a file or the configuration has is stored first. */
export async function setLabel(
  cli: Cli,
  reference: string,
  label: string,
  version: string | undefined,
  by: Principal,
): Promise<number> {
  const graph = await graphInHand(cli, reference);
  const name = graph?.name ?? reference;
  if (graph === undefined && version === undefined)
    throw new SignalboxError('UnknownGraph', `There is no graph "${name}" in a file or in the configuration here.`, {
      hint: 'Name a stored version; see `signalbox graph list`.',
      details: { graph: name },
    });
  const use = graph === undefined ? cli.withStore.bind(cli) : cli.withNewStore.bind(cli);
  return await use(async store => {
    if (graph !== undefined) await storeGraph(store, graph);
    const hash = version === undefined ? graph!.versionHash : await storedVersion(cli, store, name, version);
    await new Labels(store, () => Date.now()).set(cli.tenant, name, label, hash, by);
    printLabel(cli, { name, label, version: hash });
    return DONE;
  });
}

export function printLabel(
  { json, out }: Cli,
  set: { readonly name: string; readonly label: string; readonly version: string },
): void {
  if (json) out.json(set);
  else out.line(`${set.name} ${set.label} → ${set.version}`);
}
