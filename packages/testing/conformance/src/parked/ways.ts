import assert from 'node:assert/strict';
import { DAY, GREATEST_AMOUNT, PATIENCE } from './parked-graph.ts';
import type { AnswerGiven, OpenQuestion, ParkedProcess } from './parked-process.ts';

/** How a question ends that a dead process left behind. */
export interface Way {
  readonly name: string;
  /** How long nobody is there after each death, ms. */
  readonly silence: number;
  /** The processes that come then have the code of a graph that was changed meanwhile. */
  readonly deploys: boolean;
  readonly processes: 1 | 2;
  /** What becomes of the question. */
  readonly closes: 'answered' | 'expired';
  answer(question: OpenQuestion, processes: readonly ParkedProcess[]): Promise<void>;
}

const MINUTE = 60_000;
const defaults = { silence: MINUTE, deploys: false, processes: 1, closes: 'answered' } as const;

/** By title, so that the answers of a run differ only where they are to. */
function answerTo({ title }: OpenQuestion, key: string, amount = 7): AnswerGiven {
  return { key, values: title === 'Why?' ? { reason: 'it was charged twice' } : { amount } };
}

async function answerOnce(question: OpenQuestion, [process]: readonly ParkedProcess[]): Promise<void> {
  const first = answerTo(question, `${question.id} first`);
  assert.equal(await process!.answer(question.id, first), 'accepted');
  assert.equal(await process!.answer(question.id, first), 'accepted', 'the same answer again gets the stored outcome');
  assert.equal(await process!.answer(question.id, answerTo(question, `${question.id} other`)), 'AlreadyAnswered');
}

async function answerByTwo(question: OpenQuestion, processes: readonly ParkedProcess[]): Promise<void> {
  const outcomes = await Promise.all(
    processes.map((process, index) => {
      const key = `${question.id} ${index}`;
      return process.answer(question.id, answerTo(question, key, 10 + index));
    }),
  );
  assert.deepEqual(outcomes.toSorted(), ['AlreadyAnswered', 'accepted']);
}

async function answerWrongly(question: OpenQuestion, processes: readonly ParkedProcess[]): Promise<void> {
  const wrong: AnswerGiven['values'][] = [{}, { amount: GREATEST_AMOUNT + 1 }, { amount: '7', reason: 7 }];
  for (const [index, values] of wrong.entries()) {
    const outcome = await processes[0]!.answer(question.id, { values, key: `${question.id} wrong ${index}` });
    assert.equal(outcome, 'InvalidAnswer', `after ${JSON.stringify(values)}`);
  }
  await answerOnce(question, processes);
}

/** The death comes long before the answer; the deadline decides, whether or not anybody was there. */
const IN_TIME: Way = { ...defaults, name: 'late', silence: PATIENCE - DAY, answer: answerOnce };
const TOO_LATE: Way = {
  ...defaults,
  name: 'too late',
  silence: PATIENCE + DAY,
  closes: 'expired',
  async answer(question, [process]) {
    const outcome = await process!.answer(question.id, answerTo(question, question.id));
    assert.equal(outcome, 'RequestExpired');
  },
};

/** Each cell goes these ways, with a run for each. */
export const WAYS: Readonly<Record<string, readonly Way[]>> = {
  'answered once': [{ ...defaults, name: 'once', answer: answerOnce }],
  'answered by two at once': [{ ...defaults, name: 'by two', processes: 2, answer: answerByTwo }],
  'answered late, and too late': [IN_TIME, TOO_LATE],
  'answered after a deploy with a changed graph': [{ ...defaults, name: 'deploy', deploys: true, answer: answerOnce }],
  'answered wrongly first': [{ ...defaults, name: 'wrongly', answer: answerWrongly }],
};
