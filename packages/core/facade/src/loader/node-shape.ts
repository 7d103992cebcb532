import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import { JSON_OBJECT } from './json-shape.ts';
import { COMMON_MEMBERS, HANDLER_MEMBERS, REGISTERED_MEMBERS, SHARE, TYPE_MEMBERS } from './node-members.ts';
import { type Members, object, optional } from './object-shape.ts';
import { findNodeType, handlerKey, reportSettings, reportUnknownType } from './registered-node.ts';
import { readText, type Shape, text } from './shape.ts';
import { entryOf, type SourceMap, type SourceNode } from './source-node.ts';

/** Other words for the built-in types. */
const ALIASES: Readonly<Record<string, string>> = { decision: 'ask' };

export const BUILT_IN_TYPES: readonly string[] = [...Object.keys(TYPE_MEMBERS), ...Object.keys(ALIASES)];

/** A node of any type. */
export const NODE: Shape = { schema: { $ref: '#/$defs/node' }, read: readNode };

const GRAPH_BODY = object('A body', {
  graph: { shape: text('the name of a graph'), required: { standIn: 'graph' } },
  share: { shape: SHARE },
});
const NODE_BODY = object('A body', {
  node: { shape: NODE, required: { standIn: { type: 'step', handler: 'unknown@1' } } },
});

/** `{ node }`, `{ graph, share }`, or the node itself. */
const BODY: Shape = {
  schema: { anyOf: [GRAPH_BODY.schema, NODE_BODY.schema, NODE.schema] },
  read: (node, pointer, conversion) => {
    conversion.mark(pointer, node);
    if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a node or { graph: … }');
    if (entryOf(node, 'type') === undefined && entryOf(node, 'graph') !== undefined) {
      return GRAPH_BODY.read(node, pointer, conversion);
    }
    if (entryOf(node, 'type') === undefined && entryOf(node, 'node') !== undefined) {
      return NODE_BODY.read(node, pointer, conversion);
    }
    const body = readNode(node, pointerTo(pointer, 'node'), conversion);
    return body === undefined ? undefined : { node: body };
  },
};

const HANDLER_REFERENCE = object('`compensate`', HANDLER_MEMBERS);
const REGISTERED_REFERENCE = object('`compensate`', {
  type: { shape: text('a registered node type'), required: { standIn: 'unknown' } },
  with: { shape: JSON_OBJECT },
});

/** `{ handler, with }`, or `{ type, with }` with a registered type. */
const COMPENSATE: Shape = {
  schema: { anyOf: [HANDLER_REFERENCE.schema, REGISTERED_REFERENCE.schema] },
  read: (node, pointer, conversion) => {
    if (node.kind !== 'map' || entryOf(node, 'type') === undefined) {
      return HANDLER_REFERENCE.read(node, pointer, conversion);
    }
    const read = REGISTERED_REFERENCE.read(node, pointer, conversion);
    if (!isJsonObject(read ?? null)) return undefined;
    const { type, ...rest } = read as JsonObject;
    return withHandler(String(type), rest, pointer, conversion);
  },
};

const COMMON: Members = { ...COMMON_MEMBERS, ...optional({ compensate: COMPENSATE }) };

const BODY_STAND_IN: JsonValue = { node: { type: 'step', handler: 'unknown@1' } };

const BUILT_IN: Readonly<Record<string, Members>> = {
  ...TYPE_MEMBERS,
  map: { ...TYPE_MEMBERS.map, body: { shape: BODY, required: { standIn: BODY_STAND_IN } } },
};

const SHAPES: Readonly<Record<string, Shape>> = Object.fromEntries(
  Object.entries(BUILT_IN).map(([type, members]) => {
    const names = [type, ...Object.keys(ALIASES).filter(alias => ALIASES[alias] === type)];
    return [type, object(`A node of type \`${type}\``, { ...COMMON, ...members }, { type: { enum: names } })];
  }),
);

