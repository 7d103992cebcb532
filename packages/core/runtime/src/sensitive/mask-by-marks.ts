import {
  type Change,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MASK,
  maskBySchema,
  type Program,
  type Run,
  type RunEvent,
} from '@signalbox/kernel';
import { type Marks, marksOf, sensitiveFields } from './marks.ts';
import type { Secrets } from './secrets.ts';

/** What a run that was loaded waits for: the definitions of questions are forgotten when they are answered. */
export function learnWaits(program: Program, run: Run, secrets: Secrets): void {
  for (const { id, node, definition } of run.requests.values())
    secrets.asks(id, fieldsOf(program, node, definition?.fields));
  for (const { at } of run.tokens.values())
    if (at.kind === 'node') for (const { wait, first } of at.journal.values()) secrets.signals.learn({ wait, first });
}

function fieldsOf(program: Program, node: string, own: readonly JsonObject[] | undefined): ReadonlySet<string> {
  return own === undefined ? (marksOf(program).fields.get(node) ?? new Set()) : sensitiveFields(own);
}

/**
 * The data of an event with what is marked as sensitive masked: inputs, state, outputs and signals by their schemas,
 * answers by their fields. What contracts mark is learned where a call is judged, or a reply comes.
 */
export function maskedByMarks(program: Program, secrets: Secrets, event: RunEvent): JsonObject {
  const marks = marksOf(program);
  const data = event.data as unknown as JsonObject;
  switch (event.type) {
    case 'run.started': {
      const input = maskInput(marks, '', event.data.input);
      return { ...data, input, state: maskState(marks, event.data.state) };
    }
    case 'scope.opened': {
      const { inputs, state, graph } = event.data;
      return {
        ...data,
        ...(inputs === undefined ? {} : { inputs: each(inputs, input => maskInput(marks, graph, input)) }),
        ...(state === undefined ? {} : { state: maskState(marks, state) }),
      };
    }
    case 'state.changed':
      return maskChanges(marks, data);
    case 'node.succeeded':
    case 'node.skipped': {
      const by = 'degraded' in event.data ? event.data.degraded?.by : undefined;
      return maskOutput(marks, data, by);
    }
    case 'node.cancelled': {
      const { done, node } = event.data;
      return done === undefined
        ? data
        : { ...data, done: maskOutput(marks, { ...(done as unknown as JsonObject), node }) };
    }
    case 'op.intended':
      secrets.signals.learn(event.data);
      return data;
    case 'op.recorded':
      return maskResult(marks, data);
    case 'signal.received': {
      const { name, value } = event.data;
      const own = marks.signals.get(name) ?? [];
      return withMasked(data, 'value', maskAll([...own, ...secrets.signals.of(name)], value));
    }
    case 'request.opened': {
      const { request, node, definition } = event.data;
      const fields = fieldsOf(program, node, definition?.fields);
      secrets.asks(request, fields);
      return fields.size === 0 ? data : maskQuestion(data, fields);
    }
    case 'request.answered':
    case 'request.endorsed':
    case 'request.recalled':
      return maskValues(data, secrets.fieldsOf(event.data.request));
    case 'memory.written':
      return maskValues(data, secrets.fieldsOf(event.data.request ?? ''));
    case 'episode.started':
      return { ...data, answer: maskValues(data.answer as JsonObject, secrets.fieldsOf(event.data.request)) };
    default:
      return data;
  }
}

function maskAll(schemas: readonly JsonObject[], value: JsonValue): JsonValue {
  return schemas.reduce<JsonValue>((masked, schema) => maskBySchema(schema, masked), value);
}

function withMasked(data: JsonObject, key: string, masked: JsonValue): JsonObject {
  return masked === data[key] ? data : { ...data, [key]: masked };
}

/** `by`: the fallback that it is of. */
function maskOutput({ outputs }: Marks, data: JsonObject, by?: string): JsonObject {
  const { output, node } = data;
  if (output === undefined || outputs.size === 0) return data;
  const schemas = [...(outputs.get(String(node)) ?? []), ...(by === undefined ? [] : (outputs.get(by) ?? []))];
  return withMasked(data, 'output', maskAll(schemas, output));
}

/** What the handler of a marked output recorded, as far as that has the shape of its output. */
function maskResult({ outputs, working }: Marks, data: JsonObject): JsonObject {
  const { kind, value, node } = data;
  if (kind !== 'run' || value === undefined || !working.has(String(node))) return data;
  return withMasked(data, 'value', maskAll(outputs.get(String(node)) ?? [], value));
}

function maskInput({ inputs }: Marks, graph: string, input: JsonValue): JsonValue {
  const schema = inputs.get(graph);
  return schema === undefined ? input : maskBySchema(schema, input);
}

function maskState(marks: Marks, state: JsonObject): JsonObject {
  const masked = Object.entries(state).map(([key, value]): [string, JsonValue] => [key, maskKey(marks, key, value)]);
  return masked.some(([key, value]) => value !== state[key]) ? Object.fromEntries(masked) : state;
}

/** The list itself where nothing of it changes. */
function each(items: readonly JsonValue[], change: (item: JsonValue) => JsonValue): readonly JsonValue[] {
  const changed = items.map(change);
  return changed.some((item, at) => item !== items[at]) ? changed : items;
}

function maskKey({ state }: Marks, key: string, value: JsonValue): JsonValue {
  return (state.get(key) ?? []).reduce<JsonValue>((masked, schema) => maskBySchema(schema, masked), value);
}

function maskChanges(marks: Marks, data: JsonObject): JsonObject {
  const before = data.changes as readonly JsonValue[];
  const changes = each(before, change => maskChange(marks, change as unknown as Change) as unknown as JsonObject);
  return changes === before ? data : { ...data, changes };
}

function maskChange(marks: Marks, change: Change): Change {
  const { key, op, value } = change;
  const masked = maskKey(marks, key, value);
  return masked === value ? change : { ...change, value: masked === MASK ? maskedDelta(op, value) : masked };
}

/** A masked delta is still one: a list of what is added, members that are merged. */
function maskedDelta(op: Change['op'], value: JsonValue): JsonValue {
  if (op === 'append' && Array.isArray(value)) return value.map(() => MASK);
  if (op === 'merge' && isJsonObject(value)) return masksOf(value);
  return MASK;
}

function masksOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(value).map(key => [key, MASK]));
}

/** A question shows neither what is proposed for a sensitive field nor what it has as default. */
function maskQuestion(data: JsonObject, names: ReadonlySet<string>): JsonObject {
  const masked = (part: JsonValue | undefined) =>
    isJsonObject(part) && isJsonObject(part.proposal) ? { ...part, proposal: maskValues(part.proposal, names) } : part;
  const filled = masked(data.filled);
  const definition = masked(data.definition);
  return {
    ...data,
    ...(filled === undefined ? {} : { filled }),
    ...(definition === undefined ? {} : { definition }),
  };
}

function maskValues(data: JsonObject, names: ReadonlySet<string> | undefined): JsonObject {
  const { values } = data;
  if (names === undefined || !isJsonObject(values)) return data;
  const masked = Object.entries(values).map(([name, value]) => [name, names.has(name) ? MASK : value]);
  return { ...data, values: Object.fromEntries(masked) as JsonObject };
}
