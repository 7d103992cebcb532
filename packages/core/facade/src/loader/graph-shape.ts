import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import { JSON_SCHEMA } from './json-shape.ts';
import { GRAPH_LIMITS } from './limit-shape.ts';
import { NODE } from './node-shape.ts';
import { type Members, object, optional } from './object-shape.ts';
import { bringUpToDate } from './older-forms.ts';
import { ROUTES } from './route-shape.ts';
import { CEL, record, type Shape, text } from './shape.ts';
import { entryOf, isText, type SourceMap, type SourceNode, textAt } from './source-node.ts';
import { STATE } from './state-shape.ts';

/** Nodes read whole, so that a broken one keeps its name and its routes keep their target. */
const NODES = record(NODE);

/** A graph inside a graph is called by its key; saying the name as well is allowed. */
const GRAPHS: Shape = {
  schema: { type: 'object', additionalProperties: { $ref: '#/$defs/innerGraph' } },
  read: (node, pointer, conversion) => {
    if (node.kind !== 'map') return record(GRAPH).read(node, pointer, conversion);
    const entries = node.entries.map(entry => ({ ...entry, value: withName(entry.value, entry.key, entry.keyAt) }));
    return record(GRAPH).read({ ...node, entries }, pointer, conversion);
  },
};

function withName(node: SourceNode, name: string, at: number): SourceNode {
  if (node.kind !== 'map' || entryOf(node, 'name') !== undefined) return node;
  return { ...node, entries: [{ key: 'name', keyAt: at, value: textAt(at, name) }, ...node.entries] };
}

const MEMBERS: Members = {
  name: { shape: text(), required: { standIn: 'graph' } },
  ...optional({ title: text(), description: text(), input: JSON_SCHEMA, state: STATE, output: record(CEL) }),
  entry: { shape: text('the name of a node'), required: { standIn: '', code: 'EntryMissing' } },
  nodes: { shape: NODES, required: { standIn: {} } },
  ...optional({ routes: ROUTES, limits: GRAPH_LIMITS, zone: text(), graphs: GRAPHS }),
  version: { shape: text(), as: false },
  $schema: { shape: text(), as: false },
};

const WRITTEN = object('A graph', MEMBERS);

/** As `WRITTEN`, the older forms read too. The result is a whole definition even where parts of the text are broken. */
export const GRAPH: Shape = {
  schema: WRITTEN.schema,
  read: (node, pointer, conversion) => {
    conversion.mark(pointer, node);
    if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a map with `name`, `entry`, `nodes` and `routes`');
    const read = WRITTEN.read(bringUpToDate(node, pointer, conversion), pointer, conversion);
    if (pointer === '') conversion.version = versionOf(node);
    return isJsonObject(read ?? null) ? complete(read as JsonObject, pointer, conversion) : undefined;
  },
};

/** The schema of a graph inside another, whose name may be left out. */
export const INNER_GRAPH_SCHEMA: JsonObject = {
  ...WRITTEN.schema,
  required: ['entry', 'nodes'],
};

function complete(read: JsonObject, pointer: string, conversion: Conversion): JsonObject {
  const nodes = read.nodes as Readonly<Record<string, JsonValue>>;
  if (conversion.isBroken(pointerTo(pointer, 'nodes'))) conversion.doubtAt(pointer, 'nodes');
  const entryBroken = conversion.isBroken(pointerTo(pointer, 'entry'));
  const routesBroken = ['routes', 'edges'].some(key => conversion.hasFaultBelow(pointerTo(pointer, key)));
  if (entryBroken || routesBroken || conversion.isBroken(pointerTo(pointer, 'routes'))) {
    conversion.doubtAt(pointer, 'routes');
  }
  const entry = entryBroken ? (Object.keys(nodes)[0] ?? '') : read.entry!;
  const whole: JsonObject = { input: {}, state: {}, routes: {}, ...read, entry };
  return Object.fromEntries(ORDER.flatMap(key => (Object.hasOwn(whole, key) ? [[key, whole[key]!]] : [])));
}

/** In which a definition is shown, however it was written. */
const ORDER: readonly string[] = [
  ...['name', 'title', 'description', 'entry', 'input', 'state', 'output'],
  ...['nodes', 'routes', 'limits', 'zone', 'graphs'],
];

function versionOf(map: SourceMap): string | undefined {
  const version = entryOf(map, 'version')?.value;
  return isText(version) ? version.value : undefined;
}
