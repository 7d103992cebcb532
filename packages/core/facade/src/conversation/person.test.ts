import type { JsonValue } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { hearSignals } from './person.ts';

/** What stands in line when a moderator listens. */
async function heard(...line: readonly JsonValue[]) {
  const open = [...line];
  const first = async () =>
    open.length === 0 ? { winner: 'nobody', value: null } : { winner: 'person', value: open.shift() };
  const words = await hearSignals({ first, with: {} } as never);
  return { words, left: open.length };
}

describe('What persons send between two turns', () => {
  it('is heard in order, up to where it ends the conversation', async () => {
    expect(await heard('One.', { content: 'Two.', end: true }, 'Late.')).toEqual({
      words: [{ content: 'One.' }, { content: 'Two.', end: 'A person ended the conversation.' }],
      left: 1,
    });
    expect(await heard()).toEqual({ words: [], left: 0 });
  });

  it('is what is said where it has other members, and nothing where it says nothing', async () => {
    const { words } = await heard({ content: 'A', by: 'me' }, { next: 'ada' }, { next: 5, end: false }, null);
    expect(words).toEqual([{ content: { content: 'A', by: 'me' } }, { next: 'ada' }, {}, { content: null }]);
  });
});
