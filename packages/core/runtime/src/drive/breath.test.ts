import type { Clock } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { Breath } from './breath.ts';

function world() {
  let now = 1_000;
  const turns: (() => void)[] = [];
  const clock: Clock = { now: () => now, at: () => () => {}, every: () => () => {}, soon: fn => void turns.push(fn) };
  return {
    breath: new Breath(clock),
    pass: (ms: number) => {
      now += ms;
    },
    turn: () => {
      for (const fn of turns.splice(0)) fn();
    },
  };
}

describe('The drivers of a process', () => {
  it('go on as long as the turn is short, and wait for the next one together when it was long', async () => {
    const { breath, pass, turn } = world();
    expect(breath.take()).toBeUndefined();
    pass(7);
    expect(breath.take()).toBeUndefined();
    pass(1);
    const waiting = breath.take();
    expect(waiting).toBeInstanceOf(Promise);
    expect(breath.take()).toBe(waiting);
    turn();
    await waiting;
    expect(breath.take()).toBeUndefined();
  });

  it('count a turn from its first work, not from the last turn that had any', () => {
    const { breath, pass, turn } = world();
    breath.take();
    turn();
    pass(60_000);
    expect(breath.take()).toBeUndefined();
  });
});
