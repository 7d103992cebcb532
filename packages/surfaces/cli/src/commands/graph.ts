import type { Command } from 'commander';
import type { Act, Register } from './command.ts';
import { registerGraphCheck } from './graph-check.ts';

const GRAPH_COMMANDS: readonly Register[] = [registerGraphCheck];

export function registerGraph(program: Command, act: Act): void {
  const graph = program.command('graph').description('check, show and export graphs; name their versions');
  for (const register of GRAPH_COMMANDS) register(graph, act);
}
