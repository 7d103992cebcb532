import { listSessions } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import { styled } from '../output/output.ts';
import { readSeq } from '../read-argument.ts';
import type { Act } from './command.ts';

interface ListOptions {
  readonly limit: string;
  readonly after?: string;
}

export function registerSessionList(session: Command, act: Act): void {
  session
    .command('list')
    .description('sessions, with their status')
    .option('--limit <n>', 'at most so many', '50')
    .option('--after <id>', 'those behind this one')
    .action(act(list));
}

async function list(cli: Cli, { limit, after }: ListOptions): Promise<number> {
  return await cli.withStore(async store => {
    const { sessions, next } = await listSessions(store, cli.tenant, {
      limit: readSeq('--limit', limit),
      ...(after === undefined ? {} : { after }),
    });
    if (cli.json) {
      cli.out.json({ sessions, next: next ?? null });
      return DONE;
    }
    if (sessions.length === 0) cli.out.line('No sessions.');
    const cells = sessions.map(({ id, status, user = '', messages, runs, updatedAt }) => [
      id,
      status,
      user,
      String(messages),
      String(runs),
      updatedAt,
    ]);
    const heading = ['SESSION', 'STATUS', 'USER', 'MESSAGES', 'RUNS', 'CHANGED'];
    if (cells.length > 0) for (const parts of columns(heading, cells)) cli.out.line(...parts);
    if (next !== undefined) cli.out.note(styled('dim', `More: --after ${next}`));
    return DONE;
  });
}
