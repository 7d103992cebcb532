import type { RunHandle, Signalbox } from '@signalbox/core';
import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { reportSettled } from '../report/report-settled.ts';
import { type Act, collect } from './command.ts';
import { openRequest } from './open-request.ts';

interface RequestOptions {
  readonly reason?: string;
  readonly as?: string;
  readonly takeOver?: boolean;
  readonly graph?: readonly string[];
}

/** Who means to answer, and taking a question back. */
export function registerClaim(program: Command, act: Act): void {
  ofRequest(program, 'claim', 'say that you mean to answer a question, and keep the others off')
    .option('--take-over', 'from whoever has claimed it')
    .action(
      act((cli, id: string, options: RequestOptions) =>
        change(cli, id, options, (box, request, as) => box.claim(request, { as, takeOver: options.takeOver === true })),
      ),
    );
}

export function registerRelease(program: Command, act: Act): void {
  ofRequest(program, 'release', 'give a claimed question back')
    .option('--reason <text>', 'why; it goes into the record')
    .action(
      act((cli, id: string, options: RequestOptions) =>
        change(cli, id, options, (box, request, as) => box.release(request, { as, ...reasonOf(options) })),
      ),
    );
}

export function registerWithdraw(program: Command, act: Act): void {
  ofRequest(program, 'withdraw', 'take a question back: its node goes on as after `cancel`')
    .option('--reason <text>', 'why; whoever answers later is told')
    .action(
      act((cli, id: string, options: RequestOptions) =>
        change(cli, id, options, (box, request, as) => box.withdraw(request, { as, ...reasonOf(options) }), false),
      ),
    );
}

function ofRequest(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .argument('<request>', 'id of the question, its beginning, or a run with exactly one')
    .description(description)
    .option('--as <user>', 'who does it, such as user:finn')
    .option('--graph <file>', 'code that the run needs', collect);
}

function reasonOf({ reason }: RequestOptions): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** @param isDone it is done whatever the run's status says; else the status decides. */
async function change(
  cli: Cli,
  id: string,
  { as, graph }: RequestOptions,
  work: (box: Signalbox, request: string, as: string) => Promise<RunHandle>,
  isDone = true,
): Promise<number> {
  return await withBox(cli, graph === undefined ? {} : { files: graph }, async opened => {
    const { request } = await openRequest(cli, opened, id);
    const handle = await work(opened.box, request, cli.actor(as));
    const { code } = await reportSettled(cli, opened, handle);
    return isDone ? DONE : code;
  });
}
