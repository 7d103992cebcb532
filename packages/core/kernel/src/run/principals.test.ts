import { describe, expect, it } from 'vitest';
import type { Principal } from '../event/commit.ts';
import { graph, Scenario } from './testing/scenario.ts';

const definition = graph({ nodes: { a: { type: 'ask', request: { kind: 'confirmation', title: 'Sure?' } } } });

function answered(actor: unknown) {
  const s = new Scenario(definition).start();
  const { refusal, events } = s.tryAnswer('a', { action: 'approve' }, actor as Principal);
  return { s, code: refusal?.code, events };
}

describe('who answers', () => {
  it.each([
    { kind: 'user', id: 'finn' },
    { kind: 'service', id: 'desk', onBehalfOf: 'user:finn' },
    { kind: 'service', id: 'desk', onBehalfOf: 'finn' },
    { kind: 'system', id: 'deadline' },
  ])('may be %j', actor => {
    expect(answered(actor).s.status).toBe('completed');
  });

  it.each([
    { kind: 'model', id: 'm' },
    { kind: 'tool', id: 't' },
    { kind: 'node', id: 'n' },
    { kind: 'service', id: 'desk', onBehalfOf: 'model:m' },
    { kind: 'user', id: 'finn', onBehalfOf: 'tool:t' },
  ])('may not be %j, which is recorded', actor => {
    const { s, code, events } = answered(actor);
    expect(code).toBe('NotEntitled');
    expect(events.map(({ type }) => type)).toEqual(['request.refused']);
    expect(s.open).toEqual(['a']);
  });

  it.each([
    { kind: 'agent', id: 'x' },
    { kind: 'User', id: 'x' },
    { id: 'x' },
    { kind: 'user', id: '' },
    { kind: 'user', id: ' ' },
    { kind: 'user', id: 7 },
    { kind: 'user', id: 'finn\nuser:mia' },
    { kind: 'user', id: 'finn\u2028x' },
    { kind: 'user', id: 'finn', onBehalfOf: 'agent:x' },
    { kind: 'user', id: 'finn', onBehalfOf: { kind: 'model', id: 'm' } },
    { kind: 'user', id: 'finn', roles: ['admin'] },
    'user:finn',
    null,
  ])('%j is nobody, and leaves no trace', actor => {
    const { s, code, events } = answered(actor);
    expect(code).toBe('InvalidPrincipal');
    expect(events).toEqual([]);
    expect(s.send({ type: 'cancel', reason: 'x' }, actor as Principal).refusal?.code).toBe('InvalidPrincipal');
  });
});
