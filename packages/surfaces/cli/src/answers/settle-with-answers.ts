import type { RunHandle } from '@signalbox/core';
import { SignalboxError } from '@signalbox/kernel';
import type { RequestView } from '@signalbox/runtime';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import type { ScriptAnswer } from './answer-script.ts';
import type { Answers } from './read-answers.ts';

/** Drives the run on and gives the file's answers to what it asks, until it asks what the file has no answer for. */
export async function settleWithAnswers(
  cli: Cli,
  { box, settle }: CommandBox,
  handle: RunHandle<unknown>,
  answers: Answers,
  as: string | undefined,
): Promise<void> {
  for (;;) {
    const { requests } = await settle(handle);
    const found = firstAnswered(answers, requests);
    if (found === undefined) break;
    await box.answer(found.request.id, answerOf(cli, found.answer, as));
    // The one answer of a file is for one question.
    if ('one' in answers) return;
  }
  const unused = 'script' in answers ? answers.script.unused() : [];
  if (unused.length > 0) cli.out.note(`Nothing was asked that these answers are for: ${unused.join(', ')}.`);
}

function firstAnswered(
  answers: Answers,
  requests: readonly RequestView[],
): { readonly request: RequestView; readonly answer: ScriptAnswer } | undefined {
  for (const request of requests) {
    const answer = 'one' in answers ? answers.one : answers.script.take(request);
    if (answer !== undefined) return { request, answer };
  }
  return undefined;
}

/** The answer for a question that was named. @throws SignalboxError `InvalidAnswers` when there is none */
export function answerFor(answers: Answers, request: RequestView): ScriptAnswer {
  const answer = 'one' in answers ? answers.one : answers.script.take(request);
  if (answer !== undefined) return answer;
  throw new SignalboxError(
    'InvalidAnswers',
    `There is no answer for ${request.id}, "${request.title}" of node ${request.node}.`,
    {
      hint: 'Write it below one of these three.',
      details: { request: request.id },
    },
  );
}

export function answerOf(cli: Cli, { as, ...answer }: ScriptAnswer, actor: string | undefined) {
  return { ...answer, as: as ?? cli.actor(actor) };
}
