import { exportGraph } from '@signalbox/core';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { fileOf } from '../graphs/find-graph.ts';
import { ownVersion } from '../graphs/graph-file.ts';
import { namedDefinition } from '../graphs/named-graph.ts';
import type { Act } from './command.ts';

interface GraphExportOptions {
  readonly format: 'yaml' | 'json';
  readonly version?: string;
}

export function registerGraphExport(graph: Command, act: Act): void {
  graph
    .command('export')
    .argument('<graph>', 'a graph file or a name')
    .description('the definition as text; what is read from it has the same version')
    .addOption(new Option('--format <format>', 'of the text').choices(['yaml', 'json']).default('yaml'))
    .option('--version <version>', 'a stored version: a hash (its beginning will do) or a label')
    .action(act(exportText));
}

/** The text is the definition's own, so it is written as it is unless it goes to a terminal. */
async function exportText(cli: Cli, reference: string, options: GraphExportOptions): Promise<number> {
  const { definition } = await namedDefinition(cli, reference, options.version);
  const file = options.version === undefined ? fileOf(cli.io.cwd, reference) : undefined;
  const version = file === undefined ? undefined : ownVersion(file.file, file.path);
  const text = exportGraph(definition, cli.json ? 'json' : options.format, version === undefined ? {} : { version });
  if (cli.io.stdout.isTTY === true) cli.out.block(text);
  else await cli.out.write(text);
  return DONE;
}
