import { select } from '@inquirer/prompts';
import {
  compileExpression,
  type Field,
  hasKey,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '@signalbox/kernel';
import type { RequestView } from '@signalbox/runtime';
import { printable } from '../output/printable.ts';
import { type FormTerminal, promptField } from './prompt-field.ts';

export interface FormAnswer {
  readonly action: 'approve' | 'edit' | 'reject' | 'cancel';
  readonly values?: JsonObject;
}

type Step = FormAnswer['action'] | 'again' | 'leave';

/**
 * Asks the person at the terminal. Undefined: the question stays open.
 *
 * @param action given on the command line, which then is not asked for.
 */
export async function answerForm(
  terminal: FormTerminal,
  request: RequestView,
  action: FormAnswer['action'] | undefined,
): Promise<FormAnswer | undefined> {
  if (action === 'reject' || action === 'cancel') return { action };
  if (request.kind === 'confirmation' || request.fields.length === 0) {
    const chosen = action ?? (await chooseAction(terminal, request, firstSteps(request)));
    if (chosen === 'leave' || chosen === 'again') return undefined;
    if (chosen !== 'edit' || request.fields.length === 0) return { action: chosen };
    return { action: 'edit', values: await askFields(terminal, request, proposedValues(request)) };
  }
  for (let suggested = proposedValues(request); ; ) {
    const values = await askFields(terminal, request, suggested);
    const step = await chooseAction(terminal, request, [action ?? 'approve', 'again', 'reject', 'cancel', 'leave']);
    if (step === 'leave') return undefined;
    if (step === 'reject' || step === 'cancel') return { action: step };
    if (step !== 'again') return { action: step, values };
    suggested = values;
  }
}

function firstSteps({ kind, fields }: RequestView): readonly Step[] {
  if (kind === 'display') return ['approve', 'leave'];
  return fields.length > 0
    ? ['approve', 'edit', 'reject', 'cancel', 'leave']
    : ['approve', 'reject', 'cancel', 'leave'];
}

const NAMES: Readonly<Record<Step, string>> = {
  approve: 'Approve',
  edit: 'Change and approve',
  reject: 'Reject',
  cancel: 'Cancel the question',
  again: 'Change the answer',
  leave: 'Leave it open',
};

async function chooseAction(terminal: FormTerminal, request: RequestView, steps: readonly Step[]): Promise<Step> {
  const label = (step: Step) => {
    const own = step === 'again' || step === 'leave' ? undefined : request.actions?.[step];
    const isForm = request.kind !== 'confirmation' && request.fields.length > 0;
    const name =
      step === 'approve' && isForm ? 'Send' : step === 'approve' && request.kind === 'display' ? 'Seen' : NAMES[step];
    return printable(own ?? name);
  };
  const choices = steps.map(step => ({ name: label(step), value: step }));
  return await select<Step>({ message: printable(request.title), choices, loop: false }, terminal);
}

/** Field by field, each as its `showIf` says, with what is proposed or stands by default. */
export async function askFields(
  terminal: FormTerminal,
  request: Pick<RequestView, 'fields'>,
  suggested: JsonObject,
): Promise<JsonObject> {
  const values: [string, JsonValue][] = [];
  const seen = new Map<string, JsonValue>();
  for (const field of request.fields) {
    if (!isShown(field, Object.fromEntries(seen))) continue;
    const standing = hasKey(suggested, field.name) ? suggested[field.name] : field.default;
    const value = await promptField(terminal, field, standing);
    if (value !== undefined) values.push([field.name, value]);
    const counts = value ?? field.default;
    if (counts !== undefined) seen.set(field.name, counts);
  }
  return Object.fromEntries(values);
}

function proposedValues({ proposal }: RequestView): JsonObject {
  const values = isJsonObject(proposal) ? proposal.values : undefined;
  return isJsonObject(values) ? values : {};
}

/** As where the answer is validated: a condition that cannot be evaluated hides nothing. */
function isShown({ showIf }: Field, values: JsonObject): boolean {
  if (showIf === undefined) return true;
  const result = compileExpression(showIf, { variables: { values: { kind: 'dyn' } } }).expression?.evaluate({ values });
  return result === undefined || !result.ok || result.value === true;
}
