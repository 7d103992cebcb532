import { confirm, input, select } from '@inquirer/prompts';
import { type Field, type RequestView, validateValue } from 'signalbox';
import { cleanMessage } from './arguments.ts';
import { languageOf, proposedValue } from './open-question.ts';
import { type Language, words } from './words.ts';

/** A form's values; JSON by what the fields are. */
export type FormValues = Record<string, string | number | boolean>;

/** What a prompt gives, or undefined when it was left with Ctrl-C. */
export async function unlessLeft<Value>(prompt: Promise<Value>): Promise<Value | undefined> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') return undefined;
    throw error;
  }
}

/** Asks for a message; the languages of both are used as none is known yet. */
export async function askMessage(): Promise<string> {
  const prompt = `${words('en').ask.message} · ${words('zh').ask.message}:`;
  const empty = `${words('en').ask.emptyMessage} ${words('zh').ask.emptyMessage}`;
  const message = await input({
    message: prompt,
    validate: text => cleanMessage(text) !== '' || empty,
  });
  return cleanMessage(message);
}

/** Which of the open questions is answered now; null for none of them. */
export async function offerQuestions(open: readonly RequestView[], lang: Language): Promise<RequestView | null> {
  const [first] = open;
  if (first === undefined) return null;
  const { ask } = words(lang);
  if (open.length === 1) {
    const isNow = await confirm({ message: ask.now, transformer: value => (value ? ask.yes : ask.no) });
    return isNow ? first : null;
  }
  const choices = open.map(question => ({ name: `${question.title} “${question.message ?? ''}”`, value: question.id }));
  const id = await select({
    message: ask.which,
    choices: [...choices, { name: ask.later, value: '' }],
    ...navigation(lang),
  });
  return open.find(question => question.id === id) ?? null;
}

/** The question as a form: a list for fields with options, a line for texts. Optional fields may be left empty. */
export async function fillForm(question: RequestView): Promise<FormValues> {
  const values: FormValues = {};
  for (const field of question.fields) {
    const value = await fillField(field, proposedValue(question, field.name), languageOf(question));
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

async function fillField(field: Field, proposed: unknown, lang: Language) {
  const { ask, names, colon } = words(lang);
  const label = names[field.name] ?? field.label;
  const message = `${label}${colon.trimEnd()}`;
  if (field.type === 'select' || field.type === 'radio') {
    const choices = field.options.map(({ value, label }) => ({
      value,
      name: `${names[label] ?? label}${value === proposed ? ` (${ask.proposed})` : ''}`,
      short: names[label] ?? label,
    }));
    return await select({ message, choices, default: proposed ?? field.default, ...navigation(lang) });
  }
  const text = await input({
    message: field.required ? message : `${label} (${ask.optional})${colon.trimEnd()}`,
    ...(field.required ? { required: true } : {}),
    validate: written => written === '' || reasonAgainst(field, written, lang),
  });
  return text === '' ? undefined : text;
}

/** True, or what is wrong with the text, in words of the language where it has some. */
function reasonAgainst(field: Field, written: string, lang: Language): true | string {
  const [issue] = validateValue(field, written, '', 'UTC');
  if (issue === undefined) return true;
  const limit = issue.params?.limit;
  return issue.code === 'maxLength' && typeof limit === 'number' ? words(lang).ask.tooLong(limit) : issue.message;
}

function navigation(lang: Language) {
  const text = words(lang).ask.navigation;
  return { instructions: { navigation: text, pager: text } };
}
