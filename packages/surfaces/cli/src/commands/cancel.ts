import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface CancelOptions extends SteerOptions {
  readonly compensate?: boolean;
}

export function registerCancel(program: Command, act: Act): void {
  steering(program, 'cancel', 'end it for good')
    .option('--compensate', 'undo what was done')
    .action(
      act((cli, runId: string, options: CancelOptions) =>
        steer(
          cli,
          runId,
          options,
          (handle, by) => handle.cancel({ ...by, compensate: options.compensate === true }),
          ({ status }) => status === 'cancelled',
        ),
      ),
    );
}
