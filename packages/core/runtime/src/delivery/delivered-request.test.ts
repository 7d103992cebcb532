import type { Field } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import type { RequestView } from '../views/request-view.ts';
import { deliveredRequest } from './delivered-request.ts';

const plain: Field = { name: 'amount', type: 'number', label: 'Amount', required: true, default: 5 };
const secret = {
  name: 'iban',
  type: 'text',
  label: 'IBAN',
  required: false,
  default: 'DE00',
  sensitive: true,
} as Field;

function view(parts: Partial<RequestView> & Readonly<Record<string, unknown>>): RequestView {
  return {
    id: 'req_1',
    kind: 'form',
    title: 'Pay?',
    fields: [plain, secret],
    assignees: [],
    openedAt: '2026-01-01T00:00:00.000Z',
    node: 'pay',
    token: '',
    about: 'ask',
    ...parts,
  } as RequestView;
}

describe('a request as it is published', () => {
  it('shows of a sensitive field that it is asked for, and neither its default nor what is proposed', () => {
    const proposal = {
      values: { amount: 20, iban: 'DE11' },
      confidence: 0.7,
      alternatives: [{ values: { iban: 'DE22' } }],
    };
    const published = deliveredRequest(view({ proposal }));
    expect(published.fields).toEqual([plain, { ...secret, default: undefined }]);
    expect(published.proposal).toEqual({ values: { amount: 20 }, confidence: 0.7 });
    expect(JSON.stringify(published)).not.toMatch(/DE\d\d/);
  });

  it('holds what is named here and nothing that a view may show beside it', () => {
    const published = deliveredRequest(view({ context: { a: 1 }, standing: { amount: 3 }, message: 'For R-17' }));
    expect(Object.keys(published).sort()).toEqual([
      'assignees',
      'fields',
      'id',
      'kind',
      'message',
      'node',
      'openedAt',
      'title',
    ]);
  });
});
