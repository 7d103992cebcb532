import { importInvalid, LINE_LIMITS } from './run-file.ts';

const LINE_END = 10;

/**
 * The lines of a run file's bytes, strictly: UTF-8 without a fault, every line ended by one LF, none too large. Anything else
 * a tool on the way may have changed (a byte order mark, CR LF, a last line cut short) is told, not mended.
 *
 * @throws SignalboxError `ImportInvalid` with the line's number.
 */
export async function* runFileLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { readonly maxLineBytes?: number } = {},
): AsyncGenerator<string> {
  const most = options.maxLineBytes ?? LINE_LIMITS.maxBytes;
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_END, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      size += part.length;
      if (size > most) throw importInvalid(number, `the line is larger than ${most} bytes`);
      if (part.length > 0) parts.push(part);
      if (end < 0) break;
      yield decoded(parts, number);
      parts = [];
      size = 0;
      number += 1;
      from = end + 1;
    }
  }
  if (size > 0) throw importInvalid(number, 'the line has no end: the file was cut off');
}

function decoded(parts: readonly Uint8Array[], number: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw importInvalid(number, 'it is not UTF-8');
  }
}
