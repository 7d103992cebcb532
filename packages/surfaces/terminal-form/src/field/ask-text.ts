import { type DateField, storedValue, type TextField } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { runPrompt } from '../prompt/run-prompt.ts';
import { textPrompt } from '../prompt/text-prompt.ts';
import { printable } from '../text/printable.ts';
import { closingLines } from './closing-lines.ts';
import type { FieldAsked } from './field-asked.ts';
import { faultOfNone, faultOfValue } from './field-faults.ts';
import { fieldHeading } from './field-heading.ts';
import { ghostOf } from './ghost.ts';

export async function askText(terminal: FormTerminal, asked: FieldAsked<TextField>): Promise<string | undefined> {
  const { field, standing } = asked;
  const multiline = field.type === 'textarea';
  const model = textPrompt(terminal, {
    heading: fieldHeading(terminal, field, asked.isProposed),
    start: typeof standing === 'string' ? standing : undefined,
    multiline,
    ghost: ghostOf(terminal, field),
    keys: multiline ? terminal.words.keys.lines : terminal.words.keys.text,
    faultOf: text => (text === undefined ? faultOfNone(terminal, field) : faultOfValue(terminal, field, text)),
    closing: text => closingLines(terminal, field, text),
  });
  return await runPrompt(terminal, model);
}

/** Digits and marks of full width are read as the plain ones. */
export async function askDate(terminal: FormTerminal, asked: FieldAsked<DateField>): Promise<string | undefined> {
  const { field, standing } = asked;
  const read = (text: string) => text.normalize('NFKC').trim();
  const isNone = (text: string | undefined) => text === undefined || read(text) === '';
  const model = textPrompt(terminal, {
    heading: fieldHeading(terminal, field, asked.isProposed),
    start: typeof standing === 'string' ? standing : undefined,
    multiline: false,
    ghost: ghostOf(terminal, field),
    keys: terminal.words.keys.text,
    faultOf: text => (isNone(text) ? faultOfNone(terminal, field) : faultOfValue(terminal, field, read(text!))),
    meaning: text => meaningOf(terminal, field, read(text)),
    closing: text => closingLines(terminal, field, isNone(text) ? undefined : read(text!)),
  });
  const text = await runPrompt(terminal, model);
  return isNone(text) ? undefined : read(text!);
}

/** The instant that a local time is, as it will be stored. */
function meaningOf(terminal: FormTerminal, field: DateField, text: string): string {
  const stored = storedValue(field, text, terminal.zone);
  return stored === text ? '' : `  ${terminal.words.field.stored(printable(String(stored)))}`;
}
