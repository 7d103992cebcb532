import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

export function registerStep(program: Command, act: Act): void {
  steering(program, 'step', 'let one node start while the run is paused').action(
    act((cli, runId: string, options: SteerOptions) => steer(cli, runId, options, (handle, by) => handle.step(by))),
  );
}
