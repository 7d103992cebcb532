import { confirm, input, select } from '@inquirer/prompts';
import { cleanMessage, type Language } from '@signalbox/example-shared';
import { askRequest, createFormTerminal, type FormAnswer } from '@signalbox/terminal-form';
import type { RequestView } from 'signalbox';
import { languageOf } from './open-question.ts';
import { words } from './words.ts';

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

/** The question as a form in the language of its message. Undefined: it was left, and is open still. */
export async function fillForm(question: RequestView): Promise<FormAnswer | undefined> {
  const language = languageOf(question);
  const terminal = createFormTerminal({ input: process.stdin, output: process.stdout, env: process.env, language });
  const outcome = await askRequest(terminal, translated(question, language), { heading: false });
  return outcome.kind === 'answered' ? outcome.answer : undefined;
}

/** The graph names its fields and options in English. */
function translated(question: RequestView, lang: Language): RequestView {
  const { names } = words(lang);
  const fields = question.fields.map(field => {
    const label = names[field.name] ?? field.label;
    if (field.type !== 'select') return { ...field, label };
    return {
      ...field,
      label,
      options: field.options.map(each => ({ ...each, label: names[each.label] ?? each.label })),
    };
  });
  return { ...question, fields };
}

function navigation(lang: Language) {
  const text = words(lang).ask.navigation;
  return { instructions: { navigation: text, pager: text } };
}
