import { cut } from '@signalbox/runtime';
import { displayWidth, printable } from '@signalbox/terminal-form/text';
import { type Part, styled } from '../output/output.ts';
import type { FileFault } from './graph-file.ts';

const LONGEST_LINE = 120;

/** Faults for people: place, message, code; the line of the text with a caret below it where the text is given; hint. */
export function faultLines(faults: readonly FileFault[], text?: string): Part[][] {
  const lines = text?.split(/\r\n|\r|\n/);
  return faults.flatMap(fault => [
    [
      styled('bold', placeOf(fault)),
      ' ',
      styled(fault.severity === 'error' ? 'red' : 'yellow', fault.severity),
      ` ${fault.message} `,
      styled('dim', `(${fault.code})`),
    ],
    ...excerpt(fault, lines),
    ...(fault.hint === undefined || fault.hint === '' ? [] : [['    ', styled('cyan', fault.hint)]]),
  ]);
}

function placeOf({ file, line, column, pointer }: FileFault): string {
  if (line === undefined) return `${file ?? ''}${pointer === '' ? '' : `${file === undefined ? '' : ' '}${pointer}`}:`;
  return `${file}:${line}:${column}`;
}

function excerpt({ line, column = 1 }: FileFault, lines: readonly string[] | undefined): Part[][] {
  const text = line === undefined ? undefined : lines?.[line - 1];
  if (text === undefined || text.trim() === '') return [];
  const number = String(line).padStart(4);
  const before = text.slice(0, column - 1);
  if (before.length > LONGEST_LINE) return [[styled('dim', `${number} | `), cut(text, LONGEST_LINE)]];
  return [
    [styled('dim', `${number} | `), cut(text, LONGEST_LINE)],
    [styled('dim', '     | '), ' '.repeat(displayWidth(printable(before))), styled('red', '^')],
  ];
}
