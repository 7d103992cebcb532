import { fstatSync } from 'node:fs';
import { userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import { cleanMessage, type Language, languageOf as languageOfText } from '@signalbox/example-shared';
import type { FormAnswer } from '@signalbox/terminal-form';
import pc from 'picocolors';
import { isSignalboxError, type RequestView, type RunHandle } from 'signalbox';
import { type DeskArguments, UsageError } from './arguments.ts';
import { explainCase } from './case-report.ts';
import type { CaseOutput, Desk } from './desk.ts';
import { type EarlierCase, interruptedCases, markShown, openCases, unshownCases } from './earlier-cases.ts';
import { howToAnswer, languageOf, pickQuestion, questionText } from './open-question.ts';
import { askMessage, fillForm, offerQuestions, unlessLeft } from './terminal-form.ts';
import { words } from './words.ts';

/** What the process ends with, as in all of Signalbox's commands. */
export const EXIT = { completed: 0, failed: 1, usage: 2, waiting: 10, left: 130 } as const;

const STDIN = 0;

export interface Counter {
  readonly desk: Desk;
  /** A person at a terminal can fill in a form. */
  readonly interactive: boolean;
  print(text: string): void;
}

type Run = RunHandle<CaseOutput>;

/**
 * Serves one message or answers one open question.
 *  1. What an earlier process left in the middle is finished and shown first.
 *  2. A message that is given is taken before anybody is asked about other cases, so that it is never lost.
 *  3. The desk speaks the language of that message; without one, that of the case it speaks of.
 *
 * @returns the exit code
 */
export async function serve(counter: Counter, args: DeskArguments): Promise<number> {
  const { desk, print } = counter;
  const shown = await finishEarlier(counter, languageFor(args.message));
  const open = await openCases(desk);
  const questions = open.flatMap(earlier => earlier.questions);

  if (args.message !== undefined) {
    if (!shown.has(args.message)) return await serveMessage(counter, args.message, args, open);
    print(words(languageFor(args.message)).notice.sameMessage);
    return EXIT.completed;
  }
  if (args.answer !== undefined) {
    const question = pickQuestion(questions, args.request);
    return await conclude(counter, runOf(open, question), { answer: args.answer });
  }
  if (questions.length > 0) {
    const lang = languageOf(questions[0]!);
    print(openList(questions, lang));
    if (!counter.interactive) return listQuestions(counter, questions, lang);
    const question = await unlessLeft(offerQuestions(questions, lang));
    if (question === undefined) return kept(counter, lang);
    if (question !== null) return await conclude(counter, runOf(open, question), {});
  }
  const message = counter.interactive ? await unlessLeft(askMessage()) : await readMessage();
  if (message === undefined) return EXIT.left;
  return await serveMessage(counter, message, args, open);
}

/** Takes a message, or goes on with the open case that it has begun already. Other open cases are told of at the end. */
async function serveMessage(
  counter: Counter,
  message: string,
  args: DeskArguments,
  open: readonly EarlierCase[],
): Promise<number> {
  const { desk, interactive, print } = counter;
  const lang = languageFor(message);
  const same = open.find(earlier => earlier.message === message);
  const others = open.filter(earlier => earlier !== same).flatMap(({ questions }) => questions);
  if (same !== undefined && (args.answer !== undefined || !interactive)) print(words(lang).notice.sameMessage);
  if (same !== undefined && args.answer === undefined && interactive) {
    print(openList(same.questions, lang));
    if (!(await unlessLeft(offerQuestions(same.questions, lang)))) return kept(counter, lang);
  }
  const run = same?.run ?? (await desk.box.start(desk.graph, { message }, { as: 'user:customer' }));
  const code = await conclude(counter, run, args, others.length > 0);
  if (others.length > 0) print(openList(others, lang));
  return code;
}

/** For where nobody can fill in a form: every question with the command that answers it. */
function listQuestions({ print }: Counter, questions: readonly RequestView[], lang: Language): number {
  for (const each of questions) print(`\n${questionText(each)}\n${howToAnswer(each, questions.length > 1)}`);
  if (!fstatSync(STDIN).isCharacterDevice()) print(`\n${words(lang).notice.inputNotRead}`);
  return EXIT.waiting;
}

/** Waits for what was interrupted and shows what nobody has seen yet. @returns the messages of the cases shown */
async function finishEarlier({ desk, print }: Counter, lang: Language): Promise<ReadonlySet<string>> {
  const interrupted = await interruptedCases(desk);
  if (interrupted.length > 0) print(words(lang).notice.interrupted);
  for (const run of interrupted) await run.settled();
  const shown = new Set<string>();
  for (const { run, message } of await unshownCases(desk)) {
    const own = languageFor(message);
    const { heading, colon } = words(own);
    print(`${pc.bold(heading.unshown)}${colon}“${message}”`);
    await showOutcome({ desk, print }, run, own);
    shown.add(message);
  }
  return shown;
}

/** Goes on with a case until it has ended or nobody is there to answer. */
async function conclude(
  counter: Counter,
  run: Run,
  given: Pick<DeskArguments, 'answer'> | Record<string, never>,
  named = false,
): Promise<number> {
  const { desk, interactive, print } = counter;
  let { answer } = given;
  for (;;) {
    const view = await run.settled();
    const [question] = view.requests;
    if (view.status !== 'suspended' || question === undefined) break;
    print(`\n${questionText(question)}`);
    if (answer === undefined && !interactive) {
      print(`${howToAnswer(question, named)}\n`);
      print(await explainCase(desk, run, languageOf(question)));
      return EXIT.waiting;
    }
    const filled = answer === undefined ? await fillForm(question) : { values: answer };
    if (filled === undefined) return kept(counter, languageOf(question));
    const refusal = await send(counter, question, filled);
    if (refusal !== undefined && answer !== undefined) return EXIT.failed;
    if (refusal === undefined) answer = undefined;
  }
  const lang = await languageOfCase(run);
  if (answer !== undefined) print(words(lang).notice.noAnswerNeeded);
  return await showOutcome(counter, run, lang);
}

function kept({ print }: Counter, lang: Language): number {
  print(`\n${words(lang).ask.kept}`);
  return EXIT.waiting;
}

/** @returns why the answer was refused, after it was told; the question is open still */
async function send(
  { desk, print }: Counter,
  question: RequestView,
  answer: FormAnswer | { readonly values: Exclude<DeskArguments['answer'], undefined> },
) {
  try {
    await desk.box.answer(question.id, { ...answer, as: `user:${userInfo().username}` });
    return undefined;
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    const { ask, colon } = words(languageOf(question));
    print(pc.red(`${ask.refused}${colon}${error.message}`));
    return error;
  }
}

async function showOutcome({ desk, print }: Pick<Counter, 'desk' | 'print'>, run: Run, lang: Language) {
  const view = await run.view();
  const { heading, notice } = words(lang);
  const error = 'error' in view && view.error !== undefined ? `${view.error.code}: ${view.error.message}` : '';
  if (view.status === 'completed') print(`\n${pc.bold(heading.reply)}  ${pc.green(view.output.reply)}\n`);
  else print(`\n${pc.red(notice.ended(view.status, error))}\n`);
  print(`${await explainCase(desk, run, lang)}\n`);
  if (view.status === 'suspended') return EXIT.waiting;
  await markShown(run);
  return view.status === 'completed' ? EXIT.completed : EXIT.failed;
}

function openList(questions: readonly RequestView[], lang: Language): string {
  const told = questions.map(({ message, title }) => `“${message ?? title}”`);
  const { ask, colon } = words(lang);
  return pc.yellow(`${ask.open(questions.length)}${colon}${told.join(', ')}`);
}

function runOf(open: readonly EarlierCase[], { id }: RequestView): Run {
  return open.find(({ questions }) => questions.some(question => question.id === id))!.run;
}

async function languageOfCase(run: Run): Promise<Language> {
  for await (const { data } of run.events()) return languageFor((data.input as { message: string }).message);
  return 'en';
}

function languageFor(message: string | undefined): Language {
  return languageOfText(message ?? '');
}

async function readMessage(): Promise<string> {
  const message = cleanMessage(await text(process.stdin));
  if (message === '') throw new UsageError('There is no message.');
  return message;
}
