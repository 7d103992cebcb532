import type { Language } from '@signalbox/example-shared';
import pc from 'picocolors';
import { type RequestView, SignalboxError } from 'signalbox';
import { z } from 'zod';
import { INTENTS } from './utterance.ts';
import { words } from './words.ts';

const context = z.object({
  lang: z.enum(['en', 'zh']),
  intent: z.enum(INTENTS),
  confidence: z.number(),
  sure: z.boolean(),
  searched: z.boolean(),
  problem: z.string(),
});
const proposal = z.object({ values: z.record(z.string(), z.unknown()) });

/** What the graph's `handoff` says besides its fields. An engine's own question has no such context. */
export function languageOf({ context: given }: RequestView): Language {
  return context.safeParse(given).data?.lang ?? 'en';
}

export function proposedValue({ proposal: given }: RequestView, field: string): unknown {
  return proposal.safeParse(given).data?.values[field];
}

/** Title, message, why a person is asked and until when. */
export function questionText(question: RequestView): string {
  const lang = languageOf(question);
  const { ask, why, colon } = words(lang);
  const about = context.safeParse(question.context).data;
  const lines = [pc.bold(question.title)];
  const row = (name: string, text: string) => lines.push(`  ${pc.dim(`${name}${colon}`)}${text}`);
  if (question.message !== undefined) row(ask.message, question.message);
  if (about !== undefined) row(ask.reason, why(about));
  if (question.assignees.length > 0) row(ask.assigned, question.assignees.join(', '));
  if (question.deadline !== undefined) row(ask.until, localTime(question.deadline, lang));
  return lines.join('\n');
}

/** The fields and the command that answers, for where no form can be shown. */
export function howToAnswer(question: RequestView, named: boolean): string {
  const lang = languageOf(question);
  const { ask, names, colon } = words(lang);
  const values: Record<string, unknown> = {};
  const lines = question.fields.map(field => {
    const proposed = proposedValue(question, field.name);
    const options = 'options' in field && field.options !== undefined ? field.options.map(({ value }) => value) : [];
    if (field.required) values[field.name] = proposed ?? options[0] ?? '';
    const facts = [
      ...(field.required ? [ask.required] : []),
      ...(options.length === 0 ? [] : [options.join(' | ')]),
      ...(proposed === undefined ? [] : [`${ask.proposed}${colon}${String(proposed)}`]),
    ];
    return `    ${field.name} (${names[field.name] ?? field.label})  ${facts.join(', ')}`.trimEnd();
  });
  const request = named ? ` --request ${question.id}` : '';
  return [
    `  ${pc.dim(`${ask.fill}${colon}`.trimEnd())}`,
    ...lines,
    `  ${pc.dim(`${ask.howTo}${colon}`)}npm start -- --answer '${JSON.stringify(values)}'${request}`,
  ].join('\n');
}

/** @throws SignalboxError `AmbiguousTarget` or `UnknownRequest` when it is not clear which question is meant */
export function pickQuestion(open: readonly RequestView[], request: string | undefined): RequestView {
  const [only, ...others] = request === undefined ? open : open.filter(question => question.id === request);
  if (only !== undefined && others.length === 0) return only;
  const ids = open.map(({ id, message }) => `${id}  ${message ?? ''}`.trimEnd()).join('\n  ');
  if (only !== undefined)
    throw new SignalboxError('AmbiguousTarget', `${open.length} questions are open.`, {
      hint: `Name one with --request:\n  ${ids}`,
    });
  throw new SignalboxError(
    'UnknownRequest',
    request === undefined ? 'No question is open.' : `${request} is not open.`,
    {
      hint: open.length === 0 ? 'Nothing is asked of you.' : `Open are:\n  ${ids}`,
    },
  );
}

function localTime(instant: string, lang: Language): string {
  const format = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat(lang === 'zh' ? 'zh-CN' : 'en-GB', format).format(new Date(instant));
}
