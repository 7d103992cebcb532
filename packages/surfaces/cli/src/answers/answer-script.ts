import type { JsonObject } from '@signalbox/kernel';
import type { RequestView } from '@signalbox/runtime';

/** An answer as a file gives it. */
export interface ScriptAnswer {
  readonly action?: string;
  readonly values?: JsonObject;
  readonly note?: string;
  /** Who answers, where it is not whoever gives the command. */
  readonly as?: string;
}

/**
 * Answers for questions that will be asked.
 *  1. An answer is found by the question's id, else by its title, else by its node.
 *  2. Each is given once; of a list under one name the next each time.
 */
export class AnswerScript {
  readonly #left: Map<string, readonly ScriptAnswer[]>;

  constructor(answers: ReadonlyMap<string, readonly ScriptAnswer[]>) {
    this.#left = new Map(answers);
  }

  take({ id, title, node }: Pick<RequestView, 'id' | 'title' | 'node'>): ScriptAnswer | undefined {
    const name = [id, title, node].find(each => (this.#left.get(each)?.length ?? 0) > 0);
    if (name === undefined) return undefined;
    const [next, ...others] = this.#left.get(name)!;
    this.#left.set(name, others);
    return next;
  }

  /** Names under which answers are left that nobody asked for. */
  unused(): string[] {
    return [...this.#left].filter(([, answers]) => answers.length > 0).map(([name]) => name);
  }
}
