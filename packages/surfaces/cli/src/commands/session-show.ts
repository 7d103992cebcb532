import { sessionAt, sessionNow } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

export function registerSessionShow(session: Command, act: Act): void {
  session
    .command('show')
    .argument('<session>', 'id of the session')
    .description('its status, state and metadata, now or at any earlier moment')
    .option('--at <point>', 'a sequence number, or a time such as 2026-03-04T09:00:00Z')
    .action(act(show));
}

async function show(cli: Cli, id: string, { at }: { readonly at?: string }): Promise<number> {
  return await cli.withStore(async store => {
    const place = { id, tenant: cli.tenant };
    const found = at === undefined ? await sessionNow(store, place) : await sessionAt(store, place, at);
    if (cli.json) {
      cli.out.json(found);
      return DONE;
    }
    const { user, messages, runs, executing, queued, seq, updatedAt, state, metadata } = found;
    const status = 'status' in found ? `  ${found.status}` : '';
    cli.out.line(styled('bold', id), status, ...(user === undefined ? [] : [`  user ${user}`]));
    cli.out.line(styled('dim', `${counted(messages, 'message')}, ${counted(runs, 'run')}; at ${seq}, ${updatedAt}`));
    for (const run of executing) cli.out.line(`executes  ${run}`);
    for (const run of queued) cli.out.line(`waits for its turn  ${run}`);
    cli.out.block(jsonText({ state, metadata }, 2));
    return DONE;
  });
}
