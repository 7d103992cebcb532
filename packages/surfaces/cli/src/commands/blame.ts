import { type GraphDefinition, SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { type BlameRow, blame, parseStatePath, principalText, readCommits, shown } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { type Part, styled } from '../output/output.ts';
import { findRun } from '../report/find-run.ts';
import { storedDefinition } from '../report/load-report.ts';
import { versionsOf } from '../report/stored-programs.ts';
import type { Act } from './command.ts';

interface BlameOptions {
  readonly token?: string;
}

export function registerBlame(program: Command, act: Act): void {
  program
    .command('blame')
    .argument('<run>', 'id of the run')
    .argument('<path>', 'a place in the state: amount, order.lines.0 or /trail/0')
    .description('every change of one place in the state, newest last')
    .option('--token <token>', 'of this branch, item or subgraph (default: the run’s own)')
    .action(act(show));
}

async function show(cli: Cli, given: string, path: string, { token }: BlameOptions): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const { key } = parseStatePath(path);
    await assertKey(store, runId, key);
    const rows = blame(readCommits(store, runId), path, token);
    if (cli.json) await cli.out.jsonList({ runId, path }, 'changes', rows);
    else await print(cli, key, rows);
    return DONE;
  });
}

/** @throws SignalboxError `UnknownStateKey` */
async function assertKey(store: EventStore, runId: string, key: string): Promise<void> {
  const keys = new Set<string>();
  for (const version of await versionsOf(store, runId)) {
    const definition = await storedDefinition(store, version);
    // What cannot be read says nothing against the key.
    if (definition === undefined) return;
    for (const name of keysOf(definition)) keys.add(name);
  }
  if (keys.has(key)) return;
  throw new SignalboxError('UnknownStateKey', `The state has no key "${key}".`, {
    hint: keys.size === 0 ? 'The graph declares no state.' : `It has ${[...keys].sort().join(', ')}.`,
    details: { key, keys: [...keys].sort() },
  });
}

function keysOf({ state, graphs = {} }: GraphDefinition): readonly string[] {
  return [...Object.keys(state), ...Object.values(graphs).flatMap(keysOf)];
}

async function print({ out }: Cli, key: string, rows: AsyncIterable<BlameRow>): Promise<void> {
  let count = 0;
  for await (const row of rows) {
    out.line(...partsOf(row));
    count += 1;
  }
  if (count === 0) out.line(`Nothing was written there; "${key}" is a key of the state.`);
}

function partsOf(row: BlameRow): Part[] {
  const side = (name: 'old' | 'new') => (Object.hasOwn(row, name) ? shown(row[name]) : '(absent)');
  return [
    styled('dim', `${String(row.seq).padStart(5)}  ${row.at}  `),
    styled('cyan', row.source),
    `  ${principalText(row.actor)}  ${row.op === 'stand' ? row.what : row.op}: ${side('old')} → ${side('new')}`,
  ];
}
