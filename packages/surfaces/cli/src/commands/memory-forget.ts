import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import type { Act } from './command.ts';
import { memoryHandle, memoryOf, type WhoseMemory, withWhose } from './memory-of.ts';

interface ForgetOptions extends WhoseMemory {
  readonly reason?: string;
  readonly as?: string;
}

export function registerMemoryForget(memory: Command, act: Act): void {
  withWhose(memory.command('forget'))
    .argument('<key>', 'under which it is remembered')
    .description('have it asked for again')
    .option('--reason <text>', 'why; it goes into the record')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(act(forget));
}

async function forget(cli: Cli, key: string, { reason, as, ...whose }: ForgetOptions): Promise<number> {
  const of = memoryOf(cli, whose);
  return await withBox(cli, {}, async ({ box }) => {
    await (await memoryHandle(cli, box, of)).forget(key, {
      as: cli.actor(as),
      ...(reason === undefined ? {} : { reason }),
    });
    if (cli.json) cli.out.json({ forgotten: key });
    else cli.out.line('Forgotten: it is asked for again.');
    return DONE;
  });
}
