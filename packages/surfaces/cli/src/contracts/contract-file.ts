import { resolve } from 'node:path';
import { type ContractDefinition, loadContractFile } from '@signalbox/core';
import type { FileFault } from '../graphs/graph-file.ts';

export interface ContractFile {
  /** As it was named. */
  readonly file: string;
  readonly text: string;
  /** Absent where a fault is an error. */
  readonly contract?: ContractDefinition;
  readonly faults: readonly FileFault[];
}

/** @throws SignalboxError `UnknownFile` */
export function readContractFile(cwd: string, file: string): ContractFile {
  const { text, definition, faults } = loadContractFile(resolve(cwd, file), { file });
  const told = text.trim() === '' ? [emptyFile(file)] : faults.map(fault => ({ ...fault, file }));
  return { file, text, ...(definition === undefined ? {} : { contract: definition }), faults: told };
}

function emptyFile(file: string): FileFault {
  const message = 'The file is empty; a contract has `agent_name` and `allowed_tools`.';
  return { file, line: 1, column: 1, pointer: '', code: 'WrongType', severity: 'error', message };
}

/** As it is shown: the beginning of its hash. */
export function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, '').slice(0, 12);
}
