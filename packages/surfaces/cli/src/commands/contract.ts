import type { Command } from 'commander';
import type { Act } from './command.ts';
import { registerContractCheck } from './contract-check.ts';
import { registerContractDiff } from './contract-diff.ts';

export function registerContract(program: Command, act: Act): void {
  const contract = program.command('contract').description('check and compare capability contracts');
  registerContractCheck(contract, act);
  registerContractDiff(contract, act);
}
