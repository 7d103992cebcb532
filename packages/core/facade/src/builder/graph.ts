import type { Fault, GraphCode, GraphDefinition, Program } from '@signalbox/kernel';
import type { Handler } from './handler.ts';

/** The types of a graph: what its state looks like and what its nodes give, by name. */
export interface GraphShape {
  readonly name: string;
  readonly state: object;
  readonly nodes: object;
}

/** A checked graph, ready to run. `Input` is what `start` takes. */
export interface Graph<Input = unknown, Output = unknown, Shape extends GraphShape = GraphShape> {
  readonly kind: 'signalbox.graph';
  readonly name: Shape['name'];
  /** SHA-256 of the canonical normalized definition: the graph version. */
  readonly versionHash: string;
  readonly definition: GraphDefinition;
  readonly program: Program;
  /** By handler key `type@rev`; of an inline handler `graph/node@rev`. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly code: GraphCode;
  readonly warnings: readonly Fault[];
  /** Of a graph that came from a file: its folder, which relative paths in it are relative to. */
  readonly folder?: string;
  /** Types only; no value has it. */
  readonly types?: { readonly input: Input; readonly output: Output; readonly shape: Shape };
}

/** What `start` takes. */
export type GraphInput<G> = G extends { readonly types?: { readonly input: infer Input } } ? Input : never;
export type GraphOutput<G> = G extends { readonly types?: { readonly output: infer Output } } ? Output : never;
/** The state as handlers see it. */
export type GraphState<G> = G extends { readonly types?: { readonly shape: { readonly state: infer State } } }
  ? State
  : never;

export function isGraph(value: unknown): value is Graph {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'signalbox.graph';
}
