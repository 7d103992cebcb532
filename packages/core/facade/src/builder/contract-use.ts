import { readFile, stat } from 'node:fs/promises';
import { type ContractDefinition, SignalboxError } from '@signalbox/kernel';
import type { ContractUse } from '@signalbox/runtime';
import { loadContract } from '../loader/load-contract.ts';

/**
 * A contract as a node names it: its file, looked at anew whenever a run starts and read where it has changed; or the
 * contract itself.
 */
export function contractUse(contract: string | ContractDefinition): ContractUse {
  if (typeof contract !== 'string') return { reference: contract.name, load: async () => contract };
  let known: { readonly stamp: string; readonly definition: ContractDefinition } | undefined;
  const load = async () => {
    const stamp = await stampOf(contract);
    if (known?.stamp !== stamp) known = { stamp, definition: loadContract(await readFile(contract, 'utf8'), contract) };
    return known.definition;
  };
  return { reference: contract, load };
}

async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SignalboxError('ContractNotRead', `The contract ${file} cannot be read (${code}).`, {
      hint: 'Paths are read from the folder in which the process runs.',
      details: { file },
    });
  }
}
