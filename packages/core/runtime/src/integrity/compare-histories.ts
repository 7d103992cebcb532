import { type Commit, hasKey, isJsonObject, type JsonValue, jsonEqual, type StoredEvent } from '@signalbox/kernel';
import { shown } from '../views/text.ts';

/** Where two histories part. A side is absent where its history has ended, or where a datum has no such member. */
export interface Difference {
  /** Sequence number in the left history; in the right one where the left has ended. */
  readonly seq: number;
  /** Type of the event there, of the left history where it has one. */
  readonly type: string;
  /** JSON pointer: `/type`, a place below `/data`, or '' where one side has no event. */
  readonly path: string;
  readonly left?: JsonValue;
  readonly right?: JsonValue;
  /** One line for people. */
  readonly text: string;
}

export interface CompareOptions {
  /** Event types that are passed over on both sides; who drives a run and when says nothing of what it decided. */
  readonly ignore?: ReadonlySet<string>;
}

const DRIVING: ReadonlySet<string> = new Set(['run.claimed', 'run.idled', 'run.released']);

/** An event with its sequence number. */
export interface Placed {
  readonly seq: number;
  readonly event: StoredEvent;
}

/**
 * The first difference in types and data of events, in order; undefined when there is none. Times, actors and how events lie
 * in commits do not count. Both are read side by side, so long histories take no room.
 */
export async function compareHistories(
  left: Iterable<Commit> | AsyncIterable<Commit>,
  right: Iterable<Commit> | AsyncIterable<Commit>,
  { ignore = DRIVING }: CompareOptions = {},
): Promise<Difference | undefined> {
  const lefts = events(left, ignore);
  const rights = events(right, ignore);
  try {
    for (;;) {
      const [a, b] = [(await lefts.next()).value, (await rights.next()).value];
      if (a === undefined && b === undefined) return undefined;
      const difference = differenceOf(a, b);
      if (difference !== undefined) return difference;
    }
  } finally {
    await lefts.return(undefined);
    await rights.return(undefined);
  }
}

async function* events(
  commits: Iterable<Commit> | AsyncIterable<Commit>,
  ignore: ReadonlySet<string>,
): AsyncGenerator<Placed, undefined> {
  for await (const commit of commits)
    for (const [index, event] of commit.events.entries())
      if (!ignore.has(event.type)) yield { seq: commit.firstSeq + index, event };
  return undefined;
}

/** How two events in one place differ in type, version or data; undefined when they are the same. */
export function differenceOf(a: Placed | undefined, b: Placed | undefined): Difference | undefined {
  if (a === undefined || b === undefined) {
    const { seq, event } = (a ?? b)!;
    const ended = a === undefined ? 'left' : 'right';
    return {
      seq,
      type: event.type,
      path: '',
      ...(a === undefined ? {} : { left: event.type }),
      ...(b === undefined ? {} : { right: event.type }),
      text: `${seq}: the ${ended} history has ended, the other goes on with ${event.type}`,
    };
  }
  const { type } = a.event;
  if (type !== b.event.type) return difference(a.seq, type, { path: '/type', left: type, right: b.event.type });
  const parted = part(versioned(a.event), versioned(b.event), '');
  return parted === undefined ? undefined : difference(a.seq, type, parted);
}

function versioned({ v = 1, data }: StoredEvent): JsonValue {
  return { v, data };
}

interface Parted {
  readonly path: string;
  readonly left?: JsonValue;
  readonly right?: JsonValue;
}

/** The first place, depth first in the order of the left, at which two values are not the same JSON. */
function part(left: JsonValue, right: JsonValue, path: string): Parted | undefined {
  if (jsonEqual(left, right)) return undefined;
  const below = Array.isArray(left) && Array.isArray(right) ? itemsOf(left, right) : membersOf(left, right);
  for (const key of below ?? []) {
    const [a, b] = [memberOf(left, key), memberOf(right, key)];
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (a === undefined || b === undefined)
      return { path: at, ...(a === undefined ? {} : { left: a }), ...(b === undefined ? {} : { right: b }) };
    const parted = part(a, b, at);
    if (parted !== undefined) return parted;
  }
  return { path, left, right };
}

function itemsOf(left: readonly JsonValue[], right: readonly JsonValue[]): string[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => String(index));
}

function membersOf(left: JsonValue, right: JsonValue): string[] | undefined {
  if (!isJsonObject(left) || !isJsonObject(right)) return undefined;
  return [...new Set([...Object.keys(left), ...Object.keys(right)])];
}

function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return (value as readonly JsonValue[])[Number(key)];
  return isJsonObject(value) && hasKey(value, key) ? value[key] : undefined;
}

function difference(seq: number, type: string, parted: Parted): Difference {
  const side = (name: 'left' | 'right') => shown(parted[name]);
  return { seq, type, ...parted, text: `${seq} ${type} ${parted.path}: ${side('left')} ≠ ${side('right')}` };
}
