import { SignalboxError } from '@signalbox/kernel';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { targetVersion } from '../graphs/target-version.ts';
import type { Act } from './command.ts';
import { readMapping } from './fork.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface MigrateOptions extends SteerOptions {
  readonly to: string;
  readonly mapping?: string;
}

export function registerMigrate(program: Command, act: Act): void {
  steering(program, 'migrate', 'move it to another version of its graph')
    .requiredOption('--to <version>', 'a hash (its beginning will do), a label, or a graph file')
    .option('--mapping <json>', 'nodes that are called otherwise there: {"old": "new"}')
    .action(act(migrate));
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

function hasEnded(runId: string, status: string, to: string): SignalboxError {
  return new SignalboxError('WrongStatus', `A run that is ${status} cannot be migrated.`, {
    hint:
      `Go on from a point before its end, on that version: signalbox fork ${runId} --at SEQ --onto ${to}; ` +
      `signalbox timeline ${runId} shows the points.`,
    details: { status, act: 'migrate' },
  });
}

async function migrate(cli: Cli, runId: string, options: MigrateOptions): Promise<number> {
  const mapping = await readMapping(cli, options.mapping);
  const target = await targetVersion(cli, options.to);
  return await steer(
    cli,
    runId,
    { ...options, graph: [...(options.graph ?? []), ...target.files] },
    async (handle, by, opened) => {
      const view = await handle.view();
      if (ENDED.has(view.status)) throw hasEnded(view.runId, view.status, options.to);
      return await handle.migrate(await target.hashIn(opened, view.graph), { ...by, mapping });
    },
    () => true,
  );
}
