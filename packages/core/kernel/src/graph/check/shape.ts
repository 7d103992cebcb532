import type { Fault } from '../../error/fault.ts';
import { isValidZone } from '../../time/instant.ts';
import type { GraphDefinition, Outcome, Reducer } from '../definition.ts';
import { errorAt } from './fault.ts';
import { graphLimits } from './limit-shape.ts';
import { checkGraphName, checkIdentifier, checkNodeName } from './names.ts';
import { readNode } from './node-shape.ts';
import { filledText, json, listOf, mapOf, objectOf, oneOf, type Read, required, schema, text } from './read.ts';

const REDUCERS: readonly Reducer[] = ['replace', 'append', 'merge', 'sum', 'min', 'max'];
const OUTCOMES: readonly Outcome[] = [
  ...(['approve', 'edit', 'reject', 'cancel', 'expired'] as const),
  ...(['success', 'failed', 'skipped', 'limit'] as const),
];
/** As deep as graphs may lie in graphs. */
const DEEPEST = 16;

const named = (check: (name: string, pointer: string) => Fault[]): Read => {
  return (value, pointer, faults) => {
    const read = filledText(value, pointer, faults);
    if (typeof read === 'string') faults.push(...check(read, pointer));
    return read;
  };
};

const stateKey = objectOf('A state key', { schema: required(schema, {}), reducer: oneOf('reducer', REDUCERS) });

const route = objectOf('A route', {
  to: required(listOf(filledText, { empty: 'EmptyRoute' }), []),
  on: listOf(oneOf('outcome', OUTCOMES), { empty: 'EmptyRoute' }),
  when: filledText,
  predicate: filledText,
  because: text,
});

const zone: Read = (value, pointer, faults) => {
  const read = text(value, pointer, faults);
  if (typeof read !== 'string' || isValidZone(read)) return read;
  const hint = 'Give an IANA name such as Asia/Taipei or UTC.';
  faults.push(errorAt(pointer, 'InvalidZone', `${JSON.stringify(read)} is not a time zone.`, hint));
  return undefined;
};

/**
 * Whether a definition is shaped as {@link GraphDefinition} says. `graph` is what is well shaped in it, with stand-ins
 * for what is not; undefined when nothing can be made of it.
 */
export function checkShape(definition: unknown): { graph: GraphDefinition | undefined; faults: Fault[] } {
  const faults: Fault[] = [];
  const graph = readGraph(definition, '', faults, []);
  return { graph: graph as GraphDefinition | undefined, faults };
}

function readGraph(value: unknown, pointer: string, faults: Fault[], around: readonly unknown[]): unknown {
  if (around.includes(value) || around.length > DEEPEST) {
    const message = around.includes(value)
      ? 'A graph cannot run itself.'
      : `Graphs lie more than ${DEEPEST} deep in graphs.`;
    faults.push(errorAt(pointer, 'SubgraphCycle', message, 'Use a route back for a loop.'));
    return undefined;
  }
  const inner: Read = (graph, place, found) => readGraph(graph, place, found, [...around, value]);
  const shape = objectOf('A graph', {
    name: required(named(checkGraphName), 'graph'),
    title: text,
    description: text,
    position: json,
    input: required(schema, {}),
    state: required(mapOf(stateKey, checkIdentifier), {}),
    output: mapOf(filledText),
    entry: required(text, '', 'EntryMissing'),
    nodes: required(mapOf(readNode, checkNodeName), {}),
    routes: required(mapOf(listOf(route)), {}),
    limits: graphLimits,
    zone,
    graphs: mapOf(inner, checkGraphName),
  });
  return shape(value, pointer, faults);
}
