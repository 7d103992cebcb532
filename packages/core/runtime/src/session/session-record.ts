import { commitTime, type JsonObject, type JsonValue, type MessageRole, type Principal } from '@signalbox/kernel';
import type { Folding, Place } from '../log/folded-stream.ts';
import { type Entries, withEntry, withoutEntry } from '../memory/memory-fold.ts';
import type { Origin, SessionEvents, SessionEventType } from './session-event.ts';

export interface SessionMessage extends Origin {
  /** `<session>.<seq>` is unique; messages are in the order of `seq`. */
  readonly seq: number;
  readonly at: string;
  readonly role: MessageRole;
  readonly content: JsonValue;
  readonly by: Principal;
}

/** A message as the fold keeps it: one that is large stands apart, under its digest. */
export type KeptMessage = SessionMessage & { readonly payload?: string };

/**
 * The fold of a session's stream.
 *  1. `holders` and `queue` name each run once, in the order in which they came; a run is in one of them at most.
 *  2. `messages` are the newest, `KEPT_MESSAGES` at most; the others stand in the log.
 */
export interface SessionRecord {
  tenant: string;
  user: string | undefined;
  places: number;
  openedAt: number;
  updatedAt: number;
  state: JsonObject;
  metadata: JsonObject;
  /** Sequence number of the last event that changed `state` or `metadata`. */
  changedSeq: number;
  holders: readonly string[];
  queue: readonly string[];
  /** The run that joined last. */
  lastRun: string | undefined;
  runCount: number;
  messages: readonly KeptMessage[];
  messageCount: number;
  memory: Entries;
}

const KEPT_MESSAGES = 100;

function emptySession(): SessionRecord {
  return {
    tenant: '',
    user: undefined,
    places: 1,
    openedAt: 0,
    updatedAt: 0,
    state: {},
    metadata: {},
    changedSeq: 0,
    holders: [],
    queue: [],
    lastRun: undefined,
    runCount: 0,
    messages: [],
    messageCount: 0,
    memory: {},
  };
}

type Fold = {
  readonly [Type in SessionEventType]: (record: SessionRecord, data: SessionEvents[Type], place: Place) => void;
};

const FOLD: Fold = {
  'session.opened': (record, { tenant, user, metadata = {}, places = 1 }, { at, seq }) => {
    Object.assign(record, { tenant, user, metadata, places, openedAt: at, changedSeq: seq });
  },
  'session.changed': (record, { set, remove = [], of }, { seq }) => {
    const part = of ?? 'state';
    const changed: Record<string, JsonValue> = { ...record[part], ...set };
    for (const key of remove) delete changed[key];
    record[part] = changed;
    record.changedSeq = seq;
  },
  'message.added': (record, data, place) => {
    record.messages = [...record.messages.slice(1 - KEPT_MESSAGES), toMessage(data, place)];
    record.messageCount += 1;
  },
  'run.joined': (record, { run }) => {
    record.lastRun = run;
    record.runCount += 1;
  },
  'place.queued': (record, { run }) => {
    leave(record, run);
    record.queue = [...record.queue, run];
  },
  'place.taken': (record, { run }) => {
    leave(record, run);
    record.holders = [...record.holders, run];
  },
  'place.freed': (record, { run }) => leave(record, run),
  'memory.written': (record, entry) => {
    record.memory = withEntry(record.memory, entry);
  },
  'memory.removed': (record, { key }) => {
    record.memory = withoutEntry(record.memory, key);
  },
};

function leave(record: SessionRecord, run: string): void {
  record.holders = record.holders.filter(other => other !== run);
  record.queue = record.queue.filter(other => other !== run);
}

export function toMessage(data: SessionEvents['message.added'], { seq, at, actor, refs }: Place): KeptMessage {
  const payload = refs?.content;
  return { seq, at: commitTime(at), ...data, by: actor, ...(payload === undefined ? {} : { payload }) };
}

/** Whether it is the turn of that run: a place is free, and everybody who came before has one. */
export function isTurnOf({ places, holders, queue }: SessionRecord, run: string): boolean {
  const index = queue.indexOf(run);
  const before = index === -1 ? queue.length : index;
  return holders.length + before < places;
}

/** The runs whose turn it is. */
export function nextRuns({ places, holders, queue }: SessionRecord): readonly string[] {
  return queue.slice(0, Math.max(0, places - holders.length));
}

export const SESSION: Folding<SessionRecord> = {
  format: 201,
  empty: emptySession,
  apply: (record, event, place) => {
    record.updatedAt = place.at;
    if (!Object.hasOwn(FOLD, event.type)) return;
    const apply = FOLD[event.type as SessionEventType] as (record: SessionRecord, data: unknown, place: Place) => void;
    apply(record, event.data, place);
  },
  encode: record => record,
  decode: (body: SessionRecord) => ({ ...emptySession(), ...body }),
};
