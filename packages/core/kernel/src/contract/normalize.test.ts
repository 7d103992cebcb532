import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { hashOf } from './normalize.ts';
import { contractOf, REFUNDS, withTool } from './testing/contracts.ts';

const hash = (document: JsonValue) => hashOf(contractOf(document));
const REFUND = (REFUNDS.allowed_tools as readonly JsonObject[])[1]!;

describe('hashOf', () => {
  it.each<[string, JsonObject]>([
    ['the version and the description', { ...REFUNDS, version: '3', description: 'Other' }],
    ['the order of tools and keys', { ...REFUNDS, allowed_tools: (REFUNDS.allowed_tools as JsonValue[]).toReversed() }],
    [
      'spelling a default out',
      withTool(REFUNDS, 'cancel_refund', { normalize: true, parallel: false, timeout: '30s' }),
    ],
    ['the same length of time', withTool(REFUNDS, 'refund', { timeout: '60s' })],
    ['blanks around an expression', withTool(REFUNDS, 'refund', { when: `  ${REFUND.when} ` })],
    ['the name of an argument as a pointer', withTool(REFUNDS, 'refund', { sensitive: ['/iban'] })],
    [
      'annotations of a schema',
      withTool(REFUNDS, 'cancel_refund', {
        input_schema: {
          title: 'Order',
          type: 'object',
          required: ['order'],
          properties: { order: { type: ['string'], description: 'its number' } },
        },
      }),
    ],
  ])('is not changed by %s', (_, document) => {
    expect(hash(document)).toBe(hash(REFUNDS));
  });

  it.each<[string, JsonObject]>([
    ['what a tool is said to do', withTool(REFUNDS, 'refund', { description: 'Pays back' })],
    [
      'a bound of an argument',
      withTool(REFUNDS, 'cancel_refund', {
        input_schema: { type: 'object', required: ['order'], properties: { order: { type: 'string', maxLength: 9 } } },
      }),
    ],
    ['an approval', withTool(REFUNDS, 'refund', { approval: true })],
    ['a prompt', { ...REFUNDS, dynamic_prompts: [] }],
    ['a rule', { ...REFUNDS, rules: [] }],
  ])('is changed by %s', (_, document) => {
    expect(hash(document)).not.toBe(hash(REFUNDS));
  });
});
