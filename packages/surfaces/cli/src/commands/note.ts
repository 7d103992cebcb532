import { SignalboxError } from '@signalbox/kernel';
import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { findRun } from '../report/find-run.ts';
import { loadReport } from '../report/load-report.ts';
import { printReport } from '../report/print-report.ts';
import type { Act } from './command.ts';

interface NoteOptions {
  readonly as?: string;
}

export function registerNote(program: Command, act: Act): void {
  program
    .command('note')
    .argument('<run>', 'id of the run')
    .argument('<text>', 'what is to be kept')
    .description('add a remark to the record; the run is not driven by it')
    .option('--as <user>', 'who says it, such as user:finn')
    .action(act(note));
}

async function note(cli: Cli, given: string, text: string, { as }: NoteOptions): Promise<number> {
  if (text.trim() === '') throw new SignalboxError('InvalidValue', 'The note is empty.', { hint: 'Say something.' });
  return await withBox(cli, {}, async ({ box }) => {
    const runId = await findRun(cli, box.store, given);
    await box.get(runId).note(text, { as: cli.actor(as) });
    await printReport(cli, await loadReport(box.store, runId));
    return DONE;
  });
}
