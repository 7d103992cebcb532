import { describe, expect, it } from 'vitest';
import { type Actor, toPrincipal } from './principal.ts';

describe('an actor', () => {
  it('is given as text or as a principal', () => {
    expect(toPrincipal('finn')).toEqual({ kind: 'user', id: 'finn' });
    expect(toPrincipal('service:risk:eu')).toEqual({ kind: 'service', id: 'risk:eu' });
    expect(toPrincipal({ kind: 'service', id: 'a', onBehalfOf: 'user:b' })).toMatchObject({ onBehalfOf: 'user:b' });
  });

  it.each(['', ':', 'user:', 'agent:x', 'user:a\nb', { kind: 'agent', id: 'x' }, { kind: 'user' }, null, 7])(
    '%j is nobody',
    actor => {
      expect(() => toPrincipal(actor as Actor)).toThrow(expect.objectContaining({ code: 'InvalidPrincipal' }));
    },
  );
});
