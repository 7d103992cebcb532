import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { versionNamed } from '../graphs/versions.ts';
import type { Act } from './command.ts';
import { readMapping } from './fork.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface MigrateOptions extends SteerOptions {
  readonly to: string;
  readonly mapping?: string;
}

export function registerMigrate(program: Command, act: Act): void {
  steering(program, 'migrate', 'move it to another version of its graph')
    .requiredOption('--to <version>', 'a hash (its beginning will do) or a label')
    .option('--mapping <json>', 'nodes that are called otherwise there: {"old": "new"}')
    .action(act(migrate));
}

async function migrate(cli: Cli, runId: string, options: MigrateOptions): Promise<number> {
  const mapping = await readMapping(cli, options.mapping);
  return await steer(
    cli,
    runId,
    options,
    async (handle, by, { box, graphs }) => {
      const version = await versionNamed(box, graphs, (await handle.view()).graph, options.to);
      return await handle.migrate(version, { ...by, mapping });
    },
    () => true,
  );
}
