import { existsSync } from 'node:fs';
import { commitTime } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { Labels } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import type { Act } from './command.ts';

interface VersionRow {
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  /** The configuration brings it. */
  readonly configured: boolean;
  /** When it was stored; null where it is not in the store yet. */
  readonly storedAt: string | null;
}

export function registerGraphList(graph: Command, act: Act): void {
  graph
    .command('list')
    .description('graphs of the configuration and of the store, with versions and labels')
    .action(act(list));
}

async function list(cli: Cli): Promise<number> {
  const known = existsSync(await cli.storePath()) ? await cli.withStore(store => storedRows(store, cli.tenant)) : [];
  const configured = (await cli.graphs()).map(({ name, versionHash }) => ({ name, version: versionHash }));
  const rows: VersionRow[] = known.map(row => ({
    ...row,
    configured: configured.some(({ version }) => version === row.version),
  }));
  for (const { name, version } of configured)
    if (!known.some(row => row.version === version))
      rows.push({ name, version, labels: [], configured: true, storedAt: null });
  if (cli.json) cli.out.json({ graphs: rows });
  else print(cli, rows);
  return DONE;
}

async function storedRows(store: EventStore, tenant: string): Promise<Omit<VersionRow, 'configured'>[]> {
  const labels = await new Labels(store, () => Date.now()).list(tenant);
  const documents = await store.documents('graph');
  return documents.map(({ name, hash, createdAt }) => ({
    name,
    version: hash,
    labels: labels.filter(label => label.name === name && label.hash === hash).map(({ label }) => label),
    storedAt: commitTime(createdAt),
  }));
}

function print({ out }: Cli, rows: readonly VersionRow[]): void {
  if (rows.length === 0) {
    out.line('No graphs.');
    return;
  }
  const cells = rows.map(({ name, version, labels, configured, storedAt }) => [
    name,
    version.slice(0, 12),
    labels.join(', '),
    configured ? 'yes' : '',
    storedAt ?? 'not yet',
  ]);
  for (const parts of columns(['GRAPH', 'VERSION', 'LABELS', 'HERE', 'STORED'], cells)) out.line(...parts);
}
