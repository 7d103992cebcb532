import { commitTime } from '@signalbox/kernel';
import type { RunRow } from '@signalbox/ports';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import { styled } from '../output/output.ts';
import { readSeq } from '../read-argument.ts';
import { type Act, collect } from './command.ts';

interface RunsOptions {
  readonly status?: readonly string[];
  readonly graph?: string;
  readonly session?: string;
  readonly limit: string;
  readonly quiet?: boolean;
  readonly after?: string;
}

export function registerRuns(program: Command, act: Act): void {
  program
    .command('runs')
    .description('runs, newest first')
    .option('--status <status>', 'only those in this status; may be repeated', collect)
    .option('--graph <name>', 'of this graph')
    .option('--session <id>', 'of this session')
    .option('-q, --quiet', 'ids alone, one a line')
    .option('--limit <n>', 'at most so many', '100')
    .option('--after <cursor>', '`next` of the page before')
    .action(act(runs));
}

async function runs(cli: Cli, options: RunsOptions): Promise<number> {
  const { status, graph, session, after } = options;
  const limit = readSeq('--limit', options.limit);
  return await cli.withStore(async store => {
    const { rows, next } = await store.runs({
      tenant: 'default',
      limit,
      ...(status === undefined ? {} : { status: status.flatMap(one => one.split(',')) }),
      ...(graph === undefined ? {} : { graph }),
      ...(session === undefined ? {} : { session }),
      ...(after === undefined ? {} : { after }),
    });
    if (cli.json) cli.out.json({ next: next ?? null, runs: rows.map(document) });
    else if (options.quiet === true) for (const { runId } of rows) cli.out.line(runId);
    else print(cli, rows, next);
    return DONE;
  });
}

function document({ tenant: _tenant, owner: _owner, createdAt, updatedAt, dueAt, ...row }: RunRow) {
  return {
    ...row,
    createdAt: commitTime(createdAt),
    updatedAt: commitTime(updatedAt),
    dueAt: dueAt === null ? null : commitTime(dueAt),
  };
}

function print({ out }: Cli, rows: readonly RunRow[], next: string | undefined): void {
  if (rows.length === 0) {
    out.line('No runs.');
    return;
  }
  const cells = rows.map(({ runId, graph, status, reason, createdAt, updatedAt, session, key }) => [
    runId,
    graph,
    reason === null ? status : `${status} (${reason})`,
    commitTime(createdAt),
    commitTime(updatedAt),
    [session, key].filter(name => name !== null).join(' '),
  ]);
  for (const parts of columns(['RUN', 'GRAPH', 'STATUS', 'STARTED', 'CHANGED', 'SESSION, KEY'], cells))
    out.line(...parts);
  if (next !== undefined) out.note(styled('dim', `More: --after ${next}`));
}
