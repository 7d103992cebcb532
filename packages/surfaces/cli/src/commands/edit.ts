import { SignalboxError } from '@signalbox/kernel';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { readObjectArgument } from '../read-argument.ts';
import { type Act, collect } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface EditOptions extends SteerOptions {
  readonly set?: string;
  readonly remove?: readonly string[];
  readonly token?: string;
}

export function registerEdit(program: Command, act: Act): void {
  steering(program, 'edit', 'set state keys; the state must stay valid')
    .option('--set <json>', 'keys with their new values: JSON, @FILE or @-')
    .option('--remove <key>', 'a key to take away; may be repeated', collect)
    .option('--token <token>', 'the branch, item or subgraph whose state it is (default: the run’s own)')
    .action(act(edit));
}

async function edit(cli: Cli, runId: string, options: EditOptions): Promise<number> {
  const { remove, token } = options;
  if (options.set === undefined && remove === undefined)
    throw new SignalboxError('Usage', 'Nothing is to be changed.', { hint: "Give --set '{…}' or --remove KEY." });
  const set = options.set === undefined ? {} : await readObjectArgument(cli, '--set', options.set);
  return await steer(
    cli,
    runId,
    options,
    (handle, by) =>
      handle.edit(set, {
        ...by,
        ...(remove === undefined ? {} : { remove }),
        ...(token === undefined ? {} : { token }),
      }),
    () => true,
  );
}
