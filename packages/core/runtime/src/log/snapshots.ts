import {
  decodeRun,
  encodeRun,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ListCell,
  RUN_FORMAT,
  type Run,
} from '@signalbox/kernel';
import type { EventStore, SnapshotChunk } from '@signalbox/ports';
import { sha256 } from './commit-codec.ts';
import { PieceCache, type ReadPiece } from './piece-cache.ts';

/**
 * Snapshots of runs.
 *  1. They are disposable: one that is missing, of another format, damaged or incomplete is passed over, and the log is
 *     folded. What is damaged does not match its digest, so it is never taken for a value.
 *  2. Full pieces of a growing list are written once and named by later snapshots; only its end is written again.
 *  3. All are kept, a bounded fold apart, so that any moment is quickly reached. What they weigh together stays below
 *     what the log weighs, because none is made before the log has grown by what the last one wrote.
 */
const PIECE = 256;

/** A full piece of a list as a chunk. */
interface Piece {
  readonly id: string;
  readonly digest: string;
}

/** The full pieces of a list, by its backing array: they live as long as the list does. */
const written = new WeakMap<object, Piece[]>();

interface ListEntry {
  readonly pieces: readonly Piece[];
  readonly tail: readonly JsonValue[];
}

export interface WrittenSnapshot {
  /** Bytes written this time: the body and the new chunks. */
  readonly bytes: number;
}

export async function writeSnapshot(store: EventStore, run: Run, hash: string | undefined): Promise<WrittenSnapshot> {
  const { body, lists } = encodeRun(run);
  const chunks: SnapshotChunk[] = [];
  const pieces = lists.map((list, index) => namePieces(list, `${run.seq}.${index}`, chunks));
  const entries = lists.map((list, index): ListEntry => {
    const full = Math.floor(list.length / PIECE);
    return { pieces: pieces[index]!.slice(0, full), tail: list.slice(full * PIECE, list.length) };
  });
  const content = JSON.stringify({ body, lists: entries, hash });
  const text = `${sha256(content)}${content}`;
  await store.saveSnapshot({ stream: run.id, seq: run.seq, format: RUN_FORMAT, body: text }, chunks);
  lists.forEach((list, index) => {
    written.set(list.backing, pieces[index]!);
  });
  return { bytes: chunks.reduce((sum, chunk) => sum + chunk.text.length, text.length) };
}

/** Names of all full pieces; those without one yet become chunks. Known as written only once the store has them. */
function namePieces(list: ListCell, prefix: string, chunks: SnapshotChunk[]): Piece[] {
  const full = Math.floor(list.length / PIECE);
  const pieces = [...(written.get(list.backing) ?? [])];
  for (let piece = pieces.length; piece < full; piece += 1) {
    const id = `${prefix}.${piece}`;
    const text = JSON.stringify(list.slice(piece * PIECE, (piece + 1) * PIECE));
    chunks.push({ id, text });
    pieces.push({ id, digest: sha256(text) });
  }
  return pieces;
}

export async function readSnapshot(
  store: EventStore,
  runId: string,
  until: number,
): Promise<{ run: Run; hash: string | undefined; bytes: number } | undefined> {
  const snapshot = await store.snapshot(runId, Number.isFinite(until) ? until : undefined);
  if (snapshot === undefined || snapshot.format !== RUN_FORMAT) return undefined;
  const parsed = parse(snapshot.body);
  if (parsed === undefined) return undefined;
  const lists = await readLists(store, runId, parsed.lists);
  if (lists === undefined) return undefined;
  const run = decoded(parsed.body, lists);
  return run?.seq === snapshot.seq ? { run, hash: parsed.hash, bytes: snapshot.body.length } : undefined;
}

function decoded(body: JsonObject, lists: JsonValue[][]): Run | undefined {
  try {
    return decodeRun<Run>(body, lists);
  } catch {
    return undefined; // Whole, and yet no run: not from here.
  }
}

const DIGEST_LENGTH = 64;

function parse(whole: string): { body: JsonObject; lists: readonly ListEntry[]; hash: string | undefined } | undefined {
  const text = whole.slice(DIGEST_LENGTH);
  if (sha256(text) !== whole.slice(0, DIGEST_LENGTH)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    if (!isJsonObject(value) || !isJsonObject(value.body) || !Array.isArray(value.lists)) return undefined;
    return {
      body: value.body,
      lists: value.lists as unknown as ListEntry[],
      hash: typeof value.hash === 'string' ? value.hash : undefined,
    };
  } catch {
    return undefined; // A damaged snapshot is no loss: the log is folded instead.
  }
}

function parsePiece(text: string | undefined, digest: string): ReadPiece | undefined {
  if (text === undefined || sha256(text) !== digest) return undefined;
  return { items: JSON.parse(text) as JsonValue[], units: text.length };
}

const readPieces = new WeakMap<EventStore, PieceCache>();

function piecesOf(store: EventStore): PieceCache {
  let pieces = readPieces.get(store);
  if (pieces === undefined) {
    pieces = new PieceCache();
    readPieces.set(store, pieces);
  }
  return pieces;
}

async function readLists(
  store: EventStore,
  runId: string,
  entries: readonly ListEntry[],
): Promise<JsonValue[][] | undefined> {
  const known = piecesOf(store);
  const wanted = entries.flatMap(entry =>
    entry.pieces.filter(piece => known.get(piece.digest) === undefined).map(piece => piece.id),
  );
  const found = new Map(
    (wanted.length === 0 ? [] : await store.chunks(runId, wanted)).map(chunk => [chunk.id, chunk.text]),
  );
  const lists: JsonValue[][] = [];
  for (const { pieces, tail } of entries) {
    const items: JsonValue[] = [];
    for (const { id, digest } of pieces) {
      const piece = known.get(digest) ?? parsePiece(found.get(id), digest);
      if (piece === undefined) return undefined;
      known.keep(digest, piece);
      for (const item of piece.items) items.push(item);
    }
    for (const item of tail) items.push(item);
    written.set(items, [...pieces]);
    lists.push(items);
  }
  return lists;
}

/**
 * Whether a snapshot is due: the fold of the tail would cost more than a few milliseconds, or the tail outweighs by far
 * what the last snapshot had to write. Never before the tail outweighs it: a run whose snapshots are large gets fewer.
 * Whole snapshots are not counted: unchanged pieces cost nothing.
 */
export function snapshotDue(tail: { readonly commits: number; readonly bytes: number }, lastWritten: number): boolean {
  if (tail.bytes < lastWritten) return false;
  return tail.commits >= 150 || (tail.commits >= 50 && tail.bytes > 4 * Math.max(lastWritten, 32 * 1024));
}
