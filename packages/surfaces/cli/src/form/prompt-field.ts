import { checkbox, editor, input, select } from '@inquirer/prompts';
import { type Field, type JsonValue, type OptionValue, parseStrictJson, validateValue } from '@signalbox/kernel';
import { printable } from '../output/printable.ts';
import { promptLines } from './prompt-lines.ts';

/** Where the form is shown. */
export interface FormTerminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Starts the user's editor for long texts; without one they are typed line by line. */
  readonly hasEditor: boolean;
  /** Zone in which local times are read. */
  readonly zone: string;
}

/** Asks for one field until what was entered is valid. Undefined: no value is given. */
export async function promptField(
  terminal: FormTerminal,
  field: Field,
  suggested: JsonValue | undefined,
): Promise<JsonValue | undefined> {
  switch (field.type) {
    case 'select':
    case 'radio':
      return await promptChoice(terminal, field, suggested);
    case 'multiselect':
      return await promptMany(terminal, field, suggested);
    case 'checkbox':
      return field.options === undefined
        ? await promptLine(terminal, field, suggested, readBoolean, '(y/n)')
        : await promptMany(terminal, field, suggested);
    case 'boolean':
      return await promptLine(terminal, field, suggested, readBoolean, '(y/n)');
    case 'number':
    case 'slider':
      return await promptLine(terminal, field, suggested, readNumber, rangeOf(field.min, field.max, field.unit));
    case 'date':
      return await promptLine(terminal, field, suggested, readText, rangeOf(field.min, field.max, 'YYYY-MM-DD'));
    case 'datetime':
      return await promptLine(terminal, field, suggested, readText, `(YYYY-MM-DDThh:mm, ${terminal.zone})`);
    case 'text':
      return await promptLine(terminal, field, suggested, readText, placeholderOf(field));
    case 'textarea':
      return await promptLong(terminal, field, suggested);
  }
}

/** What a line of text stands for; `undefined` is nothing of the kind. */
type Reader = (text: string) => { readonly value: JsonValue } | string;

const readText: Reader = text => ({ value: text });

const readNumber: Reader = text => {
  try {
    const value = parseStrictJson(text.trim());
    if (typeof value === 'number') return { value };
  } catch {
    // Told below: it is no number.
  }
  return 'must be a number, such as 12 or 12.5';
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['yes', true],
  ['true', true],
  ['是', true],
  ['n', false],
  ['no', false],
  ['false', false],
  ['否', false],
]);

const readBoolean: Reader = text => {
  const value = BOOLEANS.get(text.trim().toLowerCase());
  return value === undefined ? 'must be y or n' : { value };
};

async function promptLine(
  terminal: FormTerminal,
  field: Field,
  suggested: JsonValue | undefined,
  read: Reader,
  note: string,
): Promise<JsonValue | undefined> {
  const standing = suggested === undefined ? {} : { default: lineOf(suggested) };
  const entered = await input(
    {
      message: messageOf(field, note),
      ...standing,
      validate: text => (text === '' ? emptyFault(field) : faultOf(terminal, field, read(text))),
    },
    terminal,
  );
  if (entered === '') return undefined;
  const result = read(entered);
  return typeof result === 'string' ? undefined : result.value;
}

async function promptLong(
  terminal: FormTerminal,
  field: Field,
  suggested: JsonValue | undefined,
): Promise<JsonValue | undefined> {
  const standing = typeof suggested === 'string' ? suggested : '';
  for (;;) {
    const text = terminal.hasEditor
      ? (await editor({ message: messageOf(field, ''), default: standing }, terminal)).replace(/\n$/, '')
      : (await promptLines(terminal, messageOf(field, linesNote(standing)))) || standing;
    const fault = text === '' ? emptyFault(field) : faultOf(terminal, field, { value: text });
    if (fault === true) return text === '' ? undefined : text;
    terminal.output.write(`> ${fault}\n`);
  }
}

function linesNote(standing: string): string {
  return `(Ctrl-D ends it; Enter alone ${standing === '' ? 'leaves it out' : `keeps: ${standing}`})`;
}

type Choices = Extract<Field, { readonly options: readonly unknown[] }>;

async function promptChoice(
  terminal: FormTerminal,
  field: Choices,
  suggested: JsonValue | undefined,
): Promise<JsonValue | undefined> {
  const choices: { name: string; value: OptionValue | undefined; description?: string }[] = choicesOf(field);
  if (!field.required && field.default === undefined) choices.unshift({ name: '(none)', value: undefined });
  return await select<OptionValue | undefined>(
    { message: messageOf(field, placeholderOf(field)), choices, default: suggested, loop: false },
    terminal,
  );
}

async function promptMany(
  terminal: FormTerminal,
  field: Choices,
  suggested: JsonValue | undefined,
): Promise<JsonValue | undefined> {
  const checked: readonly JsonValue[] = Array.isArray(suggested) ? suggested : [];
  const choices = choicesOf(field).map(choice => ({ ...choice, checked: checked.includes(choice.value) }));
  return await checkbox<OptionValue>(
    {
      message: messageOf(field, placeholderOf(field)),
      choices,
      loop: false,
      validate: chosen => faultOf(terminal, field, { value: chosen.map(({ value }) => value) }),
    },
    terminal,
  );
}

function choicesOf({ options }: Choices): { name: string; value: OptionValue; description?: string }[] {
  return options.map(({ value, label, description }) => ({
    name: printable(label),
    value,
    ...(description === undefined ? {} : { description: printable(description) }),
  }));
}

/** What inquirer takes: true, or what is wrong. */
function faultOf(terminal: FormTerminal, field: Field, result: { readonly value: JsonValue } | string): string | true {
  if (typeof result === 'string') return result;
  const issues = validateValue(field, result.value, '', terminal.zone);
  return issues.length === 0 ? true : printable(issues.map(({ message }) => message).join('; '));
}

function emptyFault(field: Field): string | true {
  return field.required && field.default === undefined ? 'is required' : true;
}

function messageOf({ label, description, required }: Field, note: string): string {
  const parts = [label, ...(required ? ['*'] : []), note, ...(description === undefined ? [] : [`— ${description}`])];
  return printable(parts.filter(part => part !== '').join(' '));
}

function placeholderOf(field: { readonly placeholder?: string }): string {
  return field.placeholder === undefined ? '' : `(${field.placeholder})`;
}

function rangeOf(min: number | string | undefined, max: number | string | undefined, unit: string | undefined): string {
  const range = min === undefined && max === undefined ? '' : `${min ?? ''}…${max ?? ''}`;
  const text = [range, unit ?? ''].filter(part => part !== '').join(' ');
  return text === '' ? '' : `(${text})`;
}

function lineOf(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'y' : 'n';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
