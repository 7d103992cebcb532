import type { Commit } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { commitsFrom, type EventRow, eventRows, principalText, shown } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { styled } from '../output/output.ts';
import { readSeq } from '../read-argument.ts';
import { findRun } from '../report/find-run.ts';
import type { Act } from './command.ts';

interface EventsOptions {
  readonly from: string;
}

export function registerEvents(program: Command, act: Act): void {
  program
    .command('events')
    .argument('<run>', 'id of the run')
    .description('the log as it is')
    .option('--from <seq>', 'from this sequence number on', '1')
    .action(act(events));
}

async function events(cli: Cli, given: string, options: EventsOptions): Promise<number> {
  const from = readSeq('--from', options.from);
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const rows = rowsFrom(store, runId, from);
    if (cli.json) await cli.out.jsonList({ runId }, 'events', rows);
    else
      for await (const { seq, at, actor, type, data } of rows)
        cli.out.line(
          styled('dim', `${String(seq).padStart(5)}  ${at}  `),
          styled('cyan', type),
          `  ${principalText(actor)}  ${shown(data)}`,
        );
    return DONE;
  });
}

async function* rowsFrom(store: EventStore, runId: string, from: number): AsyncGenerator<EventRow> {
  for await (const row of eventRows(commits(store, runId, from))) if (row.seq >= from) yield row;
}

async function* commits(store: EventStore, runId: string, from: number): AsyncGenerator<Commit> {
  for await (const { commit } of commitsFrom(store, runId, from)) yield commit;
}
