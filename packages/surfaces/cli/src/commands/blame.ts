import { type BlameRow, blame, principalText, readCommits, shown } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { type Part, styled } from '../output/output.ts';
import { assertRun } from '../report/assert-run.ts';
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

async function show(cli: Cli, runId: string, path: string, { token }: BlameOptions): Promise<number> {
  return await cli.withStore(async store => {
    await assertRun(store, runId);
    const rows = blame(readCommits(store, runId), path, token);
    if (cli.json) await cli.out.jsonList({ runId, path }, 'changes', rows);
    else for await (const row of rows) cli.out.line(...partsOf(row));
    return DONE;
  });
}

function partsOf(row: BlameRow): Part[] {
  const side = (name: 'old' | 'new') => (Object.hasOwn(row, name) ? shown(row[name]) : '(absent)');
  return [
    styled('dim', `${String(row.seq).padStart(5)}  ${row.at}  `),
    styled('cyan', row.source),
    `  ${principalText(row.actor)}  ${row.op === 'stand' ? row.what : row.op}: ${side('old')} → ${side('new')}`,
  ];
}
