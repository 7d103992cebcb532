import {
  type CompiledContract,
  compileJsonSchema,
  type GateFacts,
  isJsonObject,
  isSignalboxError,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  type RequestDefinition,
  type Validator,
} from '@signalbox/kernel';

/** What a reply without calls comes to. */
export type ReadReply =
  | { readonly kind: 'output'; readonly output: JsonValue }
  | { readonly kind: 'question'; readonly request: RequestDefinition }
  /** `fault`: for the model, exactly what is wrong. */
  | { readonly kind: 'fault'; readonly fault: string };

/** Schema of the object by which a model asks, for a structured output that allows it. */
export const DECISION_REQUEST = 'decision_request';

/**
 * Reads the last word of an agent.
 *  1. An object with `decision_request` is a question, whatever else is in it; the prose around it is no answer.
 *  2. Where an output schema is declared the reply is one strict JSON value that fits it, and every rule of the contract.
 *  3. Nothing is repaired here: a fault is shown to the model.
 */
export function readReply(
  text: string,
  contract: CompiledContract,
  output: Validator | undefined,
  facts: GateFacts,
): ReadReply {
  const validators = [output, contract.output].filter(validator => validator !== undefined);
  const asked = questionIn(text);
  if (asked !== undefined) return asked;
  if (validators.length === 0) {
    if (text.trim() === '') return { kind: 'fault', fault: 'The reply is empty.' };
    return checkRules(text, contract, facts);
  }
  const read = readJson(unfenced(text));
  if ('fault' in read) return { kind: 'fault', fault: `The reply is to be one JSON value: ${read.fault}` };
  return checkReply(read.value, contract, output, facts);
}

/** Whether a reply that is read fits its schemas and keeps the rules. */
export function checkReply(
  read: JsonValue,
  contract: CompiledContract,
  output: Validator | undefined,
  facts: GateFacts,
): Exclude<ReadReply, { kind: 'question' }> {
  const validators = [output, contract.output].filter(validator => validator !== undefined);
  let value = read;
  for (const validator of validators) {
    const result = validator.validate(value);
    if (!result.ok) {
      const told = result.issues.map(({ pointer, message }) => `${pointer || 'the reply'} ${message}`).join('; ');
      return { kind: 'fault', fault: `The reply does not fit its schema: ${told}.` };
    }
    value = result.value;
  }
  return checkRules(value, contract, facts);
}

function checkRules(
  output: JsonValue,
  contract: CompiledContract,
  facts: GateFacts,
): Exclude<ReadReply, { kind: 'question' }> {
  const see = { ...facts, output };
  for (const { definition, assert } of contract.outputRules) {
    const held = assert.evaluate(see as unknown as Readonly<Record<string, unknown>>);
    if (held.ok && held.value === true) continue;
    const why = held.ok ? '' : ` (\`${assert.source}\` cannot be evaluated: ${held.reason})`;
    return { kind: 'fault', fault: `The reply breaks a rule: ${definition.message}${why}` };
  }
  return { kind: 'output', output };
}

/** Such a reply is a question, whatever else is in it: its calls are not done. */
export function asksSomebody(text: string): boolean {
  return questionIn(text) !== undefined;
}

function questionIn(text: string): ReadReply | undefined {
  if (!text.includes(DECISION_REQUEST)) return undefined;
  const read = readJson(unfenced(text));
  if ('fault' in read || !isJsonObject(read.value) || !(DECISION_REQUEST in read.value)) return undefined;
  const wanted = read.value[DECISION_REQUEST] ?? null;
  const result = QUESTION.validate(wanted);
  if (result.ok) return { kind: 'question', request: toRequest(wanted as JsonObject) };
  const told = result.issues.map(({ pointer, message }) => `${DECISION_REQUEST}${pointer} ${message}`).join('; ');
  return { kind: 'fault', fault: `The question is not well put: ${told}.` };
}

/**
 * What a model may say of a question. It names neither who answers nor what is approved, and sets no time: those are not
 * a model's to say.
 */
const QUESTION = compileJsonSchema({
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    kind: { enum: ['form', 'choice', 'confirmation'], default: 'form' },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    message: { type: 'string', maxLength: 4_000 },
    gap: { enum: ['parameter', 'constraint', 'structure', 'worldState', 'preference'] },
    summary: { type: 'string', maxLength: 2_000 },
    purpose: { type: 'string', maxLength: 1_000 },
    fields: { type: 'array', maxItems: 50, items: { type: 'object' } },
    proposal: {
      type: 'object',
      properties: {
        values: { type: 'object' },
        confidence: { type: 'number', minimum: 0, maximum: 1 },
        reason: { type: 'string' },
      },
      additionalProperties: false,
    },
  },
});

/** What a model wrote is text: an object `{ cel }` in it would be taken for a template, so none is let through. */
function toRequest(wanted: JsonObject): RequestDefinition {
  return withoutTemplates({ kind: 'form', ...wanted }) as unknown as RequestDefinition;
}

/** From the inside out: what is left of an object must not become a template either. */
export function withoutTemplates(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutTemplates);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .filter(([key]) => key !== 'showIf')
    .map(([key, member]): [string, JsonValue] => [key, withoutTemplates(member)]);
  const [only] = members;
  if (members.length === 1 && only![0] === 'cel' && typeof only![1] === 'string') return only![1];
  return Object.fromEntries(members);
}

/** What the text says as JSON; undefined where it is none. */
export function jsonOf(text: string): JsonValue | undefined {
  const read = readJson(unfenced(text));
  return 'value' in read ? read.value : undefined;
}

function readJson(text: string): { readonly value: JsonValue } | { readonly fault: string } {
  try {
    return { value: parseStrictJson(text) };
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    return { fault: error.message };
  }
}

const FENCE = '```';

/**
 * Models put JSON between fences; what is between them is what they mean. In time linear in the text: models that lose their
 * way write blank lines without end.
 */
function unfenced(text: string): string {
  const whole = text.trim();
  const [start, end] = [whole.indexOf('\n'), whole.lastIndexOf('\n')];
  const [first, last] = [whole.slice(0, start).trimEnd(), whole.slice(end + 1).trimStart()];
  const isFenced = start !== end && (first === FENCE || first === `${FENCE}json`) && last === FENCE;
  return isFenced ? whole.slice(start + 1, end) : text;
}
