import { type CompiledNode, type CompiledWait, type JsonObject, marksSensitive, type Program } from '@signalbox/kernel';

/** What a program marks as sensitive. Nodes of one name count as one, whatever graph they are in, and so do state keys. */
export interface Marks {
  readonly isEmpty: boolean;
  /** Schemas of the state keys that have something to mask, of all its graphs. */
  readonly state: Schemas;
  /** Input schemas by graph. */
  readonly inputs: ReadonlyMap<string, JsonObject>;
  /** Fields by the node that asks. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** Schemas of outputs by node. */
  readonly outputs: Schemas;
  /** Schemas of signals that nodes wait for, by name. */
  readonly signals: Schemas;
  /** Nodes whose handler works towards an output that is marked: what it recorded on the way may hold that. */
  readonly working: ReadonlySet<string>;
}

export type Schemas = ReadonlyMap<string, readonly JsonObject[]>;

const known = new WeakMap<Program, Marks>();

export function marksOf(program: Program): Marks {
  const before = known.get(program);
  if (before !== undefined) return before;
  const marks = readMarks(program);
  known.set(program, marks);
  return marks;
}

function readMarks(program: Program): Marks {
  const state = new Map<string, readonly JsonObject[]>();
  const inputs = new Map<string, JsonObject>();
  const fields = new Map<string, ReadonlySet<string>>();
  const outputs = new Map<string, readonly JsonObject[]>();
  const signals = new Map<string, readonly JsonObject[]>();
  for (const [key, { definition, nodes }] of program.graphs) {
    if (marksSensitive(definition.input)) inputs.set(key, definition.input);
    for (const [name, { schema }] of Object.entries(definition.state)) addMarked(state, name, schema);
    for (const [name, node] of nodes) {
      const marked = sensitiveFields(node.request?.definition.fields);
      if (marked.size > 0) fields.set(name, new Set([...(fields.get(name) ?? []), ...marked]));
      for (const schema of outputsOf(node)) addMarked(outputs, name, schema);
      for (const [signal, schema] of signalsOf(node.wait)) addMarked(signals, signal, schema);
    }
  }
  const isEmpty = [state, inputs, fields, outputs, signals].every(({ size }) => size === 0);
  return { isEmpty, state, inputs, fields, outputs, signals, working: workingTowards(outputs, program) };
}

function addMarked(schemas: Map<string, readonly JsonObject[]>, name: string, schema: JsonObject): void {
  if (marksSensitive(schema)) schemas.set(name, [...(schemas.get(name) ?? []), schema]);
}

/** Of a step as it declares it, of a wait what its signals carry. */
function outputsOf({ definition, wait }: CompiledNode): readonly JsonObject[] {
  if (definition.type === 'step') return definition.output === undefined ? [] : [definition.output];
  const carried = [...signalsOf(wait)].map(([, schema]) => schema);
  return wait?.kind === 'first' ? carried.map(value => ({ properties: { value } })) : carried;
}

function signalsOf(wait: CompiledWait | undefined): readonly (readonly [string, JsonObject])[] {
  if (wait?.kind === 'first') return [...wait.of.values()].flatMap(member => signalsOf(member));
  return wait?.kind === 'signal' && wait.schema !== undefined ? [[wait.signal, wait.schema]] : [];
}

/** A fallback works under the name of the node that it stands in for. */
function workingTowards(outputs: Schemas, { graphs }: Program): ReadonlySet<string> {
  const nodes = [...graphs.values()].flatMap(graph => [...graph.nodes.values()]);
  const isWorking = ({ name, fallbackNode }: CompiledNode) =>
    outputs.has(name) || (fallbackNode !== undefined && outputs.has(fallbackNode));
  return new Set(nodes.filter(isWorking).map(({ name }) => name));
}

export function sensitiveFields(fields: readonly JsonObject[] = []): ReadonlySet<string> {
  return new Set(fields.filter(({ sensitive }) => sensitive === true).map(({ name }) => String(name)));
}

/** Whether anything of a program is marked, beside what its contracts mark and what handlers ask. */
export function hasMarks(program: Program): boolean {
  return !marksOf(program).isEmpty;
}
