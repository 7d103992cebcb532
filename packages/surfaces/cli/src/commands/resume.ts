import type { Command } from 'commander';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

const WORKING: ReadonlySet<string> = new Set(['running', 'cancelling', 'compensating']);

export function registerResume(program: Command, act: Act): void {
  steering(
    program,
    'resume',
    'go on: after a pause, a change of code, the end of its process, or when its time has come',
  ).action(
    act((cli, runId: string, options: SteerOptions) =>
      steer(cli, runId, options, async (handle, by) => {
        const view = await handle.view();
        const waits = view.status === 'suspended' && view.reason !== 'codeChanged';
        return WORKING.has(view.status) || waits ? handle : await handle.resume(by);
      }),
    ),
  );
}
