import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

export function registerPause(program: Command, act: Act): void {
  steering(program, 'pause', 'let no further node start').action(
    act((cli, runId: string, options: SteerOptions) =>
      steer(
        cli,
        runId,
        options,
        (handle, by) => handle.pause(by),
        ({ status }) => status === 'paused',
      ),
    ),
  );
}
