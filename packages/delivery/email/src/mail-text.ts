import { type Field, isJsonObject, type JsonValue } from '@signalbox/kernel';
import type { DeliveryMessage } from '@signalbox/ports';
import type { Words } from './words.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A part of the mail: lines of ours, or what the request says, which is quoted so that nobody takes it for ours. */
interface Part {
  readonly heading?: string;
  readonly lines: readonly string[];
  readonly quoted?: true;
}

const MOST_SUBJECT = 200;
const MOST_TEXT = 4_000;
const CLOSED: ReadonlySet<string> = new Set(['request.answered', 'request.expired', 'request.withdrawn']);

/** The same content as plain text and as HTML. Nothing of the request is taken for markup. */
export function mailText(message: DeliveryMessage, words: Words, link: string): MailText {
  const parts = partsOf(message, words);
  const open = CLOSED.has(message.type) ? words.look : words.open;
  return {
    subject: oneLine(words.subject[message.type](message.request.title), MOST_SUBJECT),
    text: [...parts.map(plainPart), `${open}\n${link}\n${words.safe}`].join('\n\n').concat('\n'),
    html: [
      ...parts.map(htmlPart),
      `<p>${escapeHtml(open)}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a><br>${escapeHtml(words.safe)}</p>`,
    ].join('\n'),
  };
}

function partsOf({ type, request, answer }: DeliveryMessage, words: Words): Part[] {
  const { title, message, summary, purpose, fields, proposal, assignees, deadline } = request;
  const parts: Part[] = [{ heading: words.lead[type], lines: linesOf(title), quoted: true }];
  const quote = (heading: string | undefined, lines: readonly string[]) => {
    if (lines.length > 0) parts.push({ ...(heading === undefined ? {} : { heading }), lines, quoted: true });
  };
  if (answer !== undefined) {
    const by = oneLine(`${answer.by.kind}:${answer.by.id}`, MOST_SUBJECT);
    parts.push({ lines: [words.decided(words.actions[answer.action], by)] });
  }
  quote(undefined, linesOf(message));
  quote(words.summary, linesOf(summary));
  quote(words.purpose, linesOf(purpose));
  if (CLOSED.has(type)) return parts;
  quote(words.asked, fields.map(fieldLine));
  quote(words.proposal, proposedLines(proposal, fields, words));
  quote(
    words.assignees,
    assignees.map(assignee => oneLine(assignee, MOST_SUBJECT)),
  );
  if (deadline !== undefined) parts.push({ lines: [`${words.deadline}: ${shownTime(deadline)}`] });
  return parts;
}

function fieldLine({ label, description }: Field): string {
  return oneLine(description === undefined ? label : `${label}: ${description}`, MOST_SUBJECT);
}

function proposedLines(proposal: JsonValue | undefined, fields: readonly Field[], words: Words): string[] {
  const values = isJsonObject(proposal) ? proposal.values : undefined;
  if (!isJsonObject(values)) return [];
  return Object.entries(values).map(([name, value]) => {
    const field = fields.find(each => each.name === name);
    return oneLine(`${field?.label ?? name}: ${shownValue(value, field, words)}`, MOST_SUBJECT);
  });
}

function shownValue(value: JsonValue, field: Field | undefined, words: Words): string {
  if (value === true) return words.yes;
  if (value === false) return words.no;
  if (Array.isArray(value)) return value.map(each => shownValue(each, field, words)).join(', ');
  if (typeof value !== 'string' && typeof value !== 'number') return JSON.stringify(value);
  const options = field !== undefined && 'options' in field ? (field.options ?? []) : [];
  const unit = field !== undefined && 'unit' in field && field.unit !== undefined ? ` ${field.unit}` : '';
  return options.find(option => option.value === value)?.label ?? `${value}${unit}`;
}

/** `2026-01-01T02:00:00.000Z` as `2026-01-01 02:00 UTC`. */
function shownTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}

/** Control and format characters, among them those that turn the direction of text, say nothing in a mail. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

function oneLine(text: string, most: number): string {
  return cut(text.replaceAll(/\s+/gu, ' ').replaceAll(UNSEEN, '').trim(), most);
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text.trim() === '') return [];
  return cut(text, MOST_TEXT)
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map(line => line.replaceAll('\t', ' ').replaceAll(UNSEEN, ''));
}

function cut(text: string, most: number): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}

function plainPart({ heading, lines, quoted }: Part): string {
  const body = quoted === true ? lines.map(line => `> ${line}`) : lines;
  return [...(heading === undefined ? [] : [heading]), ...body].join('\n');
}

function htmlPart({ heading, lines, quoted }: Part): string {
  const head = heading === undefined ? '' : `<p>${escapeHtml(heading)}</p>\n`;
  const tag = quoted === true ? 'blockquote' : 'p';
  return `${head}<${tag}>${lines.map(escapeHtml).join('<br>')}</${tag}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character]!);
}
