import {
  type Action,
  adHocRequest,
  brokenRules,
  type Issue,
  isShown,
  type JsonObject,
  validateValues,
} from '@signalbox/kernel';
import { issueText } from '../field/field-faults.ts';
import type { FormTerminal } from '../form-terminal.ts';
import { onePrompt } from '../prompt/choice-prompt.ts';
import { PromptLeft, runPrompt } from '../prompt/run-prompt.ts';
import { textPrompt } from '../prompt/text-prompt.ts';
import { printable, printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';
import type { Step } from '../words/form-words.ts';
import { askFields } from './ask-fields.ts';
import type { FormAnswer, FormOutcome, FormRequest } from './form-request.ts';
import { proposedValues } from './proposal-lines.ts';
import { requestLines } from './request-lines.ts';

export interface AskOptions {
  /** Said already, and not asked for. */
  readonly action?: Action;
  /** Said already, and not asked for. */
  readonly note?: string;
  /** An answer that was refused: its values stand in the fields, and why is told. */
  readonly refused?: { readonly values: JsonObject; readonly issues: readonly Issue[] };
  /** Title, message, displays and all that is to be read first; default true. */
  readonly heading?: boolean;
}

/** Shows a request and asks for its answer. What it gives is valid by the rules of the kernel, which looks again. */
export async function askRequest(
  shownAt: FormTerminal,
  request: FormRequest,
  options: AskOptions = {},
): Promise<FormOutcome> {
  const terminal = { ...shownAt, zone: request.zone ?? shownAt.zone };
  if (options.heading !== false) print(terminal, ['', ...requestLines(terminal, request), '']);
  try {
    const answer = await new Asking(terminal, request, options).answer();
    return answer === undefined ? { kind: 'leftOpen' } : { kind: 'answered', answer };
  } catch (error) {
    if (error instanceof PromptLeft) return { kind: 'interrupted' };
    throw error;
  }
}

class Asking {
  readonly #terminal: FormTerminal;
  readonly #request: FormRequest;
  readonly #options: AskOptions;
  #note: string | undefined;

  constructor(terminal: FormTerminal, request: FormRequest, options: AskOptions) {
    this.#terminal = terminal;
    this.#request = request;
    this.#options = options;
    this.#note = options.note;
  }

  /** Undefined: it is left open. */
  async answer(): Promise<FormAnswer | undefined> {
    const { action, refused } = this.#options;
    const { kind, fields } = this.#request;
    if (action === 'reject' || action === 'cancel') return this.#withNote(action);
    const isFilledFirst = fields.length > 0 && kind !== 'confirmation' && kind !== 'display';
    if (isFilledFirst || action === 'edit' || refused !== undefined)
      return await this.#filled(action ?? (kind === 'confirmation' ? 'edit' : 'approve'));
    if (action !== undefined) return this.#withNote(action);
    const step = await this.#next(firstSteps(this.#request));
    if (step === 'leave') return undefined;
    return step === 'edit' && fields.length > 0 ? await this.#filled('edit') : this.#withNote(step as Action);
  }

  async #filled(sent: Action): Promise<FormAnswer | undefined> {
    const { refused } = this.#options;
    let suggested =
      refused === undefined
        ? { values: proposedValues(this.#request), isProposal: true }
        : { values: refused.values, isProposal: false };
    let issues = refused?.issues ?? [];
    for (;;) {
      this.#tell(issues);
      const values = await askFields(this.#terminal, this.#request.fields, suggested);
      suggested = { values, isProposal: false };
      issues = this.#issuesOf(values);
      if (issues.length > 0) continue;
      const step = await this.#next([sent, 'again', 'reject', 'cancel', 'leave']);
      if (step === 'leave') return undefined;
      if (step === 'reject' || step === 'cancel') return this.#withNote(step);
      if (step !== 'again') return { ...this.#withNote(step as Action), values };
    }
  }

  /** Field by field, then across fields, as where the answer is looked at again. */
  #issuesOf(values: JsonObject): readonly Issue[] {
    const { kind, title, fields, rules } = this.#request;
    const result = validateValues(fields, values, { zone: this.#terminal.zone, isShown });
    if (!result.ok) return result.issues;
    if (rules === undefined) return [];
    const definition = { kind, title, fields: fields as unknown as readonly JsonObject[], rules };
    return brokenRules(adHocRequest(definition).compiled.rules, result.values, Date.now());
  }

  #tell(issues: readonly Issue[]): void {
    if (issues.length === 0) return;
    const { paint, width, words } = this.#terminal;
    const lines = issues.map(issue => {
      const field = this.#request.fields.find(({ name }) => issue.pointer.split('/')[1] === name);
      return `! ${field === undefined ? '' : `${printable(field.label)}${words.colon}`}${issueText(this.#terminal, issue)}`;
    });
    print(this.#terminal, [words.refused, ...lines].flatMap(line => wrap(line, width - 1)).map(paint.red));
  }

  /** What is to be done. A note is asked for on the way, and for a refusal in any case. */
  async #next(steps: readonly Step[]): Promise<Step> {
    for (;;) {
      const noted: readonly Step[] =
        this.#options.note === undefined ? [...steps.slice(0, -1), 'note', 'leave'] : steps;
      const step = await this.#choose(noted);
      if (step === 'note' || ((step === 'reject' || step === 'cancel') && this.#note === undefined))
        await this.#askNote();
      if (step !== 'note') return step;
    }
  }

  async #choose(steps: readonly Step[]): Promise<Step> {
    const { paint, width, keys } = { ...this.#terminal, keys: this.#terminal.words.keys.one };
    const title = printable(this.#request.title);
    const model = onePrompt(this.#terminal, {
      heading: wrap(`? ${title}`, width - 1).map(paint.bold),
      choices: steps.map(step => ({ value: step, label: this.#labelOf(step) })),
      keys,
      closing: ({ label }) => wrap(`✔ ${title}${this.#terminal.words.colon}${label}`, width - 1),
    });
    return (await runPrompt(this.#terminal, model)).value;
  }

  #labelOf(step: Step): string {
    const { steps, approve } = this.#terminal.words;
    const { actions, kind } = this.#request;
    const own = step === 'again' || step === 'note' || step === 'leave' ? undefined : actions?.[step];
    return printable(own ?? (step === 'approve' ? approve[kind] : undefined) ?? steps[step]);
  }

  async #askNote(): Promise<void> {
    const { words, paint, width } = this.#terminal;
    const model = textPrompt(this.#terminal, {
      heading: [`${paint.bold(`? ${words.field.note}`)} ${paint.dim(`(${words.field.optional})`)}`],
      start: this.#note,
      multiline: false,
      ghost: '',
      keys: words.keys.text,
      faultOf: () => undefined,
      closing: text =>
        printableLines(`✔ ${words.field.note}${words.colon}${text ?? `(${words.field.noAnswer})`}`).flatMap(line =>
          wrap(line, width - 1),
        ),
    });
    this.#note = (await runPrompt(this.#terminal, model)) || undefined;
  }

  #withNote(action: Action): FormAnswer {
    return this.#note === undefined ? { action } : { action, note: this.#note };
  }
}

function firstSteps({ kind, fields }: FormRequest): readonly Step[] {
  if (kind === 'display') return ['approve', 'leave'];
  return ['approve', ...(fields.length > 0 ? (['edit'] as const) : []), 'reject', 'cancel', 'leave'];
}

function print({ output }: FormTerminal, lines: readonly string[]): void {
  output.write(`${lines.join('\n')}\n`);
}
