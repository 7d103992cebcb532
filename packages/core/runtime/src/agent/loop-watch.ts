import {
  canonicalJson,
  isSignalboxError,
  type JsonValue,
  parseStrictJson,
  SignalboxError,
  sha256Hex,
} from '@signalbox/kernel';
import { PERMANENT } from '../journal/handler.ts';

/** The same call with the same outcome so often ends the node. */
const MOST_REPEATS = 3;
/** So many turns in a row that brought nothing new end it: one may be a second try. */
const MOST_STALE_TURNS = 2;

/**
 * Notices an agent that goes round in circles. A call is the same as another by its tool and the value of its arguments,
 * however they are written; the id that the provider gave it is another each time.
 */
export class LoopWatch {
  readonly #times = new Map<string, number>();
  #hasNews = false;
  #staleTurns = 0;

  /** After each call: the error `NoProgress` where that was once too often. */
  called(tool: string, args: string, outcome: JsonValue): Error | undefined {
    const key = sha256Hex(canonicalJson([tool, asValue(args), outcome]));
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (times === 1) this.#hasNews = true;
    if (times < MOST_REPEATS) return undefined;
    return noProgress(`It called "${tool}" ${times} times with the same arguments and the same outcome.`);
  }

  /** After all calls of a turn: the error `NoProgress` where the last turns brought no news. */
  turned(): Error | undefined {
    this.#staleTurns = this.#hasNews ? 0 : this.#staleTurns + 1;
    this.#hasNews = false;
    if (this.#staleTurns < MOST_STALE_TURNS) return undefined;
    return noProgress(
      `In ${MOST_STALE_TURNS} turns running it made only calls that it had made before, with the same outcome.`,
    );
  }
}

/** Arguments that cannot be read are the same where their text is. */
function asValue(args: string): JsonValue {
  try {
    return [parseStrictJson(args)];
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    return args;
  }
}

function noProgress(why: string): Error {
  const error = new SignalboxError('NoProgress', `The agent does not get on. ${why}`, {
    hint: 'Look at the calls with `signalbox timeline`; change the prompt, the tools or the contract.',
  });
  return Object.assign(error, { [PERMANENT]: true });
}
