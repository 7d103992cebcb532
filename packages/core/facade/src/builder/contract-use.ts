import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ContractDefinition, SignalboxError } from '@signalbox/kernel';
import type { ContractUse } from '@signalbox/runtime';
import { loadContractFile } from '../loader/contract-file.ts';
import { type LoadedContract, loadContract } from '../loader/load-contract.ts';

/**
 * Its file, the contract as a file would say it, or one that was read already. A path is relative to the graph file that names
 * it, in code to where the process runs; `new URL('./contracts/refunds.yaml', import.meta.url)` is beside the code.
 */
export type ContractChoice =
  | string
  | URL
  | ContractDefinition
  | { readonly agent_name: string; readonly [key: string]: unknown };

/**
 * A contract as a node names it: its file, looked at anew whenever a run starts and read where it has changed (one that
 * extends another always, since that may have changed); or the contract itself.
 */
export function contractUse(contract: ContractChoice): ContractUse {
  if (contract instanceof URL) return inFile(fileURLToPath(contract), basename(contract.pathname));
  return typeof contract === 'string' ? inFile(contract, contract) : given(contract);
}

/** The reference is part of the graph's version, so it does not tell where the files of a machine are. */
function inFile(path: string, reference: string): ContractUse {
  const known = new Map<string, { readonly stamp: string; readonly definition: ContractDefinition }>();
  const load = async (folder = '') => {
    const file = resolve(folder, path);
    const stamp = await stampOf(file, path);
    const before = known.get(file);
    if (before?.stamp === stamp) return before.definition;
    const loaded = loadContractFile(file);
    const definition = usable(loaded, file);
    if (loaded.extends === undefined) known.set(file, { stamp, definition });
    return definition;
  };
  return { reference, load };
}

function given(contract: Exclude<ContractChoice, string | URL>): ContractUse {
  let definition: ContractDefinition | undefined;
  const load = async () => {
    definition ??= isDefinition(contract)
      ? contract
      : usable(loadContract(JSON.stringify(contract), { format: 'json' }));
    return definition;
  };
  return { reference: isDefinition(contract) ? contract.name : String(contract.agent_name), load };
}

function isDefinition(contract: Exclude<ContractChoice, string | URL>): contract is ContractDefinition {
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

async function stampOf(file: string, named: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('UnknownFile', `${file} cannot be read (${code}).`, {
      hint: `\`${named}\` is relative to the graph file that names it, or in code to the working folder.`,
      details: { file },
    });
  }
}
