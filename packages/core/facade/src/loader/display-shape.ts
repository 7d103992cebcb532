import { DISPLAY_TYPES, type JsonObject } from '@signalbox/kernel';
import { JSON_OBJECT } from './json-shape.ts';
import type { Shape } from './shape.ts';

/** What is shown beside a question, as it stands; the kernel checks it. */
export const DISPLAY: Shape = { schema: displaySchema(), read: JSON_OBJECT.read };

function displaySchema(): JsonObject {
  const text = { type: ['string', 'object'] };
  const column = {
    type: ['string', 'object'],
    properties: {
      key: { type: 'string' },
      label: { type: 'string' },
      unit: { type: 'string' },
      align: { enum: ['left', 'right', 'center'] },
    },
    required: ['key'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      type: { enum: DISPLAY_TYPES },
      title: text,
      text,
      columns: { type: 'array', items: column },
      rows: { type: ['array', 'object'] },
      value: {},
      before: {},
      after: {},
    },
    required: ['type'],
    additionalProperties: false,
  };
}
