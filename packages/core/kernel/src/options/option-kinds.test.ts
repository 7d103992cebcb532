import { describe, expect, it } from 'vitest';
import {
  checkOptions,
  listOf,
  milliseconds,
  type OptionKinds,
  oneOf,
  TEXT,
  wholeNumber,
  withMethods,
} from './option-kinds.ts';

interface Options {
  readonly path?: string;
  readonly mode?: 'fast' | 'safe';
  readonly limit?: number;
  readonly wait?: number;
  readonly names?: readonly string[];
  readonly clock?: { now(): number };
}

const KINDS: OptionKinds<Options> = {
  path: TEXT,
  mode: oneOf('fast', 'safe'),
  limit: wholeNumber(1),
  wait: milliseconds(0),
  names: listOf('texts', TEXT.fits),
  clock: withMethods('a clock', ['now'], 'Make one.'),
};

function refusal(options: unknown, required: readonly (keyof Options)[] = []) {
  try {
    checkOptions('open', options, KINDS, required);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('options', () => {
  it('of the right kinds pass, and one that is undefined counts as left out', () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ path: 'a', mode: 'fast', limit: 1, wait: 0.5, names: [], clock: Date })).toBeUndefined();
    expect(refusal({ path: undefined })).toBeUndefined();
  });

  it.each([
    ['path', 5, 'a text that is not empty; it is the number 5'],
    ['path', '', 'a text that is not empty; it is an empty text'],
    ['mode', 'quick', 'one of fast, safe; it is a text'],
    ['limit', 0, 'a whole number from 1; it is the number 0'],
    ['limit', '10', 'a whole number from 1; it is a text'],
    ['wait', Number.NaN, 'a number of milliseconds from 0; it is the number NaN'],
    ['names', ['a', null], 'a list of texts; it is a list'],
    ['clock', {}, 'a clock; it is an object'],
    ['clock', null, 'a clock; it is null'],
  ])('%s = %j is refused by name, with what it is to be and without the value', (option, value, told) => {
    const error = refusal({ [option]: value });
    expect(error).toMatchObject({ code: 'InvalidOptions', details: { of: 'open', option } });
    expect((error as Error).message).toBe(`The option \`${option}\` of \`open\` is to be ${told}.`);
    expect((error as { hint?: string }).hint).not.toBe('');
  });

  it('that there are not are refused with the one that was likely meant, or all there are', () => {
    expect(refusal({ pth: 'a' })).toMatchObject({ code: 'InvalidOptions', hint: 'Did you mean `path`?' });
    expect(refusal({ colour: 'a' })).toMatchObject({ hint: 'There are path, mode, limit, wait, names, clock.' });
  });

  it('are an object', () => {
    for (const none of [null, 'sqlite:desk.db', 5, [], () => ({})])
      expect(refusal(none)).toMatchObject({ code: 'InvalidOptions', details: { of: 'open' } });
  });

  it('that are needed are asked for', () => {
    expect(refusal({}, ['clock'])).toMatchObject({
      message: '`open` needs the option `clock`: a clock.',
      hint: 'Make one.',
    });
  });
});
