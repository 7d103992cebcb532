import { describe, expect, it } from 'vitest';
import { readArguments, UsageError } from './arguments.ts';

describe('what the companion is given at the start', () => {
  it('is a message, or an answer to a question', () => {
    expect(readArguments(['Recommend', 'music'])).toMatchObject({ message: 'Recommend music', answer: undefined });
    expect(readArguments(['--answer', '{"genre":"jazz"}', '--request', 'req_1', '--user', 'ada'])).toMatchObject({
      message: undefined,
      answer: { genre: 'jazz' },
      request: 'req_1',
      user: 'ada',
    });
    expect(readArguments(['--action', 'reject'])).toMatchObject({ action: 'reject' });
  });

  it.each([
    ['--answer', '{', /--answer is no JSON/],
    ['--answer', '{"a":1,"a":2}', /--answer is no JSON/],
    ['--action', 'maybe', /--action is one of approve, reject, cancel/],
    ['--user', 'a/b', /letters, digits and hyphens/],
    ['--nothing', 'x', /--nothing/],
  ])('is refused when it cannot be used: %s %s', (name, value, told) => {
    expect(() => readArguments([name, value])).toThrow(UsageError);
    expect(() => readArguments([name, value])).toThrow(told);
  });
});
