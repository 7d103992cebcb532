import { readCommits, why, whyText } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { readSeq } from '../read-argument.ts';
import { findRun } from '../report/find-run.ts';
import { storedPrograms } from '../report/stored-programs.ts';
import type { Act } from './command.ts';

interface WhyOptions {
  readonly limit: string;
}

export function registerWhy(program: Command, act: Act): void {
  program
    .command('why')
    .argument('<run>', 'id of the run')
    .description('the decisions and facts that led to its status, newest first')
    .option('--limit <n>', 'at most so many', '50')
    .action(act(show));
}

async function show(cli: Cli, given: string, options: WhyOptions): Promise<number> {
  const limit = readSeq('--limit', options.limit);
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const programs = await storedPrograms(store, runId);
    const answer = await why(readCommits(store, runId), { limit, programOf: version => programs.get(version) });
    if (cli.json) cli.out.json(answer);
    else cli.out.block(whyText(answer));
    return DONE;
  });
}
