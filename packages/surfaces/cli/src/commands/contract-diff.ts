import { type ContractChange, type ContractDefinition, contractHash, diffContracts } from '@signalbox/core';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { type ContractFile, readContractFile, shortHash } from '../contracts/contract-file.ts';
import { DONE, INVALID, REFUSED } from '../exit-code.ts';
import { faultLines } from '../graphs/fault-lines.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

interface ContractDiffOptions {
  readonly allowWidening?: boolean;
}

export function registerContractDiff(contract: Command, act: Act): void {
  contract
    .command('diff')
    .argument('<old>', 'a contract file')
    .argument('<new>', 'the one that is to take its place')
    .description('what becomes allowed, forbidden, or subject to approval; ends with 1 where anything is widened')
    .option('--allow-widening', 'end with 0 all the same')
    .action(act(diff));
}

async function diff(cli: Cli, oldName: string, newName: string, options: ContractDiffOptions): Promise<number> {
  const [old, now] = [readContractFile(cli.io.cwd, oldName), readContractFile(cli.io.cwd, newName)];
  if (old.contract === undefined || now.contract === undefined) return refuse(cli, [old, now]);
  const changes = diffContracts(old.contract, now.contract);
  const widens = changes.some(({ kind }) => kind === 'widens');
  const ok = !widens || options.allowWidening === true;
  if (cli.json) {
    const named = ({ file }: ContractFile, contract: ContractDefinition) => ({
      file,
      name: contract.name,
      hash: contractHash(contract),
    });
    cli.out.json({ ok, widens, old: named(old, old.contract), new: named(now, now.contract), changes });
  } else print(cli, changes, { from: title(old, old.contract), to: title(now, now.contract), ok });
  return ok ? DONE : REFUSED;
}

/** A contract with errors allows nothing, so there is nothing to compare. */
function refuse(cli: Cli, files: readonly ContractFile[]): number {
  const broken = files.filter(({ contract }) => contract === undefined);
  if (cli.json) cli.out.json({ ok: false, faults: broken.flatMap(({ faults }) => faults) });
  else {
    for (const { faults, text } of broken) {
      const errors = faults.filter(({ severity }) => severity === 'error');
      for (const parts of faultLines(errors, text)) cli.out.line(...parts);
    }
  }
  return INVALID;
}

function title({ file }: ContractFile, contract: ContractDefinition): string {
  return `${file} (${contract.name}@${shortHash(contractHash(contract))})`;
}

const SECTIONS: readonly (readonly [ContractChange['about'], string])[] = [
  ['allowed', 'Becomes allowed'],
  ['forbidden', 'Becomes forbidden'],
  ['approval', 'Approval changes'],
  ['other', 'Changes otherwise'],
];

const MARKS = { widens: styled('red', '+'), narrows: styled('green', '-'), neutral: styled('dim', '·') } as const;

function print(
  { out }: Cli,
  changes: readonly ContractChange[],
  { from, to, ok }: { readonly from: string; readonly to: string; readonly ok: boolean },
): void {
  for (const [about, heading] of SECTIONS) {
    const listed = changes.filter(change => change.about === about);
    if (listed.length > 0) out.line(styled('bold', heading));
    for (const { kind, message } of listed) out.line('  ', MARKS[kind], ` ${message}`);
  }
  const count = (kind: ContractChange['kind']) => changes.filter(change => change.kind === kind).length;
  const summary = changes.length === 0 ? 'nothing changes' : `${count('widens')} wider, ${count('narrows')} narrower`;
  out.line(ok ? styled('green', '✓') : styled('red', '✗'), ` ${from} → ${to}: ${summary}`);
  if (!ok)
    out.line(
      '    ',
      styled('cyan', `${counted(count('widens'), 'change')} to look at; --allow-widening lets them pass.`),
    );
}
