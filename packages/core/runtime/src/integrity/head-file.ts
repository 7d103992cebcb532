import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** Where heads are kept: a place outside the store that grows at its end. Lines are without their line ends. */
export interface HeadLines {
  /** All lines so far; none when there is no such place yet. */
  readLines(): AsyncIterable<string>;
  /** Resolves when they survive the loss of power. */
  appendLines(lines: readonly string[]): Promise<void>;
}

/** Heads in a JSONL file. A line that a crash cut short was never acknowledged: it is not read, and the next append replaces it. */
export function headFile(path: string): HeadLines {
  return {
    readLines: () => wholeLines(path),
    async appendLines(lines) {
      if (lines.length === 0) return;
      await makeFolder(dirname(path));
      const file = await open(path, 'a+');
      try {
        const end = await endOfLines(file);
        await file.truncate(end);
        await file.appendFile(lines.map(line => `${line}\n`).join(''));
        await file.sync();
        if (end === 0) await syncFolder(dirname(path));
      } finally {
        await file.close();
      }
    },
  };
}

/** One after the other: Node's own `recursive` never ends where a folder can hold no other and says that it is not there, as in `/proc`. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  try {
    await mkdir(path);
  } catch (error) {
    // Another process may make it at the same time.
    if (!existsSync(path)) throw error;
  }
}

/** A new file survives once its folder's entry does. Where folders cannot be opened (Windows), the system sees to it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

type OpenFile = Awaited<ReturnType<typeof open>>;

const BLOCK = 4096;
const LINE_END = 10;

/** Byte after the last line end. */
async function endOfLines(file: OpenFile): Promise<number> {
  let end = (await file.stat()).size;
  const block = Buffer.alloc(BLOCK);
  while (end > 0) {
    const from = Math.max(0, end - BLOCK);
    const { bytesRead } = await file.read(block, 0, end - from, from);
    const at = block.subarray(0, bytesRead).lastIndexOf(LINE_END);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

async function* wholeLines(path: string): AsyncGenerator<string> {
  const end = await sizeOfLines(path);
  if (end === 0) return;
  const stream = createReadStream(path, { encoding: 'utf8', end: end - 1 });
  yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
}

async function sizeOfLines(path: string): Promise<number> {
  let file: OpenFile;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return 0;
    throw error;
  }
  try {
    return await endOfLines(file);
  } finally {
    await file.close();
  }
}
