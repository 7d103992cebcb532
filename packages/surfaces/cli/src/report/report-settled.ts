import type { RunHandle } from '@signalbox/core';
import { type RunView, readCommits, trail } from '@signalbox/runtime';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { statusBeyondLog } from './load-report.ts';
import { printReport } from './print-report.ts';

/** Drives the run to its next stop and prints how it stands; `code` is the exit code that says it. */
export async function reportSettled(
  cli: Cli,
  { box, settle }: CommandBox,
  handle: RunHandle<unknown>,
): Promise<{ readonly code: number; readonly view: RunView }> {
  const view = await settle(handle);
  const way = await trail(readCommits(box.store, view.runId), statusBeyondLog(view));
  return { code: await printReport(cli, { trail: way, view }), view };
}
