import { type Field, type Issue, type JsonValue, validateValue } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { printable } from '../text/printable.ts';

/** An issue of the kernel in the words of the terminal's language. */
export function issueText({ words }: Pick<FormTerminal, 'words'>, { code, message, params = {} }: Issue): string {
  return printable(words.issue(code, params) ?? message);
}

/** What is wrong with a value, by the very rules of where it is validated again; undefined: nothing. */
export function faultOfValue(terminal: FormTerminal, field: Field, value: JsonValue): string | undefined {
  const issues = validateValue(field, value, '', terminal.zone);
  return issues.length === 0 ? undefined : issues.map(issue => issueText(terminal, issue)).join('; ');
}

/** No answer is one, unless it is required. */
export function faultOfNone({ words }: FormTerminal, field: Field): string | undefined {
  if (!field.required) return undefined;
  return field.type === 'text' || field.type === 'textarea' ? words.faults.orEmpty : words.faults.required;
}
