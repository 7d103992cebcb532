import { displayWidth, padToWidth } from '../text/width.ts';
import { wrap } from '../text/wrap.ts';

export interface Table {
  readonly columns: readonly { readonly label: string; readonly align: 'left' | 'right' | 'center' }[];
  /** Printable texts, one for each column. */
  readonly rows: readonly (readonly string[])[];
  readonly bold: (text: string) => string;
}

const GAP = '  ';
const NARROWEST = 4;

/**
 * A table within `width` columns: cells wrap, wide columns give way first. One with too many columns for that is told row by
 * row, each cell behind its label.
 */
export function tableLines(table: Table, width: number): string[] {
  const { columns, rows, bold } = table;
  if (columns.length === 0) return [];
  const room = width - GAP.length * (columns.length - 1);
  if (room < columns.length * NARROWEST) return recordLines(table, width);
  const widths = shares(naturalWidths(table), room);
  const head = cellLines(
    columns.map(({ label }) => label),
    table,
    widths,
  );
  return [
    ...head.map(bold),
    widths.map(each => '─'.repeat(each)).join(GAP),
    ...rows.flatMap(row => cellLines(row, table, widths)),
  ];
}

function naturalWidths({ columns, rows }: Table): number[] {
  return columns.map(({ label }, column) =>
    Math.max(1, ...[label, ...rows.map(row => row[column] ?? '')].map(displayWidth)),
  );
}

/** The widest column is cut to the next widest until all fit. */
function shares(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  for (let over = sum(widths) - room; over > 0; over = sum(widths) - room) {
    const widest = Math.max(...widths);
    const ofWidest = widths.filter(each => each === widest).length;
    const next = Math.max(NARROWEST, ...widths.filter(each => each < widest));
    const target = Math.max(next, widest - Math.ceil(over / ofWidest), NARROWEST);
    widths.forEach((each, column) => {
      if (each === widest) widths[column] = target === widest ? widest - 1 : target;
    });
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function cellLines(cells: readonly string[], { columns }: Table, widths: readonly number[]): string[] {
  const wrapped = widths.map((each, column) => wrap(cells[column] ?? '', each));
  const height = Math.max(...wrapped.map(lines => lines.length));
  return Array.from({ length: height }, (_, index) =>
    widths
      .map((each, column) => aligned(wrapped[column]![index] ?? '', each, columns[column]!.align))
      .join(GAP)
      .trimEnd(),
  );
}

function aligned(text: string, width: number, align: 'left' | 'right' | 'center'): string {
  if (align !== 'center') return padToWidth(text, width, align);
  return padToWidth(' '.repeat(Math.max(0, Math.floor((width - displayWidth(text)) / 2))) + text, width);
}

function recordLines({ columns, rows, bold }: Table, width: number): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...columns.flatMap(({ label }, column) => {
      const [first = '', ...others] = wrap(`${label}: ${row[column] ?? ''}`, width);
      return [bold(first), ...others.map(line => `  ${line}`)];
    }),
  ]);
}
