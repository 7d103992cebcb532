import { commitTime } from '@signalbox/kernel';
import type { EventStore, RequestRow } from '@signalbox/ports';
import { requestView } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import { styled } from '../output/output.ts';
import { readSeq } from '../read-argument.ts';
import { findRun } from '../report/find-run.ts';
import { loadStored } from '../report/load-report.ts';
import { type Act, collect } from './command.ts';

interface InboxOptions {
  readonly for?: readonly string[];
  readonly run?: string;
  readonly session?: string;
  readonly limit: string;
  readonly quiet?: boolean;
  readonly after?: string;
}

export function registerInbox(program: Command, act: Act): void {
  program
    .command('inbox')
    .description('open questions, oldest first')
    .option('--for <assignee>', 'assigned to this one or to nobody, such as role:finance; may be repeated', collect)
    .option('--run <run>', 'of this run')
    .option('--session <id>', 'of this session')
    .option('-q, --quiet', 'ids alone, one a line')
    .option('--limit <n>', 'at most so many', '100')
    .option('--after <cursor>', '`next` of the page before')
    .action(act(inbox));
}

async function inbox(cli: Cli, options: InboxOptions): Promise<number> {
  const { for: assignees, run, session, after } = options;
  const limit = readSeq('--limit', options.limit);
  return await cli.withStore(async store => {
    const { rows, next } = await store.requests({
      tenant: cli.tenant,
      status: 'open',
      limit,
      ...(assignees === undefined ? {} : { assignees }),
      ...(run === undefined ? {} : { runId: await findRun(cli, store, run) }),
      ...(session === undefined ? {} : { session }),
      ...(after === undefined ? {} : { after }),
    });
    if (cli.json) await cli.out.jsonList({ next: next ?? null }, 'requests', documents(store, rows));
    else if (options.quiet === true) for (const { requestId } of rows) cli.out.line(requestId);
    else print(cli, rows, next);
    return DONE;
  });
}

/** Rows with what their runs say of them. A run that cannot be read is told at its row; the others go on. */
async function* documents(store: EventStore, rows: readonly RequestRow[]): AsyncGenerator<object> {
  for (const row of rows) {
    const base = {
      id: row.requestId,
      runId: row.runId,
      ...(row.session === null ? {} : { session: row.session }),
      kind: row.kind,
      title: row.title,
    };
    try {
      const { run, program } = await loadStored(store, row.runId);
      const request = run.requests.get(row.requestId);
      if (request !== undefined) yield { ...base, graph: run.graph, ...requestView(run, request, program) };
    } catch (error) {
      yield { ...base, fields: [], unreadable: error instanceof Error ? error.message : String(error) };
    }
  }
}

function print(cli: Cli, rows: readonly RequestRow[], next: string | undefined): void {
  const { out } = cli;
  if (rows.length === 0) {
    out.line('No open questions.');
    return;
  }
  const heading = ['REQUEST', 'KIND', 'OPENED', 'FOR', 'DEADLINE', 'TITLE'];
  const cells = rows.map(({ requestId, kind, openedAt, assignees, deadlineAt, title }) => [
    requestId,
    kind,
    commitTime(openedAt),
    assignees.join(', ') || 'anybody',
    deadlineAt === null ? '' : commitTime(deadlineAt),
    title,
  ]);
  for (const parts of columns(heading, cells)) out.line(...parts);
  if (next !== undefined) out.note(styled('dim', `More: --after ${next}`));
  out.note(styled('dim', `Answer one: ${cli.next('answer REQUEST')}`));
}
