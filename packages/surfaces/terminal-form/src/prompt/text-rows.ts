import { visible } from '../text/printable.ts';
import { displayWidth, graphemes } from '../text/width.ts';
import type { TextBuffer } from './text-buffer.ts';

export interface TextRows {
  readonly rows: readonly string[];
  /** The row with the cursor, and its place in it in code units of what is shown. */
  readonly row: number;
  readonly place: number;
}

/** The text in rows of at most `width` columns as a terminal shows it, broken anywhere, so that a row never depends on the next. */
export function textRows({ text, cursor }: TextBuffer, width: number): TextRows {
  const rows = [''];
  let [row, place] = [0, 0];
  let [at, used] = [0, 0];
  // A cursor inside of a grapheme, as a combining mark can make it, is shown before it.
  const mark = () => {
    if (at <= cursor) [row, place] = [rows.length - 1, rows.at(-1)!.length];
  };
  const begin = () => {
    rows.push('');
    used = 0;
  };
  for (const character of graphemes(text)) {
    const isBreak = character === '\n' || character === '\r\n';
    const shown = isBreak ? '' : visible(character.replaceAll('\t', '  '));
    const wide = displayWidth(shown);
    if (used + wide > width) begin();
    mark();
    if (isBreak) begin();
    else rows[rows.length - 1] += shown;
    used += isBreak ? 0 : wide;
    at += character.length;
  }
  if (used >= width && cursor === text.length) begin();
  mark();
  return { rows, row, place };
}
