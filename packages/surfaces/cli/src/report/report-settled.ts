import type { RunHandle } from '@signalbox/core';
import type { RunView } from '@signalbox/runtime';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { drivenReport } from './load-report.ts';
import { printReport } from './print-report.ts';

/** Drives the run to its next stop and prints how it stands; `code` is the exit code that says it. */
export async function reportSettled(
  cli: Cli,
  opened: CommandBox,
  handle: RunHandle<unknown>,
): Promise<{ readonly code: number; readonly view: RunView }> {
  const view = await opened.settle(handle);
  const { engine, store } = opened.box;
  const program = await engine.graphs.program(view.version);
  const report = await drivenReport(store, view, program, key => engine.graphs.handler(key) !== undefined);
  return { code: printReport(cli, report), view };
}
