import type { Clock } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { Breath } from './breath.ts';

function world(mostInAir?: number) {
  let now = 1_000;
  const turns: (() => void)[] = [];
  const clock: Clock = { now: () => now, at: () => () => {}, every: () => () => {}, soon: fn => void turns.push(fn) };
  const breath = new Breath(clock, mostInAir);
  const went: string[] = [];
  return {
    breath,
    went,
    pass: (ms: number) => {
      now += ms;
    },
    turn: async () => {
      for (const fn of turns.splice(0)) fn();
      await settled();
    },
    /** Goes when it may, and then works for some time and sends a commit where it is told to. */
    ask: async (name: string, { ms = 0, sends = false } = {}) => {
      await breath.take();
      went.push(name);
      now += ms;
      if (sends) breath.sent();
    },
  };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('The drivers of a process', () => {
  it('go on as long as the turn is short', () => {
    const { breath, pass } = world();
    expect(breath.take()).toBeUndefined();
    pass(7);
    expect(breath.take()).toBeUndefined();
    pass(1);
    expect(breath.take()).toBeInstanceOf(Promise);
  });

  it('wait for the next turn when this one was long, and go on in their order as far as that one allows', async () => {
    const { breath, went, pass, turn, ask } = world();
    breath.take();
    pass(8);
    for (const name of ['a', 'b', 'c']) void ask(name, { ms: 5 });
    await settled();
    expect(went).toEqual([]);
    await turn();
    expect(went).toEqual(['a', 'b']);
    await turn();
    expect(went).toEqual(['a', 'b', 'c']);
  });

  it('let nobody pass who asks later, also when there is room again', async () => {
    const { breath, went, pass, turn, ask } = world();
    breath.take();
    pass(8);
    void ask('first', { ms: 8 });
    await turn();
    void ask('second');
    void ask('third');
    await turn();
    expect(went).toEqual(['first', 'second', 'third']);
  });

  it('count a turn from its first work, not from the last turn that had any', async () => {
    const { breath, pass, turn } = world();
    breath.take();
    await turn();
    pass(60_000);
    expect(breath.take()).toBeUndefined();
  });

  it('decide no more than the store writes at once, and go on as it answers', async () => {
    const { breath, went, ask } = world(2);
    for (const name of ['a', 'b', 'c', 'd']) {
      void ask(name, { sends: true });
      await settled();
    }
    expect(went).toEqual(['a', 'b']);
    breath.answered();
    await settled();
    expect(went).toEqual(['a', 'b', 'c']);
    breath.answered();
    await settled();
    expect(went).toEqual(['a', 'b', 'c', 'd']);
  });
});
