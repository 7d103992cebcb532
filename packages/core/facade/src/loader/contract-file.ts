import { readFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { type ContractDefinition, type ContractTypes, SignalboxError } from '@signalbox/kernel';
import { type LoadedContract, loadContract } from './load-contract.ts';

export interface LoadContractFileOptions {
  /** As the file is named in faults; the path itself by default. */
  readonly file?: string;
  /** Of the graph that the contract is used in. */
  readonly types?: ContractTypes;
}

export interface LoadedContractFile extends LoadedContract {
  readonly text: string;
}

const ENDINGS = ['.yaml', '.yml', '.json'];

/**
 * Reads a contract file, and the files of the contracts it extends: `extends: base` is `base.yaml`, `base.yml` or
 * `base.json` beside the file; with an ending it is a path from there.
 *
 * @throws SignalboxError `UnknownFile` when the file itself cannot be read. One that it extends and that cannot be used
 * is a fault of the file.
 */
export function loadContractFile(path: string, options: LoadContractFileOptions = {}): LoadedContractFile {
  const { file = path } = options;
  const text = textOf(path);
  if (typeof text === 'string') return load(text, path, { ...options, file }, [resolve(path)]);
  throw new SignalboxError('UnknownFile', `${file} cannot be read (${text.reason}).`, {
    hint: 'Check the path; it is relative to the working folder.',
    details: { file },
  });
}

/** `around`: the files on the way here, none of which may be extended. */
function load(
  text: string,
  path: string,
  { file, types }: LoadContractFileOptions,
  around: readonly string[],
): LoadedContractFile {
  const base = (name: string) => baseOf(name, path, around);
  const options = { file: file ?? path, base, ...(types === undefined ? {} : { types }) };
  return { ...loadContract(text, options), text };
}

function baseOf(name: string, path: string, around: readonly string[]): ContractDefinition | undefined {
  const endings = ENDINGS.includes(extname(name)) ? [''] : ENDINGS;
  const candidates = endings.map(ending => resolve(dirname(path), `${name}${ending}`));
  for (const candidate of candidates.filter(one => !around.includes(one))) {
    const text = textOf(candidate);
    if (typeof text === 'string') return load(text, candidate, {}, [...around, candidate]).definition;
  }
  return undefined;
}

function textOf(path: string): string | { readonly reason: string } {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return { reason: (error as { readonly code?: string }).code ?? String(error) };
  }
}
