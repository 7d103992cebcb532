import type { Effects } from '@signalbox/runtime';
import { type Command, Option } from 'commander';
import { readSeq } from '../read-argument.ts';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface RollbackOptions extends SteerOptions {
  readonly to: string;
  readonly effects?: Effects;
}

export function registerRollback(program: Command, act: Act): void {
  steering(program, 'rollback', 'set it back to an earlier point, in place; what came after stays in the log')
    .requiredOption('--to <seq>', 'sequence number of the last event that counts')
    .addOption(effectsOption())
    .action(
      act(async (cli, runId: string, options: RollbackOptions) => {
        const to = readSeq('--to', options.to);
        const { effects } = options;
        return await steer(cli, runId, options, (handle, by) =>
          handle.rollback(to, { ...by, ...(effects === undefined ? {} : { effects }) }),
        );
      }),
    );
}

/** What becomes of `once` operations that were done after the point. */
export function effectsOption(): Option {
  return new Option(
    '--effects <how>',
    '`once` operations done after that point: take their results, ask about each, or do them again (default: ask)',
  ).choices(['recorded', 'ask', 'live']);
}
