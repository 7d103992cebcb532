import type { Field } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { printable, printableLines } from '../text/printable.ts';
import { displayWidth } from '../text/width.ts';
import { wrap } from '../text/wrap.ts';

/** What stays on the screen of a field that was answered: `✔ Label: answer`. */
export function closingLines(
  terminal: FormTerminal,
  { label }: Pick<Field, 'label'>,
  answer: string | undefined,
): string[] {
  const { paint, words, width } = terminal;
  const name = `✔ ${printable(label)}${words.colon}`;
  const lines =
    answer === undefined
      ? [`(${words.field.noAnswer})`]
      : answer === ''
        ? [`(${words.field.empty})`]
        : printableLines(answer);
  const painted = answer === undefined || answer === '' ? paint.dim : paint.cyan;
  const [first = ''] = lines;
  if (lines.length === 1 && displayWidth(name + first) < width) return [name + painted(first)];
  return [
    ...wrap(name.trimEnd(), width - 1),
    ...lines.flatMap(line => wrap(line, width - 5)).map(line => `    ${painted(line)}`),
  ];
}
