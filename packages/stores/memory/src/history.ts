import { type FeedPage, type StoredCommit, storeErrors } from '@signalbox/ports';
import type { MemoryData } from './memory-data.ts';

export function readStream(
  data: MemoryData,
  stream: string,
  { fromSeq = 1, toSeq = Number.MAX_SAFE_INTEGER, limit = 1000 }: { fromSeq?: number; toSeq?: number; limit?: number },
): StoredCommit[] {
  const commits = data.streams.get(stream) ?? [];
  const found: StoredCommit[] = [];
  for (let index = firstEndingAt(commits, fromSeq); index < commits.length && found.length < limit; index += 1) {
    const commit = commits[index];
    if (commit === undefined || commit.firstSeq > toSeq) break;
    found.push(commit);
  }
  return found;
}

/** Index of the first commit whose last seq is at least `seq`. */
function firstEndingAt(commits: readonly StoredCommit[], seq: number): number {
  let low = 0;
  let high = commits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((commits[middle]?.lastSeq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The cursor is the number of commits behind it: the log only grows at its end. */
export function readFeed(
  data: MemoryData,
  { after = '0', limit = 1000 }: { readonly after?: string; readonly limit?: number },
): FeedPage {
  const start = /^\d+$/.test(after) ? Number(after) : Number.NaN;
  if (!(start <= data.log.length)) throw storeErrors.invalidCursor(after);
  const commits = data.log.slice(start, start + limit);
  const cursors = commits.map((_, index) => String(start + index + 1));
  return { commits, cursors, cursor: String(start + commits.length) };
}

export function listStreams(
  data: MemoryData,
  { prefix = '', after, limit = 1000 }: { prefix?: string; after?: string; limit?: number },
): string[] {
  return [...data.streams.keys()]
    .filter(name => name.startsWith(prefix) && (after === undefined || compareCodePoints(name, after) > 0))
    .sort(compareCodePoints)
    .slice(0, limit);
}

/** `<` compares UTF-16 units, which puts astral characters before U+E000. */
function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
