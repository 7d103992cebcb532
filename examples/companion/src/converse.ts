import type { FormAnswer } from '@signalbox/terminal-form';
import pc from 'picocolors';
import { isSignalboxError, type RequestView, type RunHandle } from 'signalbox';
import { type CompanionArguments, UsageError } from './arguments.ts';
import type { OpenCompanion } from './open-companion.ts';
import { languageOfQuestion, pickQuestion, questionText } from './question.ts';
import { speak } from './speak.ts';
import { askMessage, fillForm, offerQuestion } from './terminal.ts';
import { Transcript } from './transcript.ts';

/** What the process ends with, as in all of Signalbox's commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 10, left: 130 } as const;

export interface Place {
  readonly companion: OpenCompanion;
  /** A person at a terminal can fill in a form. */
  readonly interactive: boolean;
  print(text: string): void;
}

interface OpenQuestion {
  readonly run: RunHandle;
  readonly question: RequestView;
}

/**
 * One start of the companion.
 *  1. What an earlier process left in the middle is finished first, and what it said is shown.
 *  2. A message that is given is taken before anybody is asked about older questions.
 *
 * @returns the exit code
 */
export async function converse(place: Place, args: CompanionArguments): Promise<number> {
  const talk = new Talk(place);
  const isConversation = place.interactive && args.message === undefined && !isAnswer(args);
  await talk.begin(isConversation);
  if (args.message !== undefined) return exitOf(await talk.take(args.message));
  if (isAnswer(args)) return exitOf(await talk.answer(args));
  if (isConversation) return await talk.goOn();
  const waiting = await talk.showQuestions();
  if (waiting === EXIT.waiting) return waiting;
  throw new UsageError('There is no message.');
}

function isAnswer({ answer, action }: CompanionArguments): boolean {
  return answer !== undefined || action !== undefined;
}

/** A question that was left stays open: the process ends as one that waits. */
function exitOf(code: number): number {
  return code === EXIT.left ? EXIT.waiting : code;
}

class Talk {
  readonly #place: Place;
  readonly #transcript: Transcript;

  constructor(place: Place) {
    this.#place = place;
    this.#transcript = new Transcript(place.companion, place.print);
  }

  async begin(isConversation: boolean): Promise<void> {
    const { box, session } = this.#place.companion;
    await this.#transcript.begin(isConversation);
    const { executing, queued } = await session.view();
    for (const id of [...executing, ...queued]) await box.get(id).settled();
    await this.#transcript.goOn();
  }

  /** Messages one after the other, after the questions that are open. */
  async goOn(): Promise<number> {
    for (const open of await this.#questions()) {
      const now = await offerQuestion(open.question);
      if (now === undefined) return EXIT.waiting;
      if (now && (await this.#settle(open.run)) === EXIT.left) return EXIT.waiting;
    }
    for (;;) {
      const message = await askMessage();
      if (message === undefined) return EXIT.done;
      if (message !== '' && (await this.take(message)) === EXIT.left) return EXIT.waiting;
    }
  }

  /** A message may be the answer to a choice that is open; it never approves anything. */
  async take(message: string): Promise<number> {
    const { session, graph, user } = this.#place.companion;
    const { run } = await session.send(graph, message, { as: user, whileOpen: 'answer' });
    return await this.#settle(run);
  }

  async answer({ answer, action, request }: CompanionArguments): Promise<number> {
    const open = await this.#questions();
    const meant = pickQuestion(
      open.map(({ question }) => question),
      request,
    );
    const refused = await this.#send(meant, {
      ...(action === undefined ? {} : { action }),
      ...(answer === undefined ? {} : { values: answer }),
    } as FormAnswer);
    if (refused) return EXIT.failed;
    return await this.#settle(open.find(({ question }) => question === meant)!.run);
  }

  async showQuestions(): Promise<number> {
    const open = await this.#questions();
    for (const { question } of open) this.#place.print(questionText(question, open.length > 1));
    return open.length > 0 ? EXIT.waiting : EXIT.done;
  }

  /** Open questions of the session, oldest first. */
  async #questions(): Promise<readonly OpenQuestion[]> {
    const { box, session } = this.#place.companion;
    const { rows } = await session.inbox();
    const views = await Promise.all(
      rows.map(async ({ runId, requestId }) => {
        const run = box.get(runId);
        const question = (await run.view()).requests.find(({ id }) => id === requestId);
        return question === undefined ? [] : [{ run, question }];
      }),
    );
    return views.flat();
  }

  /** Goes on with a run until it has ended or nobody is there to answer. */
  async #settle(run: RunHandle): Promise<number> {
    const { interactive, print } = this.#place;
    for (;;) {
      const view = await run.settled();
      const [question] = view.requests;
      if (question === undefined) {
        await this.#transcript.goOn(run);
        if (view.status !== 'failed') return EXIT.done;
        print(pc.red(`${view.error.code}: ${view.error.message}`));
        return EXIT.failed;
      }
      if (!interactive) {
        await this.#transcript.goOn(run);
        print(questionText(question, (await this.#questions()).length > 1));
        return EXIT.waiting;
      }
      const outcome = await fillForm(question);
      if (outcome.kind === 'answered') await this.#send(question, outcome.answer);
      else {
        print(pc.dim(speak(languageOfQuestion(question))('The question stays open.', '此问题仍待答复。')));
        return outcome.kind === 'interrupted' ? EXIT.left : EXIT.waiting;
      }
    }
  }

  /** @returns whether the answer was refused, after that was told; the question is open still */
  async #send(question: RequestView, answer: FormAnswer): Promise<boolean> {
    const { companion, print } = this.#place;
    try {
      await companion.box.answer(question.id, { ...answer, as: companion.user });
      return false;
    } catch (error) {
      if (!isSignalboxError(error)) throw error;
      const say = speak(languageOfQuestion(question));
      print(pc.red(`${say('This answer was refused', '答复未被接受')}: ${error.message}`));
      return true;
    }
  }
}
