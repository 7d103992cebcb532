import type { Fault } from '../../error/fault.ts';
import type { GraphDefinition } from '../definition.ts';

export function checkShape(definition: GraphDefinition): { graph: GraphDefinition | undefined; faults: Fault[] } {
  return { graph: definition, faults: [] };
}
