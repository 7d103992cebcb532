import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { readJsonArgument } from '../read-argument.ts';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface SignalOptions extends SteerOptions {
  readonly value?: string;
  readonly id?: string;
}

export function registerSignal(program: Command, act: Act): void {
  steering(program, 'signal', 'tell it something by name; one that comes before its wait is kept')
    .argument('<name>', 'name of the signal')
    .option('--value <json>', 'JSON, @FILE or @- (default: null)')
    .option('--id <id>', 'a signal with this id is taken once')
    .action(act(signal));
}

async function signal(cli: Cli, runId: string, name: string, options: SignalOptions): Promise<number> {
  const value = options.value === undefined ? null : await readJsonArgument(cli, '--value', options.value);
  const { id, reason } = options;
  return await steer(cli, runId, options, async (handle, { as }) => {
    const { waits = [] } = await handle.view();
    await handle.signal(name, value, { ...(id === undefined ? {} : { id }), ...(as === undefined ? {} : { as }) });
    if (!waits.some(({ signal: awaited }) => awaited === name))
      cli.out.note(`Nothing waited for signal ${name}; it is kept for a wait of that name.`);
    return reason === undefined ? handle : await handle.note(reason, as === undefined ? {} : { as });
  });
}
