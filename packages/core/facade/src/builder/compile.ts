import {
  assertJsonValue,
  compileGraph,
  type Fault,
  type GraphCode,
  type GraphDefinition,
  type JsonValue,
  SignalboxError,
} from '@signalbox/kernel';
import type { Graph, GraphShape } from './graph.ts';
import type { Handler } from './handler.ts';

export interface GraphSource {
  readonly definition: GraphDefinition;
  readonly code: GraphCode;
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Found before the definition was there to be checked. */
  readonly faults: readonly Fault[];
  readonly folder?: string;
}

/** Checks a graph as a whole and gives it frozen, or throws with everything that is wrong with it. */
export function finishGraph<Input, Output, Shape extends GraphShape>(source: GraphSource): Graph<Input, Output, Shape> {
  const { code, handlers, folder } = source;
  const value = structuredClone(assertJsonValue(source.definition, `The definition of "${source.definition.name}"`));
  const definition = freeze(value) as unknown as GraphDefinition;
  const compiled = compileGraph(definition, code);
  const faults = [...source.faults, ...compiled.faults.filter(fault => !isKnown(fault, source.faults))];
  const errors = faults.filter(fault => fault.severity === 'error');
  if (compiled.program === undefined || errors.length > 0) throw invalidGraph(definition.name, errors, faults);
  return Object.freeze({
    kind: 'signalbox.graph',
    name: definition.name,
    versionHash: compiled.program.hash,
    definition,
    program: compiled.program,
    handlers,
    code,
    warnings: faults,
    ...(folder === undefined ? {} : { folder }),
  });
}

/** What follows from a part that was told already is not told again. */
function isKnown(fault: Fault, earlier: readonly Fault[]): boolean {
  return earlier.some(({ pointer }) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
}

function invalidGraph(name: string, errors: readonly Fault[], faults: readonly Fault[]): SignalboxError {
  const count = errors.length === 1 ? 'one fault' : `${errors.length} faults`;
  const lines = errors.map(({ pointer, code, message, hint }) =>
    [`  ${pointer === '' ? '/' : pointer}: ${message} (${code})`, ...(hint === undefined ? [] : [`    ${hint}`])].join(
      '\n',
    ),
  );
  return new SignalboxError('InvalidGraph', `The graph "${name}" has ${count}:\n${lines.join('\n')}`, {
    details: { faults: faults.map(fault => ({ ...fault })) },
  });
}

function freeze(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
