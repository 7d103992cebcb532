import { cut } from '@signalbox/runtime';
import { type Part, styled } from './output.ts';
import { printable } from './printable.ts';

const WIDEST = 48;

/** Rows as lines of aligned columns, the first row being the heading. Wide characters count as two. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[]): Part[][] {
  const cells = [heading, ...rows].map(row => row.map(cell => cut(printable(cell), WIDEST)));
  const widths = heading.map((_, column) => Math.max(...cells.map(row => widthOf(row[column] ?? ''))));
  return cells.map((row, index) => {
    const texts = row.map((cell, column) =>
      column === row.length - 1 ? cell : cell + ' '.repeat(widths[column]! - widthOf(cell) + 2),
    );
    return [index === 0 ? styled('dim', texts.join('')) : texts.join('')];
  });
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;
const NARROW = /\p{Mn}|\u200d/u;

/** Columns that a terminal gives a text. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (NARROW.test(character)) continue;
    width += WIDE.test(character) || (character.codePointAt(0) ?? 0) >= 0x1f300 ? 2 : 1;
  }
  return width;
}
