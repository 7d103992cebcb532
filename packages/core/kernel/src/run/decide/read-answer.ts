import { SignalboxError } from '../../error/error.ts';
import type { AnswerEntry } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { jsonEqual } from '../../json/equal.ts';
import { hasKey, isJsonObject, type JsonObject } from '../../json/value.ts';
import { toAction } from '../../request/action.ts';
import type { Action } from '../../request/definition.ts';
import { isShown } from '../../request/is-shown.ts';
import { brokenRules } from '../../request/rules.ts';
import { type ValuesResult, validateValues } from '../../request/validate-values.ts';
import type { Issue } from '../../schema/issue.ts';
import { askedFields, standing, zoneOf } from '../asked.ts';
import type { OutsideCommand } from '../command.ts';
import type { RequestState } from '../request-state.ts';
import type { Decider } from './decider.ts';
import { resultFaults } from './doubt-question.ts';

export type AnswerCommand = Extract<OutsideCommand, { type: 'answer' }>;

export type Given = Pick<AnswerEntry, 'action' | 'values' | 'note'>;

/** What an answer says, or why it says nothing that can be accepted. */
export function readAnswer(
  d: Decider,
  request: RequestState,
  compiled: CompiledRequest,
  command: AnswerCommand,
): Given | SignalboxError {
  const action = readAction(request, compiled, command.action);
  if (action instanceof SignalboxError) return action;
  if (command.subject !== undefined && command.subject !== request.subject) return otherSubject(request);
  const note = command.note === undefined ? {} : { note: command.note };
  if (action === 'reject' || action === 'cancel') return { action, ...note };
  const stands = standing(request, compiled);
  const raw = command.values === undefined ? (stands ?? {}) : command.values;
  if (!isJsonObject(raw))
    return new SignalboxError('InvalidAnswer', 'The values of an answer are an object.', { details: { issues: [] } });
  const valid = validAnswer(d, request, compiled, raw);
  if (!valid.ok) return invalidAnswer(valid.issues);
  if (action === 'edit' && request.subject !== undefined && jsonEqual(stands ?? {}, valid.values))
    return nothingEdited(compiled);
  if (action === 'edit' || !differs(request, stands, valid.values)) return { action, values: valid.values, ...note };
  if (request.subject === undefined) return { action: 'edit', values: valid.values, ...note };
  return new SignalboxError('EditNotSaid', 'The values differ from what is to be approved.', {
    hint: 'Say `edit` to change it.',
  });
}

/** Whoever asked would have to ask for the very same thing again. */
function nothingEdited({ fields }: CompiledRequest): SignalboxError {
  const hint =
    fields.length === 0
      ? 'It has no fields that could be edited: approve or reject it.'
      : 'Give the values that are to be others, or approve it as it is.';
  return new SignalboxError('NothingEdited', 'The edit changes nothing of what is to be approved.', { hint });
}

function readAction(
  request: RequestState,
  { definition: { kind } }: CompiledRequest,
  said: string | undefined,
): Action | SignalboxError {
  const hint = 'Say approve, edit, reject or cancel.';
  if (said === undefined && (kind === 'confirmation' || request.subject !== undefined))
    return new SignalboxError('ActionRequired', 'A confirmation needs an action.', { hint });
  const word = said ?? 'approve';
  return toAction(word) ?? new SignalboxError('UnknownAction', `"${word}" is no action.`, { hint });
}

function otherSubject({ subject }: RequestState): SignalboxError {
  return new SignalboxError('SubjectMismatch', 'The answer is about something else than what is asked.', {
    hint: 'Look at the question again: it is not the one that was shown.',
    details: { subject: subject ?? null },
  });
}

function invalidAnswer(found: readonly Issue[]): SignalboxError {
  const issues = found.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const told = issues.map(issue => `${issue.pointer === '' ? '' : `${issue.pointer}: `}${issue.message}`).join('; ');
  return new SignalboxError('InvalidAnswer', `The answer is not valid: ${told}`, {
    hint: 'The question is still open.',
    details: { issues },
  });
}

/** Field by field, then across fields; the rules see values that are valid by themselves. */
export function validAnswer(
  d: Decider,
  request: RequestState,
  compiled: CompiledRequest,
  raw: JsonObject,
): ValuesResult {
  const zone = zoneOf(d.program, d.run, request);
  const valid = validateValues(askedFields(request, compiled), raw, { zone, isShown });
  if (!valid.ok) return valid;
  const issues =
    request.about === 'doubt' ? resultFaults(valid.values) : brokenRules(compiled.rules, valid.values, d.at);
  return issues.length === 0 ? valid : { ok: false, issues };
}

/** From what others have approved in any field; from a proposal in a proposed one. */
function differs({ endorsements = [] }: RequestState, stands: JsonObject | undefined, values: JsonObject): boolean {
  if (endorsements.length > 0) return !jsonEqual(stands ?? {}, values);
  return Object.entries(stands ?? {}).some(
    ([name, value]) => !hasKey(values, name) || !jsonEqual(values[name]!, value),
  );
}
