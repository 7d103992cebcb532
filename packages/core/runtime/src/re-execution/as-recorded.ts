import { isJsonObject, type JsonValue, type StoredEvent } from '@signalbox/kernel';
import { renamed } from '../integrity/copied-run.ts';

/** The log has one time for a commit; what shares it was decided up to so long apart, ms. */
const SAME_MOMENT_MS = 1_000;
/** Numbers from here on, as those of our own events, are epoch milliseconds (2001 and later). */
const FIRST_INSTANT = 1e12;

/** Measured, or drawn by the run's id, and so no part of what a log proves: type → members. */
const MEASURED: Readonly<Record<string, readonly string[]>> = {
  'run.claimed': ['idle'],
  'run.idled': ['idle'],
  'node.suspended': ['executed'],
  'node.retryScheduled': ['at'],
  'request.answered': ['digest'],
  'request.endorsed': ['digest'],
};

/** Told since a later version, which changes nothing of what an earlier one decided: type → members. */
const TOLD_SINCE: Readonly<Record<string, readonly string[]>> = {
  'run.started': ['by'],
  'run.forked': ['by'],
  'request.opened': ['grants'],
  'op.intended': ['request'],
};

/**
 * What is decided now, with all that is legitimately new as it stands in the log: times a moment apart, what was measured,
 * and the ids of requests in a run that was copied under another id.
 */
export function asRecorded(recorded: readonly StoredEvent[], now: readonly StoredEvent[]): StoredEvent[] {
  const ids = requestIds(recorded, now);
  return now.map((event, index) => {
    const before = recorded[index];
    if (before?.type !== event.type) return event;
    const named = ids.size === 0 ? event.data : (renamed(event.data, ids) as StoredEvent['data']);
    const data = worded(before, named);
    return {
      ...event,
      data: withoutNews(before, {
        ...(sameMoments(before.data, data) as StoredEvent['data']),
        ...measured(before, data),
        ...lasted(before, data),
      }),
    };
  });
}

/** Questions that the engine itself words, which a later version may word better. */
const OWN_QUESTIONS: ReadonlySet<unknown> = new Set(['doubt', 'compensation', 'limit']);
const WORDING = ['definition', 'filled'];

function measured({ type, data }: StoredEvent, now: StoredEvent['data']): StoredEvent['data'] {
  const names = (MEASURED[type] ?? []).filter(name => data[name] !== undefined && now[name] !== undefined);
  return Object.fromEntries(names.map(name => [name, data[name]!]));
}

/** How long something took, where that is reckoned between moments for which the log may have one time. */
function lasted({ type, data }: StoredEvent, now: StoredEvent['data']): StoredEvent['data'] {
  if (type === 'run.claimed') return isSameLength(data.idle, now.idle ?? 0) ? { idle: data.idle! } : {};
  if (type !== 'budget.spent' || !isJsonObject(data.amounts) || !isJsonObject(now.amounts)) return {};
  const { time } = data.amounts;
  return isSameLength(time, now.amounts.time) ? { amounts: { ...now.amounts, time: time! } } : {};
}

function isSameLength(before: JsonValue | undefined, now: JsonValue | undefined): boolean {
  return typeof before === 'number' && typeof now === 'number' && Math.abs(before - now) <= SAME_MOMENT_MS;
}

function withoutNews({ type, data }: StoredEvent, now: StoredEvent['data']): StoredEvent['data'] {
  const news = TOLD_SINCE[type]?.filter(name => data[name] === undefined) ?? [];
  return news.length === 0 ? now : Object.fromEntries(Object.entries(now).filter(([name]) => !news.includes(name)));
}

/** The question as it was worded then. */
function worded({ type, data }: StoredEvent, now: StoredEvent['data']): StoredEvent['data'] {
  if (type !== 'request.opened' || !OWN_QUESTIONS.has(data.about)) return now;
  const own = Object.entries(data).filter(([name]) => WORDING.includes(name));
  return Object.fromEntries([...Object.entries(now).filter(([name]) => !WORDING.includes(name)), ...own]);
}

function requestIds(recorded: readonly StoredEvent[], now: readonly StoredEvent[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const [index, { type, data }] of now.entries()) {
    const before = recorded[index];
    if (type !== 'request.opened' || before?.type !== type) continue;
    if (data.request !== before.data.request) ids.set(String(data.request), String(before.data.request));
  }
  return ids;
}

function sameMoments(before: JsonValue, now: JsonValue): JsonValue {
  if (isSameMoment(before, now)) return before;
  if (Array.isArray(before) && Array.isArray(now))
    return now.map((item, index) => (index < before.length ? sameMoments(before[index], item) : item));
  if (!isJsonObject(before) || !isJsonObject(now)) return now;
  return Object.fromEntries(
    Object.entries(now).map(([key, member]) => {
      const earlier = before[key];
      return [key, earlier === undefined ? member : sameMoments(earlier, member)];
    }),
  );
}

function isSameMoment(before: JsonValue, now: JsonValue): boolean {
  const [a, b] = [momentOf(before), momentOf(now)];
  return a !== undefined && b !== undefined && Math.abs(a - b) <= SAME_MOMENT_MS;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

function momentOf(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= FIRST_INSTANT ? value : undefined;
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}
