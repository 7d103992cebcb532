import { SignalboxError } from '../../error/error.ts';
import type { Principal } from '../../event/commit.ts';
import { mayAnswer } from '../../event/principal.ts';
import type { AnswerEntry, NodeRef } from '../../event/run-event.ts';
import { DYN } from '../../expression/expr-type.ts';
import { compileExpression } from '../../expression/expression.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { digestOf } from '../../json/digest.ts';
import { jsonEqual } from '../../json/equal.ts';
import { hasKey, isJsonObject, type JsonObject } from '../../json/value.ts';
import type { Action } from '../../request/definition.ts';
import type { Field } from '../../request/field.ts';
import { validateValues } from '../../request/validate-values.ts';
import { commitTime } from '../../time/commit-time.ts';
import { answerOutput } from '../answer-output.ts';
import type { OutsideCommand } from '../command.ts';
import type { RequestState } from '../request-state.ts';
import { findRequest } from '../run.ts';
import { type Decider, refOf } from './decider.ts';
import { settleDoubt } from './doubt.ts';
import { resultFaults } from './doubt-question.ts';
import { succeed } from './finish.ts';
import { requestOf } from './request-of.ts';
import { restart } from './restart.ts';
import { memberOf, resolveOp } from './waits.ts';

export type AnswerCommand = Extract<OutsideCommand, { type: 'answer' }>;

/** The request an answer is for. One that names the run alone is taken when exactly one is open. */
export function targetOf(d: Decider, command: AnswerCommand): RequestState {
  const open = [...d.run.requests.values()];
  if (command.request === undefined) {
    if (open.length === 1) return open[0]!;
    throw new SignalboxError(
      'AmbiguousTarget',
      `The run has ${open.length} open questions, and the answer names none.`,
      {
        hint:
          open.length === 0
            ? 'Nothing is asked of you.'
            : `Name one of: ${open.map(request => request.id).join(', ')}.`,
        details: { open: open.map(request => request.id) },
      },
    );
  }
  const request = findRequest(d.run, command.request);
  if (request === undefined)
    throw new SignalboxError('UnknownRequest', `The run has no request "${command.request}".`, {
      hint: 'See `signalbox inbox`.',
    });
  return request;
}

/** Accepts the one answer of a request, or records why it was refused and throws. */
export function answer(d: Decider, command: AnswerCommand): void {
  const request = targetOf(d, command);
  if (isSameAgain(request, command)) return;
  if (request.status !== 'open') refuse(d, request, closedError(request));
  if (!mayAnswer(d.actor)) refuse(d, request, notEntitled(d.actor));
  const compiled = requestOf(d.program, d.run, request);
  const given = readAnswer(d, request, compiled, command);
  if (given instanceof SignalboxError) refuse(d, request, given);
  const entry = { ...given, by: d.actor, at: commitTime(d.at) };
  const { key } = command;
  d.emit('request.answered', {
    request: request.id,
    ...entry,
    ...(key === undefined ? {} : { key, digest: contentDigest(command) }),
  });
  accept(d, request, compiled, entry);
}

function notEntitled({ kind, onBehalfOf }: Principal): SignalboxError {
  const whose = onBehalfOf === undefined ? '' : ` on behalf of ${onBehalfOf}`;
  return new SignalboxError('NotEntitled', `A ${kind}${whose} can never answer a request.`);
}

/** The same key with the same content gets the outcome that stands: nothing happens again. */
function isSameAgain(request: RequestState, command: AnswerCommand): boolean {
  return command.key !== undefined && request.key === command.key && request.digest === contentDigest(command);
}

function contentDigest({ action, values, note }: AnswerCommand): string {
  return digestOf({ action: action ?? null, note: note ?? null, ...(values === undefined ? {} : { values }) });
}

function closedError(request: RequestState): SignalboxError {
  const details = { request: request.id, status: request.status };
  switch (request.status) {
    case 'expired':
      return new SignalboxError('RequestExpired', 'The deadline of this request has passed.', { details });
    case 'answered':
      return new SignalboxError('AlreadyAnswered', 'This request is answered already; the first answer stands.', {
        details,
      });
    default:
      return new SignalboxError(
        'RequestClosed',
        `This request is ${request.status}; an answer changes nothing any more.`,
        { details },
      );
  }
}

/** A refusal is a fact of its own; the question stays as it was. */
function refuse(d: Decider, request: RequestState, error: SignalboxError): never {
  const issues = Array.isArray(error.details.issues)
    ? (error.details.issues as unknown as { pointer: string; code: string; message: string }[])
    : undefined;
  d.emit('request.refused', {
    request: request.id,
    by: d.actor,
    code: error.code,
    ...(issues === undefined ? {} : { issues }),
  });
  throw error;
}

