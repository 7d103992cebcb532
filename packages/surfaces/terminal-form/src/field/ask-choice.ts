import type { BooleanField, ChoiceField, Field, JsonValue, ManyField, OptionValue } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { type Choice, manyPrompt, onePrompt } from '../prompt/choice-prompt.ts';
import { runPrompt } from '../prompt/run-prompt.ts';
import { printable } from '../text/printable.ts';
import { closingLines } from './closing-lines.ts';
import type { FieldAsked } from './field-asked.ts';
import { faultOfNone, faultOfValue } from './field-faults.ts';
import { fieldHeading } from './field-heading.ts';

export async function askOne(terminal: FormTerminal, asked: FieldAsked<ChoiceField>): Promise<OptionValue | undefined> {
  return await askAmong(terminal, asked, choicesOf(asked.field));
}

/** Nothing stands under the cursor by accident: where no answer is one as well, it is the first choice. */
export async function askBoolean(
  terminal: FormTerminal,
  asked: FieldAsked<BooleanField>,
): Promise<boolean | undefined> {
  const { yes, no } = terminal.words.field;
  return await askAmong(terminal, asked, [
    { value: true, label: yes },
    { value: false, label: no },
  ]);
}

async function askAmong<Value extends JsonValue>(
  terminal: FormTerminal,
  { field, standing, isProposed }: FieldAsked,
  given: readonly Choice<Value>[],
): Promise<Value | undefined> {
  const none: Choice<Value | undefined> = { value: undefined, label: `(${terminal.words.field.noAnswer})` };
  const isOptional = !field.required && field.default === undefined;
  const choices: readonly Choice<Value | undefined>[] = isOptional ? [none, ...given] : given;
  const model = onePrompt(terminal, {
    heading: headingOf(terminal, field, isProposed),
    choices,
    active: Math.max(
      0,
      choices.findIndex(({ value }) => value === standing),
    ),
    keys: terminal.words.keys.one,
    closing: ({ value, label }) => closingLines(terminal, field, value === undefined ? undefined : label),
  });
  return (await runPrompt(terminal, model)).value;
}

export async function askMany(
  terminal: FormTerminal,
  asked: FieldAsked<ManyField>,
): Promise<OptionValue[] | undefined> {
  const { field, standing, isProposed } = asked;
  const choices = choicesOf(field);
  const standingValues: readonly JsonValue[] | undefined = Array.isArray(standing) ? standing : undefined;
  const model = manyPrompt(terminal, {
    heading: headingOf(terminal, field, isProposed),
    choices,
    chosen:
      standingValues === undefined
        ? undefined
        : new Set(choices.flatMap(({ value }, place) => (standingValues.includes(value) ? [place] : []))),
    keys: terminal.words.keys.many,
    faultOf: values =>
      values === undefined ? faultOfNone(terminal, field) : faultOfValue(terminal, field, [...values]),
    closing: chosen => closingLines(terminal, field, chosen && chosenText(terminal, chosen)),
  });
  return (await runPrompt(terminal, model))?.map(({ value }) => value);
}

function chosenText({ words }: FormTerminal, chosen: readonly Choice<OptionValue>[]): string {
  return chosen.length === 0 ? `(${words.field.nothingChosen})` : chosen.map(({ label }) => label).join(words.comma);
}

function choicesOf({ options }: ChoiceField | ManyField): Choice<OptionValue>[] {
  return options.map(({ value, label, description }) => ({
    value,
    label: printable(label),
    ...(description === undefined ? {} : { description: printable(description) }),
  }));
}

function headingOf(terminal: FormTerminal, field: Field, isProposed: boolean): string[] {
  const placeholder = 'placeholder' in field ? field.placeholder : undefined;
  const lines = fieldHeading(terminal, field, isProposed);
  return placeholder === undefined ? lines : [...lines, `  ${terminal.paint.dim(printable(placeholder))}`];
}
