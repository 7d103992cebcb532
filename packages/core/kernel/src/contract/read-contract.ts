import type { Fault } from '../error/fault.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { checkContract } from './check-contract.ts';
import { complete } from './complete.ts';
import type { ContractDefinition } from './definition.ts';
import { CONTRACT } from './document/contract-shape.ts';
import { Reading } from './document/shape.ts';
import type { ContractDraft } from './draft.ts';
import type { ContractTypes } from './environment.ts';

export interface ReadContract {
  /** Present when no fault is an error. */
  readonly definition?: ContractDefinition;
  /** All that is wrong, warnings too, each with the pointer of its place in the document as written. */
  readonly faults: readonly Fault[];
}

export interface ReadContractOptions {
  /** Of the graph that the contract is used in. */
  readonly types?: ContractTypes;
}

/**
 * Reads a capability contract from a JSON document, in the plain form or with everything that can be added to it, keys
 * in snake_case or camelCase.
 */
export function readContract(document: JsonValue, options: ReadContractOptions = {}): ReadContract {
  const reading = new Reading();
  const draft = CONTRACT.read(document, { written: '', target: '' }, reading);
  if (!isJsonObject(draft ?? null)) return { faults: reading.faults };
  // The shapes read nothing that is not of the draft's own form, and stand in for what is missing.
  const definition = complete(draft as unknown as ContractDraft);
  const found = checkContract(definition, options.types);
  const faults = [...reading.faults, ...found.map(fault => ({ ...fault, pointer: reading.writtenAt(fault.pointer) }))];
  return faults.some(({ severity }) => severity === 'error') ? { faults } : { definition, faults };
}
