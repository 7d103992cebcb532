import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type {
  DeadlineDefinition,
  EscalationStep,
  RememberDefinition,
  ReminderDefinition,
  RequestDefinition,
  ResumeDefinition,
  RuleDefinition,
} from '../request/definition.ts';
import { duration, type Parts, template, text, texts, unlessEmpty, without } from './normalize-parts.ts';

export function normalizeRequest(request: RequestDefinition): RequestDefinition {
  const { kind, gap, purpose, deadline, resume, hold } = request;
  const parts: Parts<RequestDefinition> = {
    kind,
    title: template(request.title),
    message: template(request.message),
    gap,
    summary: template(request.summary),
    purpose,
    context: template(request.context),
    fields: unlessEmpty(request.fields?.map(normalizeField)),
    rules: unlessEmpty(request.rules?.map(normalizeRule)),
    displays: unlessEmpty(request.displays?.map(display => template(display))),
    actions: unlessEmpty(request.actions && without({ ...request.actions })),
    proposal: template(request.proposal),
    subject: template(request.subject),
    assignees: unlessEmpty(request.assignees),
    quorum: request.quorum === 1 ? undefined : request.quorum,
    fourEyes: request.fourEyes === false ? undefined : request.fourEyes,
    requester: template(request.requester),
    serviceTimeout: duration(request.serviceTimeout),
    deadline: deadline && normalizeDeadline(deadline),
    remind: unlessEmpty(request.remind?.map(normalizeReminder)),
    resume: resume && normalizeResume(resume),
    hold: hold === 'branch' ? undefined : hold,
    remember: request.remember && normalizeRemember(request.remember),
    recall: request.recall === true ? undefined : request.recall,
  };
  return without(parts) as unknown as RequestDefinition;
}

function normalizeRemember({ key, scope, ttl }: RememberDefinition) {
  const parts: Parts<RememberDefinition> = { key: template(key), scope, ttl: duration(ttl) };
  return without(parts);
}

function normalizeRule({ assert, message, fields, when }: RuleDefinition) {
  const parts: Parts<RuleDefinition> = {
    assert: text(assert),
    message,
    fields: unlessEmpty(fields),
    when: when && text(when),
  };
  return without(parts);
}

function normalizeDeadline({ after, at, onExpire, to }: DeadlineDefinition) {
  const parts: Parts<DeadlineDefinition> = {
    after: duration(after),
    at: template(at),
    onExpire,
    to: unlessEmpty(to?.map(normalizeStep)),
  };
  return without(parts);
}

/** One person with no time of their own is written in short. */
function normalizeStep(step: EscalationStep): EscalationStep {
  if (typeof step === 'string') return step;
  const { assignees, after } = step;
  const [only] = assignees;
  if (only !== undefined && assignees.length === 1 && after === undefined) return only;
  return { assignees, ...(after === undefined ? {} : { after: duration(after) ?? after }) };
}

function normalizeReminder({ after, before }: ReminderDefinition) {
  const parts: Parts<ReminderDefinition> = { after: duration(after), before: duration(before) };
  return without(parts);
}

function normalizeResume(resume: ResumeDefinition) {
  if (resume.mode === 'continue') return undefined;
  const parts: Parts<typeof resume> = {
    mode: resume.mode,
    at: resume.at,
    in: resume.in,
    carry: unlessEmpty(texts(resume.carry)),
    dedupe: resume.dedupe,
  };
  return without(parts);
}

/** A field's label is its name where it has none of its own; a default answers, so that nothing is required beside it. */
function normalizeField(field: JsonObject): JsonObject {
  const { label, required, options, showIf, ...rest } = field;
  return {
    ...rest,
    ...(label === undefined || label === field.name ? {} : { label }),
    ...(required === undefined || required === false || Object.hasOwn(field, 'default') ? {} : { required }),
    ...(options === undefined
      ? {}
      : { options: Array.isArray(options) ? options.map(normalizeOption) : template(options) }),
    ...(showIf === undefined ? {} : { showIf: typeof showIf === 'string' ? text(showIf) : showIf }),
  };
}

function normalizeOption(option: JsonValue): JsonValue {
  if (!isJsonObject(option) || option.value === undefined) return template(option);
  const { label, ...rest } = option;
  const isSilent = label === undefined || label === String(option.value);
  if (isSilent && Object.keys(rest).length === 1) return option.value;
  return template(isSilent ? rest : option);
}
