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
  let at = 0;
  // A cursor inside of a grapheme, as a combining mark can make it, is shown before it.
  const mark = () => {
    if (at <= cursor) [row, place] = [rows.length - 1, rows.at(-1)!.length];
  };
  for (const character of graphemes(text)) {
    const shown = character === '\n' || character === '\r\n' ? '\n' : visible(character.replaceAll('\t', '  '));
    if (shown !== '\n' && displayWidth(rows.at(-1)! + shown) > width) rows.push('');
    mark();
    if (shown === '\n') rows.push('');
    else rows[rows.length - 1] += shown;
    at += character.length;
  }
  if (displayWidth(rows.at(-1)!) >= width && cursor === text.length) rows.push('');
  mark();
  return { rows, row, place };
}
