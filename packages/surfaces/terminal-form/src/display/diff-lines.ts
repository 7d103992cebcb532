import type { Display, JsonValue } from '@signalbox/kernel';
import { structuredPatch } from 'diff';
import type { DisplayPage } from '../form-terminal.ts';
import { jsonText, printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';

const AROUND = 3;

/** `-` before, `+` after, three lines around each change; what is no text is compared as JSON. */
export function diffLines(
  { paint }: DisplayPage,
  { before, after }: Extract<Display, { type: 'diff' }>,
  width: number,
): string[] {
  const isText = typeof before === 'string' && typeof after === 'string';
  const text = (value: JsonValue) => (isText ? String(value) : jsonText(value, 2));
  const { hunks } = structuredPatch('', '', text(before), text(after), undefined, undefined, { context: AROUND });
  if (hunks.length === 0) return ['='];
  const painted: Readonly<Record<string, (line: string) => string>> = { '-': paint.red, '+': paint.green };
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    paint.dim(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines
      .filter(line => !line.startsWith('\\'))
      .flatMap(line => {
        const mark = line[0] ?? ' ';
        const rows = printableLines(line.slice(1)).flatMap(each => wrap(each, width - 2));
        return rows.map((row, index) => (painted[mark] ?? String)(`${index === 0 ? mark : ' '} ${row}`));
      }),
  ]);
}
