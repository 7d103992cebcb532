import {
  assertJsonValue,
  commitTime,
  type JsonObject,
  type MemoryEntry,
  type Principal,
  parseDuration,
  SignalboxError,
} from '@signalbox/kernel';
import type { Engine } from '../engine/engine.ts';
import type { Entries } from './memory-fold.ts';
import { findEntry } from './user-memories.ts';

/** Whose memory: a run's, a session's or a user's. */
export type MemoryPlace = { readonly tenant: string } & (
  | { readonly run: string }
  | { readonly session: string }
  | { readonly user: string }
);

/** What is remembered there, in the order of writing; what has expired is told as well. */
export async function listMemory(engine: Engine, place: MemoryPlace): Promise<readonly MemoryEntry[]> {
  if ('run' in place) return [...((await engine.view(place.run)).run.memory?.values() ?? [])];
  return Object.values(await entriesOf(engine, place));
}

async function entriesOf(engine: Engine, place: Exclude<MemoryPlace, { run: string }>): Promise<Entries> {
  if ('user' in place) return await engine.users.entries(place);
  return (await engine.sessions.current(place.session, place.tenant)).memory;
}

export interface MemoryEdit {
  readonly key: string;
  readonly values: JsonObject;
  /** For how long from now; default: as it was, or for ever. */
  readonly ttl?: string;
  readonly reason?: string;
}

/** Writes over what is remembered, or writes it first. What it came from stays beside it. */
export async function editMemory(engine: Engine, place: MemoryPlace, edit: MemoryEdit, by: Principal): Promise<void> {
  const { key, values, ttl, reason = 'edited' } = edit;
  const clean = assertJsonValue(values, 'What is to be remembered') as JsonObject;
  if ('run' in place) {
    await engine.command(place.run, { type: 'memory', key, values: clean, reason }, by);
    return;
  }
  const before = findEntry(await entriesOf(engine, place), key);
  const now = engine.clock.now();
  const entry: MemoryEntry = {
    ...before,
    key,
    scope: 'user' in place ? 'user' : 'session',
    values: clean,
    by,
    at: commitTime(now),
    confidence: 1,
    ...(ttl === undefined ? {} : { expiresAt: commitTime(now + parseDuration(ttl)) }),
  };
  await write(engine, place, { type: 'memory.written', data: entry }, by);
  if ('user' in place) await engine.tellLongTerm(place, { type: 'memory.written', data: entry });
}

/**
 * From now on it is asked for again.
 * @throws SignalboxError `UnknownMemory`
 */
export async function forgetMemory(
  engine: Engine,
  place: MemoryPlace,
  { key, reason = 'forgotten' }: { readonly key: string; readonly reason?: string },
  by: Principal,
): Promise<void> {
  if ('run' in place) {
    await engine.command(place.run, { type: 'memory', key, reason }, by);
    return;
  }
  const isKnown = findEntry(await entriesOf(engine, place), key) !== undefined;
  const scope = 'user' in place ? ('user' as const) : ('session' as const);
  const removed = { type: 'memory.removed' as const, data: { key, scope, reason } };
  if (isKnown) await write(engine, place, removed, by);
  // Told also of what is unknown here: an earlier telling may have been lost.
  if ('user' in place) await engine.tellLongTerm(place, removed);
  if (!isKnown) throw unknownMemory(key);
}

type Change = Parameters<Engine['tellLongTerm']>[1];

async function write(
  engine: Engine,
  place: Exclude<MemoryPlace, { run: string }>,
  change: Change,
  by: Principal,
): Promise<void> {
  if ('user' in place) return await engine.users.write(place, change, by);
  await engine.sessions.append({ id: place.session, tenant: place.tenant }, () => [change], by);
}

function unknownMemory(key: string): SignalboxError {
  return new SignalboxError('UnknownMemory', `Nothing is remembered under "${key}".`, {
    hint: 'See `signalbox memory list`.',
    details: { key },
  });
}
