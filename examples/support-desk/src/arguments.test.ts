import { describe, expect, it } from 'vitest';
import { readArguments, UsageError } from './arguments.ts';

describe('what is given at the start', () => {
  it('is a message of one or more words, if any', () => {
    expect(readArguments(['Where is', 'my parcel?']).message).toBe('Where is my parcel?');
    expect(readArguments(['  ']).message).toBeUndefined();
    expect(readArguments(['--', '-5 degrees?']).message).toBe('-5 degrees?');
  });

  it('is one line without control characters', () => {
    expect(readArguments(['red \u001b[31m and\ntwo lines\u0007']).message).toBe('red  [31m and two lines');
  });

  it('may hold an answer and which request it is for', () => {
    expect(readArguments(['--answer', '{"queue":"billing"}', '--request', 'req_1'])).toEqual({
      message: undefined,
      answer: { queue: 'billing' },
      request: 'req_1',
      help: false,
    });
  });

  it.each([
    ['an answer that is no JSON', ['--answer', '{queue}']],
    ['an answer with a key twice', ['--answer', '{"queue":"oncall","queue":"billing"}']],
    ['an unknown option', ['--anwser', '{}']],
  ])('is refused for %s', (_what, args) => {
    expect(() => readArguments(args)).toThrow(UsageError);
  });
});
