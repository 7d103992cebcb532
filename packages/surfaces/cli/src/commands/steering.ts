import type { Act as ActBy, RunHandle } from '@signalbox/core';
import type { RunView } from '@signalbox/runtime';
import type { Command } from 'commander';
import { type CommandBox, withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { findRun } from '../report/find-run.ts';
import { reportSettled } from '../report/report-settled.ts';
import { collect } from './command.ts';

/** Options of every command that steers a run. */
export interface SteerOptions {
  readonly reason?: string;
  readonly as?: string;
  readonly graph?: readonly string[];
}

/** Adds `RUN` and what every such command takes. */
export function steering(program: Command, name: string, description: string, run = '<run>'): Command {
  return program
    .command(name)
    .argument(run, 'id of the run')
    .description(description)
    .option('--reason <text>', 'why; it goes into the record')
    .option('--as <user>', 'who does it, such as user:finn')
    .option('--graph <file>', 'code that the run needs', collect);
}

type Work = (handle: RunHandle, act: ActBy, opened: CommandBox) => Promise<RunHandle>;

/**
 * Does something to a run, drives it to its next stop and prints how it stands.
 *
 * @param isDone tells from how the run stands that the command did what it is for: then the exit code is 0 whatever the
 * run's status says. Without it the status decides.
 */
export async function steer(
  cli: Cli,
  runId: string,
  options: SteerOptions,
  work: Work,
  isDone: (view: RunView) => boolean = () => false,
): Promise<number> {
  const { reason, as, graph } = options;
  const act = { as: cli.actor(as), ...(reason === undefined ? {} : { reason }) };
  return await withBox(cli, graph === undefined ? {} : { files: graph }, async opened => {
    const handle = await work(opened.box.get(await findRun(cli, opened.box.store, runId)), act, opened);
    const { code, view } = await reportSettled(cli, opened, handle);
    return isDone(view) ? DONE : code;
  });
}
