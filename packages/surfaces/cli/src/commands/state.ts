import { hasKey, SignalboxError } from '@signalbox/kernel';
import { stateAt } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { styled } from '../output/output.ts';
import { findRun } from '../report/find-run.ts';
import type { Act } from './command.ts';

interface StateOptions {
  readonly at?: string;
  readonly token?: string;
}

export function registerState(program: Command, act: Act): void {
  program
    .command('state')
    .argument('<run>', 'id of the run')
    .description('the state, now or at any earlier moment')
    .option('--at <point>', 'a sequence number, or a time such as 2026-03-04T09:00:00Z')
    .option('--token <token>', 'of this branch, item or subgraph (default: the run’s own)')
    .action(act(show));
}

async function show(cli: Cli, given: string, { at, token = '' }: StateOptions): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const found = await stateAt(store, runId, at);
    const scopes = found.scopes ?? {};
    if (token !== '' && !hasKey(scopes, token))
      throw new SignalboxError('UnknownToken', `Run ${runId} has no token "${token}" there.`, {
        hint:
          Object.keys(scopes).length === 0 ? 'It has no branches there.' : `It has: ${Object.keys(scopes).join(', ')}.`,
      });
    const state = token === '' ? found.state : scopes[token]!;
    if (cli.json) cli.out.json(token === '' ? found : { ...found, token, state, scopes: undefined });
    else {
      cli.out.line(styled('dim', `${found.status} at ${found.seq}, ${found.at}`));
      cli.out.block(jsonText(state, 2));
      if (token === '')
        for (const [name, inner] of Object.entries(scopes)) {
          cli.out.line(styled('bold', name));
          cli.out.block(jsonText(inner, 2), '  ');
        }
    }
    return DONE;
  });
}
