import type { Language } from '@signalbox/example-shared';
import pc from 'picocolors';
import { type RequestView, SignalboxError } from 'signalbox';
import { z } from 'zod';
import { speak } from './speak.ts';

const context = z.object({ lang: z.enum(['en', 'zh']) });

/** The companion's questions say their language; one that the engine puts itself is in English. */
export function languageOfQuestion(question: RequestView): Language {
  return context.safeParse(question.context).data?.lang ?? 'en';
}

/** Title, fields and the command that answers, for where no form can be shown. */
export function questionText(question: RequestView, isOneOfSeveral: boolean): string {
  const say = speak(languageOfQuestion(question));
  const example = exampleOf(question);
  const action = isApproval(question) ? ' --action approve' : '';
  const answer = Object.keys(example).length === 0 ? '' : ` --answer '${JSON.stringify(example)}'`;
  const request = isOneOfSeveral ? ` --request ${question.id}` : '';
  return [
    pc.bold(`? ${question.title}`),
    ...(question.message === undefined ? [] : [`  ${question.message}`]),
    ...question.fields.map(field => `    ${field.name} (${field.label})  ${fieldFacts(field, say)}`.trimEnd()),
    pc.dim(`  ${say('Answer', '答复')}: npm run companion --${action}${answer}${request}`),
  ].join('\n');
}

function isApproval({ kind, gap }: RequestView): boolean {
  return kind === 'confirmation' || gap === 'approval';
}

type AnyField = RequestView['fields'][number];

function fieldFacts(field: AnyField, say: ReturnType<typeof speak>): string {
  const options = 'options' in field && field.options !== undefined ? field.options : [];
  return [
    ...(field.required ? [say('required', '必填')] : []),
    ...(options.length === 0 ? [field.type] : [options.map(({ value }) => value).join(' | ')]),
  ].join(', ');
}

/** Values for what is required: what is proposed, else the first option. */
function exampleOf({ fields, proposal }: RequestView): Record<string, unknown> {
  const proposed = z.object({ values: z.record(z.string(), z.unknown()) }).safeParse(proposal).data?.values ?? {};
  const entries = fields.flatMap((field): [string, unknown][] => {
    if (field.name in proposed) return [[field.name, proposed[field.name]]];
    if (!field.required) return [];
    if (!('options' in field) || field.options === undefined) return [[field.name, 'min' in field ? field.min : '…']];
    const values = field.options.map(({ value }) => value);
    const isMany = field.type === 'checkbox' || field.type === 'multiselect';
    return [[field.name, isMany ? values : values[0]]];
  });
  return Object.fromEntries(entries);
}

/** @throws SignalboxError `AmbiguousTarget` or `UnknownRequest` when it is not clear which question is meant */
export function pickQuestion(open: readonly RequestView[], request: string | undefined): RequestView {
  const [only, ...others] = request === undefined ? open : open.filter(question => question.id === request);
  if (only !== undefined && others.length === 0) return only;
  const hint = open.map(({ id, title }) => `${id}  ${title}`).join('\n  ');
  if (only !== undefined)
    throw new SignalboxError('AmbiguousTarget', `${open.length} questions are open.`, {
      hint: `Name one with --request:\n  ${hint}`,
    });
  throw new SignalboxError(
    'UnknownRequest',
    request === undefined ? 'No question is open.' : `${request} is not open.`,
    { hint: open.length === 0 ? 'Nothing is asked of you.' : `Open are:\n  ${hint}` },
  );
}
