import {
  type Command,
  type CommandBody,
  type Decision,
  decide,
  isJsonObject,
  type JsonValue,
  jsonEqual,
  type Program,
  type Run,
  type StoredEvent,
} from '@signalbox/kernel';
import { failureInstead } from '../drive/not-decided.ts';
import { type Difference, differenceOf } from '../integrity/compare-histories.ts';
import { asRecorded } from './as-recorded.ts';

/** What a command would come to here, beside what the log has. */
export interface Trial {
  readonly events: readonly StoredEvent[];
  readonly refusal: string | undefined;
  /** It begins with what the log has next, whatever comes of it. */
  readonly fits: boolean;
  /** Where it parts from the log; undefined when the log has all of it. */
  readonly difference: Difference | undefined;
}

interface Tried extends Pick<Command, 'at' | 'actor' | 'checks'> {
  readonly body: CommandBody;
}

/** Decides a command as the driver would, and compares; nothing is changed by it. */
export function tried(program: Program, run: Run, command: Tried, recorded: readonly StoredEvent[]): Trial {
  const { events: decided, refusal } = decisionOn(program, run, command);
  const events = jsonEqual([...(decided as never)], [...(recorded.slice(0, decided.length) as never)])
    ? recorded.slice(0, decided.length)
    : asRecorded(recorded, plain(decided));
  const fits = events.length > 0 && recorded[0] !== undefined && isSamePlace(recorded[0], events[0]!);
  const difference = fits ? firstDifference(run.seq + 1, recorded, events) : undefined;
  return { events, refusal: refusal?.message, fits, difference };
}

/** A report that cannot be decided stands as the failure of its node, as it would in a log. */
function decisionOn(program: Program, run: Run, { body, ...by }: Tried): Decision {
  const on = (one: CommandBody) => decide(program, run, { ...one, ...by } as Command);
  let thrown: unknown;
  try {
    const decision = on(body);
    if (decision.refusal === undefined || body.type !== 'report') return decision;
    thrown = decision.refusal;
  } catch (error) {
    thrown = error;
  }
  const instead = failureInstead(body, thrown);
  if (instead === undefined) throw thrown;
  return on(instead);
}

/** As it would be written and read again. */
function plain(events: Decision['events']): StoredEvent[] {
  return JSON.parse(JSON.stringify(events)) as StoredEvent[];
}

const PLACE = ['token', 'node', 'visit', 'op', 'scope', 'index', 'name'];

function isSamePlace(recorded: StoredEvent, now: StoredEvent): boolean {
  return recorded.type === now.type && PLACE.every(member => same(recorded.data[member], now.data[member]));
}

function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : jsonEqual(a, b);
}

function firstDifference(
  firstSeq: number,
  recorded: readonly StoredEvent[],
  now: readonly StoredEvent[],
): Difference | undefined {
  for (const [index, event] of now.entries()) {
    const seq = firstSeq + index;
    const before = recorded[index] && { seq, event: recorded[index] };
    const difference = differenceOf(before, { seq, event });
    // What the digest is of tells more.
    if (difference?.path === '/data/digest' && before !== undefined)
      return differenceOf(before, { seq, event: withDigestOf(before.event, event) }) ?? difference;
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function withDigestOf(before: StoredEvent, now: StoredEvent): StoredEvent {
  return { ...now, data: { ...now.data, ...(before.data.digest === undefined ? {} : { digest: before.data.digest }) } };
}

export function isFound({ fits, difference }: Trial): boolean {
  return fits && difference === undefined;
}

/** That which goes along with the log for longest; the first where none begins as the log does. */
export function closerOf(before: Trial | undefined, now: Trial): Trial {
  if (before === undefined) return now;
  const reached = (trial: Trial) => (trial.fits ? (trial.difference?.seq ?? 0) : -1);
  return reached(now) > reached(before) ? now : before;
}

/** The first event that the log has and the trial has not. */
export function nextOf({ difference }: Trial, recorded: readonly StoredEvent[], run: Run): StoredEvent | undefined {
  return difference && recorded[difference.seq - run.seq - 1];
}

/** The node that an event is about, where it is about one. */
export function refOf({ data }: StoredEvent, run: Run): { token: string; node: string; visit: number } | undefined {
  const of = typeof data.request === 'string' && data.node === undefined ? run.requests.get(data.request) : data;
  const { token, node, visit } = (isJsonObject(of as JsonValue) ? of : {}) as Readonly<Record<string, unknown>>;
  if (typeof token !== 'string' || typeof node !== 'string' || typeof visit !== 'number') return undefined;
  return { token, node, visit };
}
