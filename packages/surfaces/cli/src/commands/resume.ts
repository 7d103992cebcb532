import type { Act as ActBy, RunHandle } from '@signalbox/core';
import { SignalboxError } from '@signalbox/kernel';
import { readCommits, trail } from '@signalbox/runtime';
import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { type RunReport, runDocument, statusBeyondLog } from '../report/load-report.ts';
import { printReport } from '../report/print-report.ts';
import type { Act } from './command.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface ResumeOptions extends SteerOptions {
  readonly due?: boolean;
}

const WORKING: ReadonlySet<string> = new Set(['running', 'cancelling', 'compensating']);
const MOST_DUE = 100;

export function registerResume(program: Command, act: Act): void {
  steering(
    program,
    'resume',
    'go on: after a pause, a change of code, the end of its process, or when its time has come',
    '[run]',
  )
    .option('--due', 'every run whose time has come and that nobody drives')
    .action(act(resume));
}

async function resume(cli: Cli, runId: string | undefined, options: ResumeOptions): Promise<number> {
  if ((runId === undefined) !== (options.due === true))
    throw new SignalboxError('Usage', 'Either a run or --due is wanted.', { hint: 'signalbox resume RUN' });
  return runId === undefined ? await resumeDue(cli, options) : await steer(cli, runId, options, goOn);
}

async function goOn(handle: RunHandle, by: ActBy): Promise<RunHandle> {
  const view = await handle.view();
  const waits = view.status === 'suspended' && view.reason !== 'codeChanged';
  return WORKING.has(view.status) || waits ? handle : await handle.resume(by);
}

/** Timers fire only while a process runs: this one does what came due meanwhile. 0 however the runs stand then. */
async function resumeDue(cli: Cli, { graph: files }: ResumeOptions): Promise<number> {
  return await withBox(cli, files === undefined ? {} : { files }, async ({ box, settle }) => {
    const due = await box.store.due({ now: Date.now(), owner: box.engine.owner, limit: MOST_DUE });
    const reports: RunReport[] = [];
    for (const { runId } of due) {
      const view = await settle(box.get(runId));
      const report = { trail: await trail(readCommits(box.store, runId), statusBeyondLog(view)), view };
      reports.push(report);
      if (!cli.json) await printReport(cli, report);
    }
    if (cli.json) cli.out.json({ runs: reports.map(runDocument) });
    else if (due.length === 0) cli.out.line('Nothing is due.');
    return DONE;
  });
}
