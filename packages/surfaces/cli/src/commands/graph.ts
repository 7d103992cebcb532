import type { Command } from 'commander';
import type { Act, Register } from './command.ts';
import { registerGraphActivate } from './graph-activate.ts';
import { registerGraphCheck } from './graph-check.ts';
import { registerGraphExport } from './graph-export.ts';
import { registerGraphList } from './graph-list.ts';
import { registerGraphRollback } from './graph-rollback.ts';
import { registerGraphShow } from './graph-show.ts';
import { registerGraphTag } from './graph-tag.ts';

const GRAPH_COMMANDS: readonly Register[] = [
  registerGraphCheck,
  registerGraphShow,
  registerGraphList,
  registerGraphExport,
  registerGraphTag,
  registerGraphActivate,
  registerGraphRollback,
];

export function registerGraph(program: Command, act: Act): void {
  const graph = program.command('graph').description('check, show and export graphs; name their versions');
  for (const register of GRAPH_COMMANDS) register(graph, act);
}