const REGISTERED = object(
  'A node of a registered type',
  { ...COMMON, ...REGISTERED_MEMBERS },
  { type: { type: 'string', not: { enum: [...BUILT_IN_TYPES] } } },
);

/** A node whose type is not known may say what a node of any type says. It is not given out, so all of it is left aside but what others refer to. */
const UNKNOWN = object('A node', {
  ...Object.fromEntries(
    Object.values(BUILT_IN).flatMap(members =>
      Object.entries(members).map(([key, { shape }]) => [key, { shape, as: false } as const]),
    ),
  ),
  ...COMMON,
  ...optional({ with: JSON_OBJECT }),
  output: { shape: JSON_OBJECT, as: false },
});

/** One schema for each type, told apart by `type`; see {@link NODE}. */
export const NODE_SCHEMA: JsonObject = {
  type: 'object',
  required: ['type'],
  oneOf: [...Object.values(SHAPES), REGISTERED].map(shape => shape.schema),
};

function readNode(node: SourceNode, pointer: string, conversion: Conversion): JsonValue | undefined {
  conversion.mark(pointer, node);
  if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a map with `type`') ?? standIn(pointer, conversion);
  const written = entryOf(node, 'type');
  const rest: SourceMap = { ...node, entries: node.entries.filter(entry => entry !== written) };
  if (written === undefined) {
    const hint = `The built-in types are ${BUILT_IN_TYPES.join(', ')}.`;
    conversion.fault('MissingKey', pointer, 'A node needs `type`.', { hint });
    return standIn(pointer, conversion);
  }
  const type = readText(written.value, pointerTo(pointer, 'type'), conversion, 'the name of a node type');
  if (type === undefined) return standIn(pointer, conversion);
  const builtIn = Object.hasOwn(ALIASES, type) ? ALIASES[type]! : type;
  const shape = Object.hasOwn(SHAPES, builtIn) ? SHAPES[builtIn] : undefined;
  if (shape === undefined) {
    const known = findNodeType(type, conversion.types) !== undefined;
    const read = (known ? REGISTERED : UNKNOWN).read(rest, pointer, conversion);
    return withHandler(type, isJsonObject(read ?? null) ? (read as JsonObject) : {}, pointer, conversion, 'step');
  }
  const read = shape.read(builtIn === 'map' ? withBody(rest) : rest, pointer, conversion);
  return isJsonObject(read ?? null) ? { type: builtIn, ...(read as JsonObject) } : standIn(pointer, conversion);
}

/** A node that nothing is wrong with, in place of one that could not be read; whether it was a join is not known. */
function standIn(pointer: string, conversion: Conversion): JsonObject {
  conversion.break(pointer);
  conversion.doubtAt(pointer, 'joins');
  return { type: 'step', handler: 'unknown@1' };
}

/** What a registered type stands for: its handler, and its output schema unless the node has one of its own. */
function withHandler(type: string, rest: JsonObject, pointer: string, conversion: Conversion, as?: 'step'): JsonObject {
  const declaration = findNodeType(type, conversion.types);
  if (declaration === undefined) {
    reportUnknownType(type, as === undefined ? [] : BUILT_IN_TYPES, pointer, conversion);
  } else reportSettings(rest.with, declaration, pointer, conversion);
  const { output = declaration?.output, ...others } = rest;
  const step = as === undefined ? {} : { type: as, ...(output === undefined ? {} : { output }) };
  return { ...step, handler: handlerKey(type, declaration), ...others };
}

/** `graph:` beside `items:` is short for `body: { graph: … }`. */
function withBody(map: SourceMap): SourceMap {
  const graph = entryOf(map, 'graph');
  if (graph === undefined || entryOf(map, 'body') !== undefined) return map;
  const share = entryOf(map, 'share');
  const entries = share === undefined ? [graph] : [graph, share];
  const body = { key: 'body', keyAt: graph.keyAt, value: { kind: 'map' as const, at: graph.keyAt, entries } };
  return { ...map, entries: [...map.entries.filter(entry => !entries.includes(entry)), body] };
}
