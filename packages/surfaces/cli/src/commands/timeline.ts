import { readCommits, type TimelineRow, timeline } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { type Part, styled } from '../output/output.ts';
import { findRun } from '../report/find-run.ts';
import type { Act } from './command.ts';

export function registerTimeline(program: Command, act: Act): void {
  program
    .command('timeline')
    .argument('<run>', 'id of the run')
    .description('who did and wrote what, oldest first')
    .action(act(show));
}

async function show(cli: Cli, given: string): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const rows = timeline(readCommits(store, runId));
    if (cli.json) await cli.out.jsonList({ runId }, 'rows', rows);
    else for await (const row of rows) cli.out.line(...partsOf(row));
    return DONE;
  });
}

function partsOf({ seq, at, actor, text, token }: TimelineRow): Part[] {
  const where = token === null || token === '' ? '' : `[${token}] `;
  return [styled('dim', `${String(seq).padStart(5)}  ${at}  `), styled('cyan', actor), `  ${where}${text}`];
}
