import type { RunHandle } from '@signalbox/core';
import { type JsonObject, SignalboxError, toAction } from '@signalbox/kernel';
import { type Command, Option } from 'commander';
import { type Answers, readAnswers } from '../answers/read-answers.ts';
import { answerFor, answerOf, settleWithAnswers } from '../answers/settle-with-answers.ts';
import { type CommandBox, withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { WAITS } from '../exit-code.ts';
import { isInteractive } from '../io.ts';
import { readObjectArgument } from '../read-argument.ts';
import { reportSettled } from '../report/report-settled.ts';
import { answerByForm } from './answer-form.ts';
import { type Act, collect, emptyKey } from './command.ts';
import { type OpenRequest, openRequest } from './open-request.ts';

interface AnswerOptions {
  readonly action?: string;
  readonly values?: string;
  readonly answers?: string;
  readonly note?: string;
  readonly as?: string;
  readonly key?: string;
  readonly graph?: readonly string[];
}

export function registerAnswer(program: Command, act: Act): void {
  program
    .command('answer')
    .argument('<request>', 'id of the question, its beginning, or a run with exactly one')
    .description('answer a question and drive its run to the next stop; in a terminal the form is shown')
    .option('--action <action>', 'approve, edit, reject or cancel')
    .option('--values <json>', 'values of the fields: JSON, @FILE or @-')
    .addOption(
      new Option(
        '--answers <file>',
        'the answer, or answers to this and the next questions, as YAML or JSON; - is standard input',
      ).conflicts(['action', 'values', 'note']),
    )
    .option('--note <text>', 'a remark that goes into the record')
    .option('--as <user>', 'who answers, such as user:finn')
    .option('--key <key>', 'idempotency key: the same key with the same answer gets the stored outcome')
    .addOption(new Option('--graph <file>', 'code that the run needs').argParser(collect))
    .action(act(answer));
}

async function answer(cli: Cli, id: string, options: AnswerOptions): Promise<number> {
  const { answers: file } = options;
  const values = options.values === undefined ? undefined : await readObjectArgument(cli, '--values', options.values);
  const answers = file === undefined ? undefined : await readAnswers(cli, file);
  if (options.key === '') throw emptyKey();
  const files = options.graph === undefined ? {} : { files: options.graph };
  return await withBox(cli, files, async opened => {
    const open = await openRequest(cli, opened, id);
    const handle = await give(cli, opened, open, { options, values, answers });
    if (handle === undefined) {
      cli.out.note('The question is still open.');
      return WAITS;
    }
    if (answers !== undefined && 'script' in answers) await settleWithAnswers(cli, opened, handle, answers, options.as);
    return (await reportSettled(cli, opened, handle)).code;
  });
}

interface Said {
  readonly options: AnswerOptions;
  readonly values: JsonObject | undefined;
  readonly answers: Answers | undefined;
}

/** Sends what was said on the command line, in a file, or in the form. Undefined: the question was left open. */
async function give(
  cli: Cli,
  opened: CommandBox,
  { request, view }: OpenRequest,
  { options, values, answers }: Said,
): Promise<RunHandle<unknown> | undefined> {
  const { action, note, as, key } = options;
  const keyed = key === undefined ? {} : { key };
  if (answers !== undefined) {
    const found = view === undefined ? ('one' in answers ? answers.one : {}) : answerFor(answers, view);
    return await opened.box.answer(request, { ...answerOf(cli, found, as), ...keyed });
  }
  const interactive = isInteractive(cli.io);
  if (values === undefined && action === undefined && !interactive) throw notInteractive();
  const known = action === undefined ? undefined : toAction(action);
  // What is over, and what is no action, is for the kernel to refuse.
  if (values === undefined && interactive && view !== undefined && (action === undefined || known !== undefined)) {
    const said = { ...(known === undefined ? {} : { action: known }), ...(note === undefined ? {} : { note }) };
    return await answerByForm(cli, opened, view, { ...said, ...(as === undefined ? {} : { as }), ...keyed });
  }
  return await opened.box.answer(request, {
    as: cli.actor(as),
    ...(action === undefined ? {} : { action }),
    ...(values === undefined ? {} : { values }),
    ...(note === undefined ? {} : { note }),
    ...keyed,
  });
}

function notInteractive(): SignalboxError {
  return new SignalboxError('NotInteractive', 'There is no terminal to show the form in.', {
    hint: "Give the answer: --answers FILE, --values '{…}', or --action approve, reject or cancel.",
  });
}
