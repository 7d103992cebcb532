import { isJsonObject, isSignalboxError, type JsonValue, parseStrictJson, SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { sha256 } from '../log/commit-codec.ts';
import type { HeadLines } from './head-file.ts';
import { allStreams } from './verify-stream.ts';

/** One checkpoint: at `at`, the stream's last event was `seq` and its last commit had `hash`. */
export interface HeadEntry {
  readonly stream: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
}

/**
 * `HeadMissing`: the stream is shorter than it was, or gone. `HeadMismatch`: another commit stands there now.
 * `HeadUnreadable`: the line is no head.
 */
export interface HeadFinding {
  /** Line of the head file, from 1. */
  readonly line: number;
  readonly stream?: string;
  readonly seq?: number;
  readonly code: 'HeadMissing' | 'HeadMismatch' | 'HeadUnreadable';
  readonly reason: string;
}

export interface HeadReport {
  readonly ok: boolean;
  /** Lines looked at. */
  readonly checked: number;
  /** The first hundred. */
  readonly bad: readonly HeadFinding[];
}

export interface WrittenHeads extends HeadReport {
  readonly written: number;
}

const MOST_FINDINGS = 100;
const BATCH = 500;

/**
 * Looks in the store for every head ever written: a stream that was cut off lacks one, a stream that was written anew has
 * another. That what stands before a head is whole is for `verifyStream` to tell.
 */
export async function checkHeads(store: EventStore, lines: HeadLines): Promise<HeadReport> {
  const bad: HeadFinding[] = [];
  let checked = 0;
  for await (const { line, entry } of readHeads(lines, bad)) {
    checked = line;
    if (entry !== undefined) note(bad, await findingOf(store, entry, line));
  }
  return { ok: bad.length === 0, checked, bad };
}

/**
 * Adds the head of every stream that has moved since its last one was written. A stream that lacks its last head gets no
 * new one and is reported, so that a rewritten log is never signed off.
 *
 * @param at RFC 3339 UTC, written into the lines.
 * @throws SignalboxError `NotChained` for a store without a hash chain.
 */
export async function writeHeads(store: EventStore, lines: HeadLines, at: string): Promise<WrittenHeads> {
  if (!store.features.chained)
    throw new SignalboxError(
      'NotChained',
      `The ${store.features.name} store keeps no hash chain, so it has no heads.`,
      {
        hint: 'Use the SQLite store, or create this one with its chain, as createMemoryStore({ chain: true }).',
      },
    );
  const bad: HeadFinding[] = [];
  const last = new Map<string, HeadEntry & { readonly line: number }>();
  let checked = 0;
  for await (const { line, entry } of readHeads(lines, bad)) {
    checked = line;
    if (entry !== undefined) last.set(entry.stream, { ...entry, line });
  }
  const lost = new Set<string>();
  for (const entry of last.values()) {
    const finding = await findingOf(store, entry, entry.line);
    if (finding !== undefined) lost.add(entry.stream);
    note(bad, finding);
  }
  const written = await appendMoved(store, lines, at, stream => (lost.has(stream) ? 'lost' : last.get(stream)?.seq));
  return { ok: bad.length === 0, checked, bad, written };
}

async function appendMoved(
  store: EventStore,
  lines: HeadLines,
  at: string,
  lastSeq: (stream: string) => number | 'lost' | undefined,
): Promise<number> {
  let written = 0;
  let batch: string[] = [];
  for await (const stream of allStreams(store)) {
    const before = lastSeq(stream);
    const head = before === 'lost' ? undefined : await store.head(stream);
    if (head?.hash === undefined || head.seq === before) continue;
    batch.push(JSON.stringify({ stream, seq: head.seq, hash: head.hash, at } satisfies HeadEntry));
    written += 1;
    if (batch.length < BATCH) continue;
    await lines.appendLines(batch);
    batch = [];
  }
  await lines.appendLines(batch);
  return written;
}

function note(bad: HeadFinding[], finding: HeadFinding | undefined): void {
  if (finding !== undefined && bad.length < MOST_FINDINGS) bad.push(finding);
}

/** Lines that are no heads are noted, and come without an entry. */
async function* readHeads(
  lines: HeadLines,
  bad: HeadFinding[],
): AsyncGenerator<{ readonly line: number; readonly entry: HeadEntry | undefined }> {
  let line = 0;
  for await (const text of lines.readLines()) {
    line += 1;
    const entry = readHead(text);
    if (typeof entry === 'string') note(bad, { line, code: 'HeadUnreadable', reason: entry });
    yield { line, entry: typeof entry === 'string' ? undefined : entry };
  }
}

const MOST_BYTES = 16 * 1024;

/** The entry, or what is wrong with the line. */
function readHead(text: string): HeadEntry | string {
  let value: JsonValue;
  try {
    value = parseStrictJson(text, { maxBytes: MOST_BYTES });
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    return error.message;
  }
  if (!isJsonObject(value)) return 'it is no object';
  const { stream, seq, hash, at } = value;
  if (typeof stream !== 'string' || !Number.isInteger(seq) || typeof at !== 'string') return 'it is no head';
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return 'its hash is no SHA-256';
  return { stream, seq: seq as number, hash, at };
}

async function findingOf(
  store: EventStore,
  { stream, seq, hash, at }: HeadEntry,
  line: number,
): Promise<HeadFinding | undefined> {
  const [stored] = await store.read(stream, { fromSeq: seq, toSeq: seq, limit: 1 });
  if (stored === undefined)
    return { line, stream, seq, code: 'HeadMissing', reason: `it had reached ${seq} at ${at}, and does not any more` };
  if (stored.lastSeq === seq && stored.sealed !== undefined && sha256(stored.sealed.text) === hash) return undefined;
  return { line, stream, seq, code: 'HeadMismatch', reason: `its commit at ${seq} is not the one of ${at}` };
}
