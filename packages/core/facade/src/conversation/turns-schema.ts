import type { JsonObject } from '@signalbox/kernel';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { Turn } from './turn.ts';

const TURN: JsonObject = {
  type: 'object',
  required: ['turn', 'speaker', 'content'],
  additionalProperties: false,
  properties: { turn: { type: 'integer', minimum: 1 }, speaker: { type: 'string' }, content: {} },
};

/** The state of a conversation in JSON Schema, as a graph file says it: what is written to `turns` is added. */
export const STATE_JSON: JsonObject = {
  type: 'object',
  properties: { turns: { type: 'array', items: TURN, reducer: 'append' } },
};

interface State {
  readonly turns: readonly Turn[];
}

const STANDARD: StandardSchemaV1.Props<State> & StandardJSONSchemaV1.Props<State> = {
  version: 1,
  vendor: 'signalbox',
  validate: value => ({ value: value as State }),
  jsonSchema: { input: () => STATE_JSON, output: () => STATE_JSON },
};

/** The same for `defineGraph`, which reads the JSON Schema and checks what is written by that. */
export const STATE: StandardSchemaV1<State> = { '~standard': STANDARD };
