import { toPrincipal } from '@signalbox/core';
import { ACTIVE } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Act } from './command.ts';
import { setLabel } from './set-label.ts';

interface GraphActivateOptions {
  readonly as?: string;
}

export function registerGraphActivate(graph: Command, act: Act): void {
  graph
    .command('activate')
    .argument('<graph>', 'a graph file or a name')
    .argument('[version]', 'a hash or a label (default: the version of the file or the configuration)')
    .description('let new runs by name begin with this version')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(
      act((cli, reference: string, version: string | undefined, { as }: GraphActivateOptions) =>
        setLabel(cli, reference, ACTIVE, version, toPrincipal(cli.actor(as))),
      ),
    );
}
