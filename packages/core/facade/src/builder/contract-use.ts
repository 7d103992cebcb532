import { stat } from 'node:fs/promises';
import { type ContractDefinition, SignalboxError } from '@signalbox/kernel';
import type { ContractUse } from '@signalbox/runtime';
import { loadContractFile } from '../loader/contract-file.ts';
import { type LoadedContract, loadContract } from '../loader/load-contract.ts';

/** A path to its file, the contract as a file would say it, or one that was read already. */
export type ContractChoice =
  | string
  | ContractDefinition
  | { readonly agent_name: string; readonly [key: string]: unknown };

/**
 * A contract as a node names it: its file, looked at anew whenever a run starts and read where it has changed (one that
 * extends another always, since that may have changed); or the contract itself.
 */
export function contractUse(contract: ContractChoice): ContractUse {
  if (typeof contract !== 'string') return given(contract);
  let known: { readonly stamp: string; readonly definition: ContractDefinition } | undefined;
  const load = async () => {
    const stamp = await stampOf(contract);
    if (known?.stamp === stamp) return known.definition;
    const loaded = loadContractFile(contract);
    const definition = usable(loaded, contract);
    if (loaded.extends === undefined) known = { stamp, definition };
    return definition;
  };
  return { reference: contract, load };
}

function given(contract: Exclude<ContractChoice, string>): ContractUse {
  let definition: ContractDefinition | undefined;
  const load = async () => {
    definition ??= isDefinition(contract)
      ? contract
      : usable(loadContract(JSON.stringify(contract), { format: 'json' }));
    return definition;
  };
  return { reference: isDefinition(contract) ? contract.name : String(contract.agent_name), load };
}

function isDefinition(contract: Exclude<ContractChoice, string>): contract is ContractDefinition {
  return 'tools' in contract && 'prompts' in contract;
}

/** @throws SignalboxError `InvalidContract` with all faults. */
function usable({ definition, faults }: LoadedContract, file = 'contract'): ContractDefinition {
  if (definition !== undefined) return definition;
  const errors = faults.filter(({ severity }) => severity === 'error');
  const told = errors.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`);
  throw new SignalboxError('InvalidContract', `The contract cannot be used.\n${told.join('\n')}`, {
    hint: 'Check it with `signalbox contract check`.',
    details: { file, faults: errors.map(({ code, pointer, line, column }) => ({ code, pointer, line, column })) },
  });
}

async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('UnknownFile', `${file} cannot be read (${code}).`, {
      hint: 'Check the path; it is relative to the working folder.',
      details: { file },
    });
  }
}
