import type { RunHandle } from '@signalbox/core';
import { type JsonObject, SignalboxError } from '@signalbox/kernel';
import { type RequestView, requestView } from '@signalbox/runtime';
import { type Command, Option } from 'commander';
import { type CommandBox, withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { WAITS } from '../exit-code.ts';
import { answerForm, type FormAnswer } from '../form/answer-form.ts';
import { isInteractive } from '../io.ts';
import { readObjectArgument } from '../read-argument.ts';
import { findRun } from '../report/find-run.ts';
import { printRequest } from '../report/print-report.ts';
import { reportSettled } from '../report/report-settled.ts';
import { type Act, collect, emptyKey } from './command.ts';

interface AnswerOptions {
  readonly action?: string;
  readonly values?: string;
  readonly note?: string;
  readonly as?: string;
  readonly key?: string;
  readonly graph?: readonly string[];
}

export function registerAnswer(program: Command, act: Act): void {
  program
    .command('answer')
    .argument('<request>', 'id of the question, or of a run with exactly one')
    .description('answer a question and drive its run to the next stop; in a terminal the form is shown')
    .option('--action <action>', 'approve, edit, reject or cancel')
    .option('--values <json>', 'values of the fields: JSON, @FILE or @-')
    .option('--note <text>', 'a remark that goes into the record')
    .option('--as <user>', 'who answers, such as user:finn')
    .option('--key <key>', 'idempotency key: the same key with the same answer gets the stored outcome')
    .addOption(new Option('--graph <file>', 'code that the run needs').argParser(collect))
    .action(act(answer));
}

async function answer(cli: Cli, id: string, options: AnswerOptions): Promise<number> {
  const { action, note, key } = options;
  const given = options.values === undefined ? undefined : await readObjectArgument(cli, '--values', options.values);
  if (key === '') throw emptyKey();
  const files = options.graph === undefined ? {} : { files: options.graph };
  return await withBox(cli, files, async opened => {
    const open = await openRequest(opened, id);
    if (given === undefined && action === undefined && !isInteractive(cli.io)) throw notInteractive();
    const filled = given === undefined && isInteractive(cli.io) ? await ask(cli, open, action) : undefined;
    if (filled === 'left open') {
      cli.out.note('The question is still open.');
      return WAITS;
    }
    const values: JsonObject | undefined = filled?.values ?? given;
    const chosen = filled?.action ?? action;
    const handle: RunHandle<unknown> = await opened.box.answer(open.request, {
      as: cli.actor(options.as),
      ...(chosen === undefined ? {} : { action: chosen }),
      ...(values === undefined ? {} : { values }),
      ...(note === undefined ? {} : { note }),
      ...(key === undefined ? {} : { key }),
    });
    return (await reportSettled(cli, opened, handle)).code;
  });
}

interface OpenRequest {
  readonly request: string;
  /** Absent when it is not open any more; then the answer is refused, or it is the very one that was accepted. */
  readonly view?: RequestView;
  readonly zone: string;
}

/** A run stands for its one open question. */
async function openRequest({ box }: CommandBox, id: string): Promise<OpenRequest> {
  const row = await box.store.request(id);
  const runId = row?.runId ?? (id.startsWith('run_') ? await findRun(box.store, id) : undefined);
  if (runId === undefined)
    throw new SignalboxError('UnknownRequest', `There is no question "${id}".`, {
      hint: 'See `signalbox inbox`.',
      details: { request: id },
    });
  const { run, program } = await box.engine.load(runId);
  const requests = row === undefined ? [...run.requests.values()] : [run.requests.get(id)];
  if (row === undefined && requests.length === 0)
    throw new SignalboxError('UnknownRequest', `Nothing is asked in run ${runId}: it is ${run.status}.`, {
      hint: 'See `signalbox inbox`.',
      details: { run: runId, status: run.status },
    });
  if (row === undefined && requests.length !== 1)
    throw new SignalboxError('AmbiguousTarget', `Run ${runId} has ${requests.length} open questions.`, {
      hint: 'Name one of them.',
      details: { open: [...run.requests.keys()] },
    });
  const [request] = requests;
  if (request === undefined) return { request: id, zone: run.zone };
  return { request: request.id, view: requestView(run, request, program), zone: run.zone };
}

const ACTIONS: Readonly<Record<string, FormAnswer['action']>> = {
  approve: 'approve',
  accept: 'approve',
  submit: 'approve',
  edit: 'edit',
  reject: 'reject',
  decline: 'reject',
  cancel: 'cancel',
};

async function ask(
  cli: Cli,
  { view, zone }: OpenRequest,
  given: string | undefined,
): Promise<FormAnswer | 'left open' | undefined> {
  const { io } = cli;
  const action = given === undefined ? undefined : ACTIONS[given];
  // What is over, and what is no action, is for the kernel to refuse.
  if (view === undefined || (given !== undefined && action === undefined)) return undefined;
  printRequest(cli, view, false);
  const hasEditor = (io.env.VISUAL ?? io.env.EDITOR ?? '') !== '';
  const terminal = { input: io.stdin, output: io.stdout, hasEditor, zone };
  return (await answerForm(terminal, view, action)) ?? 'left open';
}

function notInteractive(): SignalboxError {
  return new SignalboxError('NotInteractive', 'There is no terminal to show the form in.', {
    hint: "Give the answer: --values '{…}', or --action approve, reject or cancel.",
  });
}
