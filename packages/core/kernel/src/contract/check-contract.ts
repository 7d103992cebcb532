import type { Fault } from '../error/fault.ts';
import { compileParts } from './compile-contract.ts';
import type { ContractDefinition } from './definition.ts';
import type { ContractTypes } from './environment.ts';

/** All that is wrong with a well-shaped contract, warnings included; pointers are into the definition. */
export function checkContract(definition: ContractDefinition, types: ContractTypes = {}): readonly Fault[] {
  return compileParts(definition, types).faults;
}
