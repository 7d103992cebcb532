import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface JumpOptions extends SteerOptions {
  readonly token?: string;
}

export function registerJump(program: Command, act: Act): void {
  steering(program, 'jump', 'go on at another node of the same scope')
    .argument('<node>', 'where to')
    .option('--token <token>', 'the branch, item or subgraph that is moved (default: the run’s own)')
    .action(
      act((cli, runId: string, node: string, options: JumpOptions) =>
        steer(cli, runId, options, (handle, by) =>
          handle.jump(node, { ...by, ...(options.token === undefined ? {} : { token: options.token }) }),
        ),
      ),
    );
}
