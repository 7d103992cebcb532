import { toPrincipal } from '@signalbox/core';
import { ACTIVE, Labels } from '@signalbox/runtime';
import type { Command } from 'commander';
import { DONE } from '../exit-code.ts';
import { graphInHand } from '../graphs/named-graph.ts';
import type { Act } from './command.ts';
import { printLabel } from './set-label.ts';

interface GraphRollbackOptions {
  readonly as?: string;
}

export function registerGraphRollback(graph: Command, act: Act): void {
  graph
    .command('rollback')
    .argument('<graph>', 'a graph file or a name')
    .description('make the version active again that was so before')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(
      act(async (cli, reference: string, { as }: GraphRollbackOptions) => {
        const name = (await graphInHand(cli, reference))?.name ?? reference;
        return await cli.withStore(async store => {
          const labels = new Labels(store, () => Date.now());
          const version = await labels.rollback(cli.tenant, name, toPrincipal(cli.actor(as)));
          printLabel(cli, { name, label: ACTIVE, version });
          return DONE;
        });
      }),
    );
}
