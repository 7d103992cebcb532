import { commitTime, SignalboxError } from '@signalbox/kernel';
import type { RunRow } from '@signalbox/ports';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE, OF_STATUS } from '../exit-code.ts';
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
  const statuses = status?.flatMap(one => one.split(',')).map(knownStatus);
  return await cli.withStore(async store => {
    const { rows, next } = await store.runs({
      tenant: cli.tenant,
      limit,
      ...(statuses === undefined ? {} : { status: statuses }),
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

/** @throws SignalboxError `InvalidValue` */
function knownStatus(status: string): string {
  if (Object.hasOwn(OF_STATUS, status)) return status;
  throw new SignalboxError('InvalidValue', `--status takes no ${JSON.stringify(status)}.`, {
    hint: `Allowed are ${Object.keys(OF_STATUS).join(', ')}.`,
    details: { option: '--status', allowed: Object.keys(OF_STATUS) },
  });
}

/** Its time has come, and nobody was there to go on with it. */
function isOverdue({ status, dueAt }: RunRow): boolean {
  return status === 'suspended' && dueAt !== null && dueAt <= Date.now();
}

function document(of: RunRow) {
  const { tenant: _tenant, owner: _owner, createdAt, updatedAt, dueAt, ...row } = of;
  return {
    ...row,
    createdAt: commitTime(createdAt),
    updatedAt: commitTime(updatedAt),
    dueAt: dueAt === null ? null : commitTime(dueAt),
    overdue: isOverdue(of),
  };
}

function print(cli: Cli, rows: readonly RunRow[], next: string | undefined): void {
  const { out } = cli;
  if (rows.length === 0) {
    out.line('No runs.');
    return;
  }
  const cells = rows.map(row => [
    row.runId,
    row.graph,
    statusText(row),
    commitTime(row.createdAt),
    commitTime(row.updatedAt),
    [row.session, row.key].filter(name => name !== null).join(' '),
  ]);
  for (const parts of columns(['RUN', 'GRAPH', 'STATUS', 'STARTED', 'CHANGED', 'SESSION, KEY'], cells))
    out.line(...parts);
  if (next !== undefined) out.note(styled('dim', `More: --after ${next}`));
  if (rows.some(isOverdue)) out.note(styled('dim', `Overdue: nobody drives them. Go on: ${cli.next('resume --due')}`));
}

function statusText(row: RunRow): string {
  const remarks = [...(row.reason === null ? [] : [row.reason]), ...(isOverdue(row) ? ['overdue'] : [])];
  return remarks.length === 0 ? row.status : `${row.status} (${remarks.join(', ')})`;
}
