import type { Fault } from '../../error/fault.ts';
import type { GraphDefinition } from '../definition.ts';
import { analyzeStructure } from '../structure.ts';

/** What is wrong with a graph that is well shaped, and with the graphs in it. */
export function checkMeaning(graph: GraphDefinition): Fault[] {
  return [...analyzeStructure(graph).faults];
}
