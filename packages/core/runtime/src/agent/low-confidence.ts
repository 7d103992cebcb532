import {
  fieldsFromSchema,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type RequestDefinition,
} from '@signalbox/kernel';
import { withoutTemplates } from './reply.ts';

/** How sure a reply has to be to stand by itself. */
export interface ConfidenceThreshold {
  /** 0 to 1. */
  readonly below: number;
  readonly assignees?: readonly string[];
}

/** The stricter of what contract and agent ask for; who is asked is the contract's to say where it says it. */
export function thresholdOf(
  contract: ConfidenceThreshold | undefined,
  agent: ConfidenceThreshold | undefined,
): ConfidenceThreshold | undefined {
  if (contract === undefined || agent === undefined) return contract ?? agent;
  const assignees = contract.assignees ?? agent.assignees;
  return { below: Math.max(contract.below, agent.below), ...(assignees === undefined ? {} : { assignees }) };
}

/** A reply that says nothing of its confidence, or no number from 0 to 1, has said nothing that would pass a threshold. */
export function isUnsure(reply: JsonValue, { below }: ConfidenceThreshold): boolean {
  const confidence = confidenceOf(reply);
  return confidence === undefined || confidence < below;
}

export function confidenceOf(reply: JsonValue): number | undefined {
  const said = isJsonObject(reply) ? reply.confidence : undefined;
  return typeof said === 'number' && said >= 0 && said <= 1 ? said : undefined;
}

export interface UnsureReply {
  readonly agent: string;
  readonly reply: JsonValue;
  /** The reply with what is sensitive in it masked. */
  readonly shown: JsonValue;
  /** JSON Schema of the reply, where it has one. */
  readonly schema: JsonObject | undefined;
  readonly assignees: readonly string[] | undefined;
  /** What was wrong with the reply as it was edited last. */
  readonly fault?: string;
}

/** The question whether a reply may stand: a form of its members where a form can hold them, else the reply as text. */
export function unsureRequest({ agent, reply, shown, schema, assignees, fault }: UnsureReply): RequestDefinition {
  const { fields, values } = formOf(reply, schema);
  return {
    kind: fields.length === 0 ? 'confirmation' : 'form',
    title: `"${agent}" is not sure of its reply. Is it right?`,
    ...(fault === undefined ? {} : { message: fault }),
    gap: 'approval',
    purpose: 'The reply stands as it is approved or edited; a rejection fails the node.',
    displays: [{ type: 'text', title: 'Reply', text: JSON.stringify(shown, null, 2) }],
    proposal: proposalOf(reply, values),
    ...(fields.length === 0 ? {} : { fields }),
    ...(assignees === undefined ? {} : { assignees }),
  };
}

/** Of the reply, as it is edited by the fields of its question. */
export function editedReply(reply: JsonValue, schema: JsonObject | undefined, values: JsonObject): JsonValue {
  const { fields } = formOf(reply, schema);
  if (!isJsonObject(reply)) return reply;
  return {
    ...except(
      reply,
      fields.map(({ name }) => String(name)),
    ),
    ...values,
  };
}

function proposalOf(reply: JsonValue, values: JsonObject): JsonObject {
  const { reason, alternatives } = isJsonObject(reply) ? reply : ({} as JsonObject);
  const confidence = confidenceOf(reply);
  return {
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(Array.isArray(alternatives) ? { alternatives: withoutTemplates(alternatives) } : {}),
  };
}

interface FormOfReply {
  readonly fields: readonly JsonObject[];
  readonly values: JsonObject;
}

/** What is said about the choice is no part of it. */
const ABOUT = ['confidence', 'alternatives'];

const NO_FORM: FormOfReply = { fields: [], values: {} };

/** Nothing a model wrote may be taken for a template, so only plain values are proposed. */
function formOf(reply: JsonValue, schema: JsonObject | undefined): FormOfReply {
  if (!isJsonObject(reply) || schema === undefined || !isJsonObject(schema.properties)) return NO_FORM;
  const { fields, faults } = fieldsFromSchema({
    ...schema,
    properties: except(schema.properties, ABOUT),
    ...(Array.isArray(schema.required)
      ? { required: schema.required.filter(key => !ABOUT.includes(String(key))) }
      : {}),
  });
  const names = fields.map(({ name }) => name);
  const values = Object.fromEntries(Object.entries(reply).filter(([name]) => names.includes(name)));
  if (faults.length > 0 || fields.length === 0 || Object.values(values).some(isJsonObject)) return NO_FORM;
  return { fields: fields as unknown as readonly JsonObject[], values };
}

function except(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
