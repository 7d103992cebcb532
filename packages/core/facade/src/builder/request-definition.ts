import {
  type EscalationStep,
  type Fault,
  fieldsFromSchema,
  fromStandardSchema,
  isSignalboxError,
  type JsonObject,
  type RequestDefinition,
} from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { choiceField } from './choice-field.ts';
import { present } from './present.ts';
import type { AskRequest, AskWithForm, Deadline, EscalationTarget } from './request.ts';

/** What can be written in a request, to be told from the options of the node around it. */
export const REQUEST_KEYS = [
  ...['kind', 'title', 'message', 'gap', 'summary', 'purpose', 'context', 'form', 'fields', 'options', 'rules'],
  ...['displays', 'actions', 'proposal', 'subject', 'assign', 'quorum', 'fourEyes', 'requester', 'serviceTimeout'],
  ...['deadline', 'remind', 'resume', 'hold', 'remember', 'recall'],
] as const;

/** A request as data: its form becomes fields. Faults have pointers below the request, of a form below `/form`. */
export function toRequestDefinition(request: AskRequest | AskWithForm<StandardSchemaV1>): {
  definition: RequestDefinition;
  faults: readonly Fault[];
} {
  const { form, fields: listed, options, kind, assign, deadline, ...rest } = request;
  const written = options === undefined ? listed : [choiceField(options)];
  const { fields = written, faults } = form === undefined ? { faults: [] } : fieldsOf(form);
  const unsaid = options === undefined ? 'form' : 'choice';
  const definition = present({
    kind: kind ?? (fields === undefined ? 'confirmation' : unsaid),
    ...rest,
    fields,
    assignees: listOf(assign),
    deadline: deadline && deadlineOf(deadline),
  });
  return { definition, faults };
}

function fieldsOf(form: StandardSchemaV1): { fields: readonly JsonObject[]; faults: readonly Fault[] } {
  try {
    const { fields, faults } = fieldsFromSchema(fromStandardSchema(form).json);
    const placed = faults.map(fault => ({ ...fault, pointer: `/form${fault.pointer}` }));
    // Fields are JSON; as interfaces they have no index signature.
    return { fields: fields as unknown as readonly JsonObject[], faults: placed };
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    const { code, message, hint } = error;
    const fault: Fault = {
      code,
      severity: 'error',
      pointer: '/form',
      message,
      ...(hint === undefined ? {} : { hint }),
    };
    return { fields: [], faults: [fault] };
  }
}

function deadlineOf({ to, ...rest }: Deadline): NonNullable<RequestDefinition['deadline']> {
  const steps = typeof to === 'string' ? [to] : to;
  return present({ ...rest, to: steps?.map(step => (typeof step === 'string' ? step : escalationStep(step))) });
}

function escalationStep({ assign, after }: EscalationTarget): EscalationStep {
  return present({ assignees: listOf(assign) ?? [], after });
}

function listOf(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}
