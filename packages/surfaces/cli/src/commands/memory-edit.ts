import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { readObjectArgument } from '../read-argument.ts';
import type { Act } from './command.ts';
import { memoryHandle, memoryOf, type WhoseMemory, withWhose } from './memory-of.ts';

interface EditOptions extends WhoseMemory {
  readonly values: string;
  readonly ttl?: string;
  readonly reason?: string;
  readonly as?: string;
}

export function registerMemoryEdit(memory: Command, act: Act): void {
  withWhose(memory.command('edit'))
    .argument('<key>', 'under which it is remembered')
    .description('write over what is remembered, or write it first')
    .requiredOption('--values <json>', 'values of the fields: JSON, @FILE or @-')
    .option('--ttl <duration>', 'for how long from now, such as 30d')
    .option('--reason <text>', 'why; it goes into the record')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(act(edit));
}

async function edit(cli: Cli, key: string, { values, ttl, reason, as, ...whose }: EditOptions): Promise<number> {
  const of = memoryOf(cli, whose);
  const given = await readObjectArgument(cli, '--values', values);
  return await withBox(cli, { create: true }, async ({ box }) => {
    await (await memoryHandle(cli, box, of)).edit(key, given, {
      as: cli.actor(as),
      ...(ttl === undefined ? {} : { ttl }),
      ...(reason === undefined ? {} : { reason }),
    });
    if (cli.json) cli.out.json({ remembered: key, values: given });
    else cli.out.line('Remembered.');
    return DONE;
  });
}
