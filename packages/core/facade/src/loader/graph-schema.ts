import type { JsonObject } from '@signalbox/kernel';
import { GRAPH, INNER_GRAPH_SCHEMA } from './graph-shape.ts';
import { NODE_SCHEMA } from './node-shape.ts';

/**
 * The JSON Schema (2020-12) of a graph file in its present form, for completion and checks in an editor. It comes from the
 * same table that the loader reads by. What it accepts may still have faults that only `loadGraph` sees.
 */
export function graphSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Signalbox graph',
    ...GRAPH.schema,
    $defs: { node: NODE_SCHEMA, innerGraph: INNER_GRAPH_SCHEMA },
  };
}
