import { describe, expect, it } from 'vitest';
import { failed, isHandlerResult, isPermanent, next, permanent, retry, skipped } from './result.ts';

describe('What a handler may return instead of an output', () => {
  it('is told from an output by a registered symbol, whichever copy of the package made it', () => {
    const mark = Symbol.for('signalbox.result');
    expect(next('settle', { reason: 'clear', confidence: 0.9, options: ['settle', 'ask'], output: 1 })).toEqual({
      [mark]: 'next',
      to: 'settle',
      reason: 'clear',
      confidence: 0.9,
      options: ['settle', 'ask'],
      output: 1,
    });
    expect(failed('NoStock', 'none left', { permanent: true })).toEqual({
      [mark]: 'failed',
      code: 'NoStock',
      message: 'none left',
      permanent: true,
    });
    expect(skipped()).toEqual({ [mark]: 'skipped' });
    expect(skipped('nothing new')).toEqual({ [mark]: 'skipped', reason: 'nothing new' });
    expect(retry('5s')).toEqual({ [mark]: 'retry', after: '5s' });
    for (const result of [next('a'), failed('A', 'b'), skipped(), retry()]) expect(isHandlerResult(result)).toBe(true);
    for (const output of [null, 'next', { to: 'a' }, []]) expect(isHandlerResult(output)).toBe(false);
  });

  it('a permanent error is the same error, marked', () => {
    const error = new RangeError('too late');
    expect(permanent(error)).toBe(error);
    expect(isPermanent(error)).toBe(true);
    expect(Object.keys(error)).toEqual([]);
    expect(isPermanent(new Error('once more'))).toBe(false);
    expect(permanent('said as text')).toMatchObject({ message: 'said as text' });
    expect(isPermanent(Object.freeze(new Error('cold')))).toBe(false);
  });

  it('a permanent error may be frozen', () => {
    const error = permanent(Object.freeze(new Error('cold')));
    expect(isPermanent(error)).toBe(true);
    expect(error.message).toBe('cold');
  });
});
