import type { Field } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { printable, printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';

/** Label, whether it is required, what bounds it, and its description. */
export function fieldHeading(terminal: FormTerminal, field: Field, isProposed: boolean): string[] {
  const { paint, words, width } = terminal;
  const facts = [
    field.required ? words.field.required : words.field.optional,
    ...boundsOf(terminal, field),
    ...(isProposed ? [words.field.proposed] : []),
  ].map(printable);
  const [first = '', ...others] = wrap(`? ${printable(field.label)}`, width - 1);
  const told = wrap(`(${facts.join(words.comma)})`, width - 3).map(line => `  ${paint.dim(line)}`);
  const description = printableLines(field.description ?? '').flatMap(line => wrap(line, width - 3));
  return [
    ...[first, ...others].map(paint.bold),
    ...told,
    ...(field.description === undefined ? [] : description.map(line => `  ${line}`)),
  ];
}

function boundsOf({ words, zone }: FormTerminal, field: Field): string[] {
  switch (field.type) {
    case 'text':
    case 'textarea':
      return [
        ...rangeOf(words.field, field).map(words.field.characters),
        ...(field.pattern === undefined ? [] : [field.pattern]),
      ];
    case 'number':
    case 'slider': {
      const { step, unit } = field;
      const steps = step === undefined ? [] : step === 1 ? [words.field.wholeNumber] : [words.field.step(String(step))];
      return [...rangeOf(words.field, field), ...steps, ...(unit === undefined ? [] : [unit])];
    }
    case 'date':
      return [words.field.date, ...rangeOf(words.field, field)];
    case 'datetime':
      return [words.field.datetime, words.field.zone(zone), ...rangeOf(words.field, field)];
    case 'multiselect':
    case 'checkbox':
      return field.options === undefined ? [] : rangeOf(words.field, field).map(words.field.chosen);
    default:
      return [];
  }
}

type Bound = number | string | undefined;

function rangeOf(
  words: FormTerminal['words']['field'],
  { min, max }: { readonly min?: Bound; readonly max?: Bound },
): string[] {
  if (min !== undefined && max !== undefined) return [words.between(String(min), String(max))];
  if (min !== undefined) return [words.atLeast(String(min))];
  return max === undefined ? [] : [words.atMost(String(max))];
}
