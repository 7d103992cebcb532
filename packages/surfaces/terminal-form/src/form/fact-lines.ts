import type { FormTerminal } from '../form-terminal.ts';
import { printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';

/** `Name: text`, its further lines below. */
export function factLines({ paint, width, words }: FormTerminal, name: string, text: string): string[] {
  const label = `${name}${words.colon}`;
  const [first = '', ...others] = printableLines(text);
  const [begin = '', ...rest] = wrap(label + first, width - 3);
  return [
    `  ${paint.dim(label)}${begin.slice(label.length)}`,
    ...[...rest, ...others.flatMap(line => wrap(line, width - 5))].map(line => `    ${line}`),
  ];
}
