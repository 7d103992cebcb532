import type { Fault } from '@signalbox/kernel';
import { LineCounter } from 'yaml';

/** A fault with its place in a text: `line` and `column` from 1, columns in UTF-16 units. */
export interface LocatedFault extends Fault {
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}

/** A fault as it is collected: `at` is an offset in the text, which the pointer alone need not tell. */
export interface PlacedFault extends Fault {
  readonly at: number;
}

/** In the order of the text, each place and code once. A fault without a line of its own stands at the start. */
export function locateFaults(faults: readonly PlacedFault[], text: string, file?: string): LocatedFault[] {
  const lines = countLines(text);
  const seen = new Set<string>();
  const located: LocatedFault[] = [];
  for (const { at, ...fault } of faults.toSorted((a, b) => a.at - b.at)) {
    const { line, col } = lines.linePos(Math.max(0, Math.min(at, text.length)));
    const key = `${line}:${col} ${fault.code} ${fault.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    located.push({ ...fault, ...(file === undefined ? {} : { file }), line, column: col });
  }
  return located;
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const newline of text.matchAll(/\r\n|\r|\n/g)) lines.addNewLine(newline.index + newline[0].length);
  return lines;
}
