import { toPrincipal } from '@signalbox/core';
import type { Command } from 'commander';
import type { Act } from './command.ts';
import { setLabel } from './set-label.ts';

interface GraphTagOptions {
  readonly version?: string;
  readonly as?: string;
}

export function registerGraphTag(graph: Command, act: Act): void {
  graph
    .command('tag')
    .argument('<graph>', 'a graph file or a name')
    .argument('<label>', 'such as 1.4 or candidate')
    .description('name a version')
    .option('--version <version>', 'a hash or another label (default: the version of the file or the configuration)')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(
      act((cli, reference: string, label: string, { version, as }: GraphTagOptions) =>
        setLabel(cli, reference, label, version, toPrincipal(cli.actor(as))),
      ),
    );
}