type Given = Pick<AnswerEntry, 'action' | 'values' | 'note'>;

const ACTIONS: Readonly<Record<string, Action>> = {
  approve: 'approve',
  accept: 'approve',
  submit: 'approve',
  edit: 'edit',
  reject: 'reject',
  decline: 'reject',
  cancel: 'cancel',
};

function readAnswer(
  d: Decider,
  request: RequestState,
  compiled: CompiledRequest,
  command: AnswerCommand,
): Given | SignalboxError {
  const { kind } = compiled.definition;
  if (command.action === undefined && (kind === 'confirmation' || request.subject !== undefined))
    return new SignalboxError('ActionRequired', 'A confirmation needs an action.', {
      hint: 'Say approve, edit, reject or cancel.',
    });
  const action = ACTIONS[command.action ?? 'approve'];
  if (action === undefined || !Object.hasOwn(ACTIONS, command.action ?? 'approve'))
    return new SignalboxError('UnknownAction', `"${command.action}" is no action.`, {
      hint: 'Say approve, edit, reject or cancel.',
    });
  const note = command.note === undefined ? {} : { note: command.note };
  if (action === 'reject' || action === 'cancel') return { action, ...note };
  const proposed = proposedValues(request, compiled);
  const raw = command.values === undefined ? (proposed ?? {}) : command.values;
  if (!isJsonObject(raw))
    return new SignalboxError('InvalidAnswer', 'The values of an answer are an object.', { details: { issues: [] } });
  const valid = validateValues(fieldsOf(request, compiled), raw, { zone: d.run.zone, isShown });
  const faults = valid.ok ? (request.about === 'doubt' ? resultFaults(valid.values) : []) : valid.issues;
  if (!valid.ok || faults.length > 0) {
    const issues = faults.map(({ pointer, code, message }) => ({ pointer, code, message }));
    const told = issues.map(issue => `${issue.pointer}: ${issue.message}`).join('; ');
    return new SignalboxError('InvalidAnswer', `The answer is not valid: ${told}`, {
      hint: 'The question is still open.',
      details: { issues },
    });
  }
  if (action === 'approve' && differs(proposed, valid.values)) {
    if (request.subject !== undefined)
      return new SignalboxError('EditNotSaid', 'The values differ from what is to be approved.', {
        hint: 'Say `edit` to change it.',
      });
    return { action: 'edit', values: valid.values, ...note };
  }
  return { action, values: valid.values, ...note };
}

function proposedValues(request: RequestState, compiled: CompiledRequest): JsonObject | undefined {
  const proposal = request.filled.proposal ?? compiled.definition.proposal;
  const values = isJsonObject(proposal) ? proposal.values : undefined;
  return isJsonObject(values) ? values : undefined;
}

function differs(proposed: JsonObject | undefined, values: JsonObject): boolean {
  return Object.entries(proposed ?? {}).some(
    ([name, value]) => !hasKey(values, name) || !jsonEqual(values[name]!, value),
  );
}

/** The fields with the options that state gave when the question was opened. */
export function fieldsOf(request: RequestState, compiled: CompiledRequest): readonly Field[] {
  return compiled.fields.map(field => {
    const options = request.filled[`options/${field.name}`];
    if (!Array.isArray(options) || !('options' in field)) return field;
    const full = options.map(option => (isJsonObject(option) ? option : { value: option, label: String(option) }));
    return { ...field, options: full } as unknown as Field;
  });
}

/** A condition that cannot be evaluated hides nothing: better asked once too often than lost. */
export function isShown(field: Field, values: JsonObject): boolean {
  if (field.showIf === undefined) return true;
  const { expression } = compileExpression(field.showIf, { variables: { values: DYN } });
  const result = expression?.evaluate({ values });
  return result === undefined || !result.ok || result.value === true;
}

function accept(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  if (request.about === 'doubt') return settleDoubt(d, request, entry);
  if (request.about !== 'ask' || !d.isAt(request)) return;
  carryOn(d, request, compiled, entry);
}

/** What an answer leads to. In a parked scope it is recorded all the same; `settle` lets nothing start there. */
export function carryOn(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  const ref: NodeRef = refOf(request);
  const resume = compiled.definition.resume;
  if (resume?.mode === 'restart' && (entry.action === 'approve' || entry.action === 'edit'))
    return restart(d, request, compiled, entry);
  const node = d.node(d.token(request.token), request.node);
  const output = answerOutput(entry);
  if (node.definition.type === 'ask') return succeed(d, ref, { output, outcome: entry.action });
  const at = d.token(request.token).at;
  const record = at.kind === 'node' ? at.journal.get(request.op) : undefined;
  if (record?.first === undefined) return;
  resolveOp(
    d,
    ref,
    request.op,
    output,
    memberOf(record, wait => wait.request === request.id),
  );
}
