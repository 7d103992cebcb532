import { cutToWidth, displayWidth, padToWidth, printable } from '@signalbox/terminal-form/text';
import { type Part, styled } from './output.ts';

const WIDEST = 48;

/** Rows as lines of aligned columns, the first row being the heading. Wide characters count as two. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[]): Part[][] {
  const cells = [heading, ...rows].map(row => row.map(cell => cutToWidth(printable(cell), WIDEST)));
  const widths = heading.map((_, column) => Math.max(...cells.map(row => displayWidth(row[column] ?? ''))));
  return cells.map((row, index) => {
    const texts = row.map((cell, column) => (column === row.length - 1 ? cell : padToWidth(cell, widths[column]! + 2)));
    return [index === 0 ? styled('dim', texts.join('')) : texts.join('')];
  });
}
