import { isJsonObject, type JsonValue } from '@signalbox/kernel';
import { principalText } from '@signalbox/runtime';
import { displayLines } from '../display/display-lines.ts';
import type { FormTerminal } from '../form-terminal.ts';
import { jsonText, printable, printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';
import { factLines } from './fact-lines.ts';
import type { FormRequest } from './form-request.ts';
import { proposalLines } from './proposal-lines.ts';

/** All that is to be read before a request is answered, as printable lines. */
export function requestLines(terminal: FormTerminal, request: FormRequest): string[] {
  const { paint, width, words } = terminal;
  const { heading } = words;
  const {
    title,
    message,
    summary,
    purpose,
    gap,
    context,
    assignees = [],
    deadline,
    subject,
    claimedBy,
    displays = [],
  } = request;
  const fact = (name: string, text: string | undefined) => (text === undefined ? [] : factLines(terminal, name, text));
  return [
    ...wrap(printable(title), width - 1).map(paint.bold),
    ...fact(heading.assigned, assignees.length === 0 ? undefined : assignees.join(words.comma)),
    ...fact(heading.claimed, claimedBy === undefined ? undefined : principalText(claimedBy)),
    ...fact(heading.quorum, quorumText(terminal, request)),
    ...fact(heading.until, deadline === undefined ? undefined : localTime(terminal, deadline)),
    ...block(terminal, message),
    ...fact(heading.summary, summary),
    ...fact(heading.purpose, purpose),
    ...fact(heading.gap, gap === undefined ? undefined : words.gaps[gap]),
    ...fact(heading.subject, subject),
    ...(context === undefined ? [] : contextLines(terminal, context)),
    ...displays.flatMap(display => ['', ...displayLines(terminal, display)]),
    ...proposalLines(terminal, request),
  ];
}

function block({ width }: FormTerminal, text: string | undefined): string[] {
  if (text === undefined) return [];
  return printableLines(text)
    .flatMap(line => wrap(line, width - 3))
    .map(line => `  ${line}`);
}

function contextLines(terminal: FormTerminal, context: JsonValue): string[] {
  const { heading } = terminal.words;
  if (!isJsonObject(context)) return factLines(terminal, heading.context, textOf(context));
  return Object.entries(context).flatMap(([name, value]) => factLines(terminal, printable(name), textOf(value)));
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** How many must approve the same, and who has. */
function quorumText({ words }: FormTerminal, { quorum, endorsedBy = [] }: FormRequest): string | undefined {
  if (quorum === undefined) return undefined;
  const given = endorsedBy.map(principalText).join(words.comma);
  return `${endorsedBy.length}/${quorum}${given === '' ? '' : ` (${given})`}`;
}

/** The instant in the zone of the request, in words of the language. */
function localTime({ language, zone }: FormTerminal, instant: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: zone } as const;
  const text = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', format).format(new Date(instant));
  return `${text} (${zone})`;
}
