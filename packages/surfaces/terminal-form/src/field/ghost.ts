import type { Field } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { printable } from '../text/printable.ts';

/** What an empty line says: the default that then stands, the placeholder, or that there is no answer. */
export function ghostOf({ words }: FormTerminal, field: Field): string {
  if (field.default !== undefined) return printable(`${words.field.byDefault}${words.colon}${String(field.default)}`);
  if ('placeholder' in field && field.placeholder !== undefined) return printable(field.placeholder);
  return field.required ? '' : words.field.noAnswer;
}
