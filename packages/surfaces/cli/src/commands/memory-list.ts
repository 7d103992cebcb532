import { principalText, shown } from '@signalbox/runtime';
import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import type { Act } from './command.ts';
import { memoryHandle, memoryOf, type WhoseMemory, withWhose } from './memory-of.ts';

export function registerMemoryList(memory: Command, act: Act): void {
  withWhose(memory.command('list')).description('what is remembered, and where it comes from').action(act(list));
}

async function list(cli: Cli, whose: WhoseMemory): Promise<number> {
  const of = memoryOf(cli, whose);
  return await withBox(cli, {}, async ({ box }) => {
    const entries = await (await memoryHandle(cli, box, of)).list();
    if (cli.json) cli.out.json({ memory: entries });
    else if (entries.length === 0) cli.out.line('Nothing is remembered.');
    else {
      const cells = entries.map(({ key, values, by, at, expiresAt = '', run = '' }) => [
        key,
        shown(values),
        principalText(by),
        at,
        expiresAt,
        run,
      ]);
      const heading = ['KEY', 'VALUES', 'BY', 'AT', 'UNTIL', 'ANSWERED IN'];
      for (const parts of columns(heading, cells)) cli.out.line(...parts);
    }
    return DONE;
  });
}
