import type { Field, FieldType, JsonValue } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { askBoolean, askMany, askOne } from './ask-choice.ts';
import { askNumber, askSlider } from './ask-number.ts';
import { askDate, askText } from './ask-text.ts';
import type { FieldAsked } from './field-asked.ts';

type Ask = (terminal: FormTerminal, asked: FieldAsked<never>) => Promise<JsonValue | undefined>;

const ASK: Readonly<Record<FieldType, Ask>> = {
  text: askText,
  textarea: askText,
  select: askOne,
  radio: askOne,
  multiselect: askMany,
  checkbox: (terminal, asked: FieldAsked<Field & { type: 'checkbox' }>) =>
    asked.field.options === undefined
      ? askBoolean(terminal, asked as FieldAsked<never>)
      : askMany(terminal, asked as FieldAsked<never>),
  number: askNumber,
  slider: askSlider,
  date: askDate,
  datetime: askDate,
  boolean: askBoolean,
};

/**
 * Asks for one field until what was entered is valid. Undefined: no answer; its default then stands where it has one.
 * @throws PromptLeft
 */
export async function askField(terminal: FormTerminal, asked: FieldAsked): Promise<JsonValue | undefined> {
  return await ASK[asked.field.type](terminal, asked as FieldAsked<never>);
}
