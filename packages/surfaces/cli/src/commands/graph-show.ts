import { type GraphDefinition, toMermaid } from '@signalbox/kernel';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { type NamedDefinition, namedDefinition } from '../graphs/named-graph.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

interface GraphShowOptions {
  readonly mermaid?: boolean;
  readonly version?: string;
}

export function registerGraphShow(graph: Command, act: Act): void {
  graph
    .command('show')
    .argument('<graph>', 'a graph file or a name')
    .description('nodes and routes')
    .option('--mermaid', 'as a Mermaid flowchart')
    .option('--version <version>', 'a stored version: a hash (its beginning will do) or a label')
    .action(act(show));
}

async function show(cli: Cli, reference: string, options: GraphShowOptions): Promise<number> {
  const named = await namedDefinition(cli, reference, options.version);
  const mermaid = options.mermaid === true ? toMermaid(named.definition) : undefined;
  const { definition, hash } = named;
  if (cli.json)
    cli.out.json({ name: definition.name, version: hash, ...(mermaid === undefined ? { definition } : { mermaid }) });
  else if (mermaid !== undefined) cli.out.block(mermaid);
  else print(cli, named);
  return DONE;
}

function print({ out }: Cli, { definition, hash }: NamedDefinition): void {
  out.line(styled('bold', definition.name), `  ${hash}`);
  for (const name of namesOf(definition)) {
    const node = definition.nodes[name]!;
    out.line('  ', styled('cyan', name), styled('dim', `  ${'handler' in node ? node.handler : node.type}`));
    for (const { to, when, on, because } of definition.routes[name] ?? []) {
      const conditions = [
        ...(on === undefined ? [] : [`on ${on.join(', ')}`]),
        ...(when === undefined ? [] : [`when ${when}`]),
        ...(because === undefined ? [] : [`(${because})`]),
      ];
      out.line(`    → ${to.join(' + ')}`, styled('dim', conditions.length === 0 ? '' : `  ${conditions.join(' ')}`));
    }
  }
}

/** The entry first, the others as they are written. */
function namesOf({ nodes, entry }: GraphDefinition): string[] {
  return [entry, ...Object.keys(nodes).filter(name => name !== entry)];
}
