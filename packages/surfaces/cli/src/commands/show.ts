import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { findRun } from '../report/find-run.ts';
import { loadReport } from '../report/load-report.ts';
import { printReport } from '../report/print-report.ts';
import type { Act } from './command.ts';

export function registerShow(program: Command, act: Act): void {
  program
    .command('show')
    .argument('<run>', 'id of the run')
    .description('how a run stands: its way, output or error, open questions')
    .action(act(show));
}

async function show(cli: Cli, runId: string): Promise<number> {
  return await cli.withStore(async store => {
    printReport(cli, await loadReport(store, await findRun(cli, store, runId)));
    return DONE;
  });
}
