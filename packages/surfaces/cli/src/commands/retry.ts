import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface RetryOptions extends SteerOptions {
  readonly node?: string;
}

export function registerRetry(program: Command, act: Act): void {
  steering(program, 'retry', 'go on where it failed; nothing that succeeded is done again')
    .option('--node <node>', 'begin this node anew')
    .action(
      act((cli, runId: string, options: RetryOptions) =>
        steer(cli, runId, options, (handle, by) =>
          handle.retry({ ...by, ...(options.node === undefined ? {} : { node: options.node }) }),
        ),
      ),
    );
}
