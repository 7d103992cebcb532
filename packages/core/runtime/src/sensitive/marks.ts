import {
  type Change,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MASK,
  marksSensitive,
  maskBySchema,
  type Program,
  type Run,
  type RunEvent,
} from '@signalbox/kernel';
import type { Secrets } from './secrets.ts';

/** What a program marks as sensitive. */
interface Marks {
  /** Schemas of the state keys that have something to mask, of all its graphs. */
  readonly state: ReadonlyMap<string, readonly JsonObject[]>;
  /** Input schemas by graph. */
  readonly inputs: ReadonlyMap<string, JsonObject>;
  /** Fields by the node that asks. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

const known = new WeakMap<Program, Marks>();

function marksOf(program: Program): Marks {
  const before = known.get(program);
  if (before !== undefined) return before;
  const marks = readMarks(program);
  known.set(program, marks);
  return marks;
}

function readMarks(program: Program): Marks {
  const state = new Map<string, JsonObject[]>();
  const inputs = new Map<string, JsonObject>();
  const fields = new Map<string, ReadonlySet<string>>();
  for (const [key, { definition, nodes }] of program.graphs) {
    if (marksSensitive(definition.input)) inputs.set(key, definition.input);
    for (const [name, { schema }] of Object.entries(definition.state))
      if (marksSensitive(schema)) state.set(name, [...(state.get(name) ?? []), schema]);
    for (const [node, { request }] of nodes) {
      const marked = sensitiveFields(request?.definition.fields);
      if (marked.size > 0) fields.set(node, new Set([...(fields.get(node) ?? []), ...marked]));
    }
  }
  return { state, inputs, fields };
}

function sensitiveFields(fields: readonly JsonObject[] = []): ReadonlySet<string> {
  return new Set(fields.filter(({ sensitive }) => sensitive === true).map(({ name }) => String(name)));
}

/** Whether anything of a program is marked, beside what its contracts mark and what handlers ask. */
export function hasMarks(program: Program): boolean {
  const { state, inputs, fields } = marksOf(program);
  return state.size > 0 || inputs.size > 0 || fields.size > 0;
}

/** The open questions of a run that was loaded: their definitions are forgotten when they are answered. */
export function learnQuestions(program: Program, run: Run, secrets: Secrets): void {
  for (const { id, node, definition } of run.requests.values())
    secrets.asks(id, fieldsOf(program, node, definition?.fields));
}

function fieldsOf(program: Program, node: string, own: readonly JsonObject[] | undefined): ReadonlySet<string> {
  return own === undefined ? (marksOf(program).fields.get(node) ?? new Set()) : sensitiveFields(own);
}

/**
 * The data of an event with what is marked as sensitive masked: input and state by their schemas, answers by their
 * fields. What contracts mark is learned where a call is judged.
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
