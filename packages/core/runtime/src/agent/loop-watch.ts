import { type JsonValue, SignalboxError, sha256Hex } from '@signalbox/kernel';
import { PERMANENT } from '../journal/handler.ts';

/** The same call with the same outcome so often ends the node. */
const MOST_REPEATS = 3;

/** Notices an agent that goes round in circles: the same tool, arguments and outcome again, or a turn without news. */
export class LoopWatch {
  readonly #times = new Map<string, number>();
  #before: string | undefined;

  /** After each call. @throws SignalboxError `NoProgress` */
  called(tool: string, args: string, outcome: JsonValue): void {
    const key = sha256Hex(JSON.stringify([tool, args, outcome]));
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (times >= MOST_REPEATS)
      throw noProgress(`It called "${tool}" ${times} times with the same arguments and the same outcome.`);
  }

  /** After each turn: what the model said and what came of it. @throws SignalboxError `NoProgress` */
  turned(said: JsonValue): void {
    const key = sha256Hex(JSON.stringify(said));
    if (key === this.#before) throw noProgress('A turn brought nothing that the one before had not.');
    this.#before = key;
  }
}

function noProgress(why: string): Error {
  const error = new SignalboxError('NoProgress', `The agent does not get on. ${why}`, {
    hint: 'Look at the calls with `signalbox timeline`; change the prompt, the tools or the contract.',
  });
  return Object.assign(error, { [PERMANENT]: true });
}
