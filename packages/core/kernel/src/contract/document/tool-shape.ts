import { pointerTo } from '../../error/fault.ts';
import { errorAt } from '../../graph/check/fault.ts';
import { DANGEROUS_KEYS, isJsonObject, type JsonValue } from '../../json/value.ts';
import { checkToolName } from './names.ts';
import {
  eitherOf,
  inside,
  leaf,
  type Members,
  object,
  optional,
  type Place,
  type Reading,
  record,
  type Shape,
  shortFor,
  wrong,
} from './shape.ts';
import {
  AMOUNTS,
  ASSIGNEES,
  CEL,
  COUNT,
  DURATION,
  FILLED,
  FLAG,
  isFlag,
  isText,
  POINTERS,
  pointerKey,
  RETRY,
  SCHEMA,
  TEXT,
  WHOLE,
  word,
} from './values.ts';

export const EFFECTS = ['read', 'repeat', 'once'] as const;

const APPROVAL_MEMBERS: Members = {
  ...optional({ when: CEL, assignees: ASSIGNEES, quorum: COUNT, fourEyes: FLAG, deadline: DURATION, title: TEXT }),
  assign: { shape: ASSIGNEES, as: 'assignees' },
};

/** `true`, CEL that says when, or who and how many. `false` is kept: beside `extends` it would take an approval away. */
const APPROVAL = eitherOf(
  [isFlag, FLAG],
  [isText, shortFor('when', CEL)],
  [() => true, object('`approval`', APPROVAL_MEMBERS)],
);

const WRITE = object('`writes`', {
  key: { shape: FILLED, required: { standIn: '' } },
  value: { shape: CEL, required: { standIn: 'output' } },
});

const WRITE_MAP = record(CEL);

/** `{ key, value }` or a list of such writes by name; any other map goes from state key to CEL. */
const WRITES: Shape = {
  schema: { anyOf: [WRITE.schema, { type: 'array', items: WRITE.schema }, WRITE_MAP.schema] },
  read: (value, place, reading) => {
    if (!Array.isArray(value) && !isSingleWrite(value)) return WRITE_MAP.read(value, place, reading);
    reading.mark(place);
    const writes: Record<string, JsonValue> = {};
    for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
      readWrite(item, Array.isArray(value) ? inside(place, index) : place, { place, reading, writes });
    }
    return writes;
  },
};

interface Writing {
  /** Of `writes` as a whole. */
  readonly place: Place;
  readonly reading: Reading;
  readonly writes: Record<string, JsonValue>;
}

function readWrite(value: JsonValue, at: Place, { place, reading, writes }: Writing): void {
  const { key, value: source } = (WRITE.read(value, at, reading) ?? {}) as { key?: string; value?: string };
  if (key === undefined || key === '' || source === undefined) return;
  if (DANGEROUS_KEYS.has(key)) {
    reading.faults.push(errorAt(`${at.written}/key`, 'DangerousKey', `\`${key}\` is not allowed as a key.`));
    return;
  }
  if (Object.hasOwn(writes, key)) {
    reading.faults.push(errorAt(`${at.written}/key`, 'KeyTwice', `\`${key}\` is written twice.`, 'Keep one of them.'));
  }
  reading.mark({ target: pointerTo(place.target, key), written: `${at.written}/value` });
  writes[key] = source;
}

function isSingleWrite(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 2 && 'key' in value && 'value' in value;
}

const COMPENSATE = eitherOf(
  [isText, shortFor('tool', FILLED)],
  [
    () => true,
    object('`compensate`', { tool: { shape: FILLED, required: { standIn: '' } }, args: { shape: record(CEL) } }),
  ],
);

const BRIDGE = eitherOf(
  [isText, shortFor('template', TEXT)],
  [() => true, object('`bridge`', optional({ template: TEXT, maxChars: COUNT }))],
);

const LIMITS = optional({ perRun: WHOLE, perNode: WHOLE, perSession: WHOLE, failuresInARow: COUNT });

const TOOL_MEMBERS: Members = {
  name: { shape: FILLED, as: false },
  ...optional({ description: TEXT, effect: word('effect class', ...EFFECTS), when: CEL }),
  inputSchema: { shape: SCHEMA, as: 'input' },
  outputSchema: { shape: SCHEMA, as: 'output' },
  bind: { shape: record(CEL, pointerKey) },
  ...optional({ normalize: FLAG, approval: APPROVAL, idempotencyKey: CEL, timeout: DURATION, retry: RETRY }),
  limits: { shape: object('`limits`', LIMITS) },
  ...optional({ sensitive: POINTERS, sensitiveOutput: POINTERS, writes: WRITES, compensate: COMPENSATE }),
  ...optional({ bridge: BRIDGE, parallel: FLAG, cost: AMOUNTS }),
};

const TOOL = object('A tool', TOOL_MEMBERS);

const NAME_ONLY = leaf({ type: 'string' }, value => value);

/**
 * A list of tools with their names, or of bare names (of tools that the contract this one extends has); in the
 * definition a map by name.
 */
export const TOOLS: Shape = {
  schema: {
    type: 'array',
    items: { anyOf: [NAME_ONLY.schema, { ...TOOL.schema, required: ['name'] }] },
  },
  read: (value, place, reading) => {
    reading.mark(place);
    if (!Array.isArray(value)) return wrong(value, place, reading, 'a list of tools');
    const tools: Record<string, JsonValue> = {};
    for (const [index, item] of value.entries())
      readTool(item, { ...inside(place, index), target: place.target }, reading, tools);
    return tools;
  },
};

function readTool(value: JsonValue, place: Place, reading: Reading, tools: Record<string, JsonValue>): void {
  const named = nameOf(value, place, reading);
  const name = named !== undefined && DANGEROUS_KEYS.has(named) ? undefined : named;
  const target = pointerTo(place.target, name ?? '');
  const nameAt = isText(value) ? place.written : `${place.written}/name`;
  if (name !== undefined && Object.hasOwn(tools, name)) {
    const message = `The tool \`${name}\` is there twice.`;
    reading.faults.push(errorAt(nameAt, 'DuplicateTool', message, 'Keep one of them.'));
  }
  if (named !== undefined) reading.faults.push(...checkToolName(named, nameAt));
  const read = isText(value) ? {} : TOOL.read(value, { ...place, target }, reading);
  reading.mark({ target, written: place.written });
  if (name !== undefined && isJsonObject(read ?? null) && !Object.hasOwn(tools, name)) tools[name] = read!;
}

function nameOf(value: JsonValue, place: Place, reading: Reading): string | undefined {
  if (isText(value)) return String(value);
  if (!isJsonObject(value)) return undefined;
  if (typeof value.name === 'string' && value.name !== '') return value.name;
  if (value.name === undefined) reading.faults.push(errorAt(place.written, 'MissingKey', 'A tool needs `name`.'));
  return undefined;
}
