import { rewrapKeys } from '@signalbox/runtime';
import type { Command } from 'commander';
import { keysAt } from '../box/keys-at.ts';
import type { Cli } from '../cli.ts';
import { DONE, REFUSED } from '../exit-code.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

export function registerRewrap(program: Command, act: Act): void {
  program
    .command('rewrap')
    .description('keep the keys of all runs under the present key, so that the one before it may go')
    .action(act(rewrap));
}

async function rewrap(cli: Cli): Promise<number> {
  const { out, json } = cli;
  const path = await cli.existingStorePath();
  return await cli.withStore(async store => {
    const report = await rewrapKeys(store, keysAt(path, cli.io.env));
    const { ok, rewrapped, present, dropped, failures } = report;
    if (json) out.json(report);
    else {
      for (const { stream, message } of failures) out.line(styled('red', '✗'), ` ${stream}: ${message}`);
      out.line(
        `${counted(rewrapped, 'key')} wrapped anew, ${present} under the present key before, ${dropped} dropped.`,
      );
      if (ok) out.line(styled('green', '✓'), ' No key before the present one is needed any more.');
    }
    return ok ? DONE : REFUSED;
  });
}
