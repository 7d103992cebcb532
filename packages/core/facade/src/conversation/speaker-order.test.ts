import { describe, expect, it } from 'vitest';
import { nextInTurn } from './speaker-order.ts';

const SPEAKERS = ['ada', 'bob', 'eve'];

describe('Each in turn', () => {
  it('is who stands behind the last that was visited, the first behind the last of them', () => {
    const after = (...trail: string[]) =>
      nextInTurn({ visits: Object.fromEntries(trail.map(name => [name, 1])), trail }, SPEAKERS);
    expect(after()).toBe('ada');
    expect(after('moderator', 'ada', 'moderator')).toBe('bob');
    expect(after('ada', 'moderator', 'eve', 'moderator')).toBe('ada');
  });

  it('begins with the first, whoever of these names was visited outside of the conversation', () => {
    expect(nextInTurn({ visits: { moderator: 1 }, trail: ['ada', 'talk', 'moderator'] }, SPEAKERS)).toBe('ada');
  });
});
