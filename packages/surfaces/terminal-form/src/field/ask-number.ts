import type { NumberField } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { roundStep } from '../prompt/number-steps.ts';
import { runPrompt } from '../prompt/run-prompt.ts';
import { sliderPrompt } from '../prompt/slider-prompt.ts';
import { textPrompt } from '../prompt/text-prompt.ts';
import { printable } from '../text/printable.ts';
import { closingLines } from './closing-lines.ts';
import type { FieldAsked } from './field-asked.ts';
import { faultOfNone, faultOfValue } from './field-faults.ts';
import { fieldHeading } from './field-heading.ts';
import { ghostOf } from './ghost.ts';
import { readNumber } from './read-number.ts';

export async function askNumber(terminal: FormTerminal, asked: FieldAsked<NumberField>): Promise<number | undefined> {
  const { field, standing } = asked;
  const isNone = (text: string | undefined) => text === undefined || text.trim() === '';
  const model = textPrompt(terminal, {
    heading: fieldHeading(terminal, field, asked.isProposed),
    start: typeof standing === 'number' ? String(standing) : undefined,
    multiline: false,
    ghost: ghostOf(terminal, field),
    keys: terminal.words.keys.text,
    faultOf: text => faultOfNumber(terminal, field, isNone(text) ? undefined : readNumberOf(terminal, text!)),
    closing: text => closingLines(terminal, field, isNone(text) ? undefined : withUnit(field, readNumber(text!)!)),
  });
  const text = await runPrompt(terminal, model);
  return isNone(text) ? undefined : readNumber(text!);
}

/** A slider without two ends is a number. */
export async function askSlider(terminal: FormTerminal, asked: FieldAsked<NumberField>): Promise<number | undefined> {
  const { field, standing } = asked;
  const { min, max } = field;
  if (min === undefined || max === undefined) return await askNumber(terminal, asked);
  const model = sliderPrompt(terminal, {
    heading: fieldHeading(terminal, field, asked.isProposed),
    steps: { min, max, step: field.step ?? roundStep(min, max) },
    start: typeof standing === 'number' ? standing : undefined,
    unit: printable(field.unit ?? ''),
    ghost: ghostOf(terminal, field),
    keys: terminal.words.keys.slider,
    read: text => readNumberOf(terminal, text),
    faultOf: value => faultOfNumber(terminal, field, value),
    closing: value => closingLines(terminal, field, value === undefined ? undefined : withUnit(field, value)),
  });
  return await runPrompt(terminal, model);
}

function readNumberOf({ words }: FormTerminal, text: string): number | string {
  return readNumber(text) ?? words.faults.number;
}

function faultOfNumber(
  terminal: FormTerminal,
  field: NumberField,
  value: number | string | undefined,
): string | undefined {
  if (value === undefined) return faultOfNone(terminal, field);
  return typeof value === 'string' ? value : faultOfValue(terminal, field, value);
}

function withUnit({ unit }: NumberField, value: number): string {
  return unit === undefined ? String(value) : `${value} ${unit}`;
}
