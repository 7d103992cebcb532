import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

export function registerReopen(program: Command, act: Act): void {
  steering(
    program,
    'reopen',
    'take up a run that is completed or has failed; it is paused then, to be edited, jumped, rolled back or retried',
  ).action(
    act((cli, runId: string, options: SteerOptions) =>
      steer(
        cli,
        runId,
        options,
        (handle, by) => handle.reopen(by),
        ({ status }) => status === 'paused',
      ),
    ),
  );
}
