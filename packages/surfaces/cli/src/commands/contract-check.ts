import { contractHash } from '@signalbox/core';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { type ContractFile, readContractFile, shortHash } from '../contracts/contract-file.ts';
import { DONE, INVALID } from '../exit-code.ts';
import { faultLines } from '../graphs/fault-lines.ts';
import type { FileFault } from '../graphs/graph-file.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

export function registerContractCheck(contract: Command, act: Act): void {
  contract
    .command('check')
    .argument('<file...>', 'contract files (YAML, JSON)')
    .description('find everything that is wrong with a contract at once')
    .action(act(check));
}

async function check(cli: Cli, names: readonly string[]): Promise<number> {
  const files = names.map(name => readContractFile(cli.io.cwd, name));
  const ok = files.every(({ contract }) => contract !== undefined);
  if (cli.json) cli.out.json(document(files, ok));
  else for (const file of files) print(cli, file);
  return ok ? DONE : INVALID;
}

function document(files: readonly ContractFile[], ok: boolean) {
  return {
    ok,
    contracts: files.flatMap(({ file, contract }) => {
      if (contract === undefined) return [];
      const { name, version, tools } = contract;
      return [{ file, name, label: version, hash: contractHash(contract), tools: Object.keys(tools).length }];
    }),
    faults: files.flatMap(({ faults }) => faults),
  };
}

function print({ out }: Cli, { file, text, contract, faults }: ContractFile): void {
  for (const parts of faultLines(withUnguardedTogether(file, faults), text)) out.line(...parts);
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  const warnings = faults.length - errors;
  const told = [
    ...(errors === 0 ? [] : [counted(errors, 'error')]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
  ].join(', ');
  if (contract === undefined) {
    out.line(styled('red', '✗'), ` ${file}: ${told}`);
    return;
  }
  const version = `${contract.name}@${shortHash(contractHash(contract))}${told === '' ? '' : ` (${told})`}`;
  out.line(styled('green', '✓'), ` ${file}: ${version}, ${counted(Object.keys(contract.tools).length, 'tool')} ready`);
}

/** That tools are done at most once with nothing to hold on to is one remark, last and with their names. */
function withUnguardedTogether(file: string, faults: readonly FileFault[]): readonly FileFault[] {
  const unguarded = faults.filter(({ code }) => code === 'UnguardedOnce');
  if (unguarded.length < 2) return faults;
  const names = unguarded.map(({ message }) => /`([^`]+)`/.exec(message)?.[1] ?? '').join(', ');
  const { line: _line, column: _column, ...first } = unguarded[0]!;
  const message = `${unguarded.length} tools are done at most once, and nobody is asked for them: ${names}.`;
  return [...faults.filter(({ code }) => code !== 'UnguardedOnce'), { ...first, file, pointer: '', message }];
}
