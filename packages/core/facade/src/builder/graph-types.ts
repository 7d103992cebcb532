import type { GraphShape } from './graph.ts';
import type { StateTypes } from './state-types.ts';

/** The types of a graph under construction. `start` is what a start takes, `input` what came out of the schema. */
export interface GraphTypes {
  readonly name: string;
  readonly start: unknown;
  readonly input: unknown;
  readonly state: StateTypes;
}

export interface ShapeOf<Types extends GraphTypes, Outputs extends object> extends GraphShape {
  readonly name: Types['name'];
  readonly state: Types['state']['view'];
  readonly nodes: Outputs;
}
