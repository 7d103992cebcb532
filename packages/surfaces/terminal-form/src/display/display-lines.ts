import type { Display, DisplayType } from '@signalbox/kernel';
import type { DisplayPage } from '../form-terminal.ts';
import { jsonText, printable, printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';
import { diffLines } from './diff-lines.ts';
import { markdownLines } from './markdown-lines.ts';
import { tableLines } from './table-lines.ts';

type Lines<Type extends DisplayType> = (
  terminal: DisplayPage,
  display: Extract<Display, { type: Type }>,
  width: number,
) => readonly string[];

const LINES: { readonly [Type in DisplayType]: Lines<Type> } = {
  table: ({ paint, words }, { columns, rows }, width) =>
    tableLines(
      {
        columns: columns.map(({ label, unit, align = 'left' }) => ({
          label: printable(unit === undefined ? label : `${label} (${unit})`),
          align,
        })),
        rows: rows.map(row =>
          columns.map(({ key }) => cellText(words, Object.hasOwn(row, key) ? row[key] : undefined)),
        ),
        bold: paint.bold,
      },
      width,
    ),
  text: (_, { text }, width) => printableLines(text).flatMap(line => wrap(line, width)),
  // Cut lines would lose what wrapped ones only make ugly.
  ascii: (_, { text }) => printableLines(text),
  markdown: (terminal, { text }, width) => markdownLines(terminal, text, width),
  json: (_, { value }, width) =>
    jsonText(value, 2)
      .split('\n')
      .flatMap(line => wrapDeep(line, width)),
  diff: diffLines,
};

/** A display as printable lines. Only `ascii` may be wider than the terminal: its columns are its meaning. */
export function displayLines(terminal: DisplayPage, display: Display): string[] {
  const width = terminal.width - 3;
  const lines = (LINES[display.type] as Lines<DisplayType>)(terminal, display as never, width);
  const title = display.title === undefined ? [] : wrap(printable(display.title), width).map(terminal.paint.bold);
  return [...title, ...lines].map(line => `  ${line}`);
}

/** A long line of JSON goes on below its own beginning. */
function wrapDeep(line: string, width: number): string[] {
  const indent = /^ */.exec(line)![0].slice(0, Math.max(0, width - 20));
  const [first = '', ...others] = wrap(line.slice(indent.length), width - indent.length - 2);
  return [indent + first, ...others.map(other => `${indent}  ${other}`)];
}

function cellText({ field }: DisplayPage['words'], value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? field.yes : field.no;
  return printable(typeof value === 'string' ? value : jsonText(value));
}
