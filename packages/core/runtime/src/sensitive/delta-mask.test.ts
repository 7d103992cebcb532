import { describe, expect, it } from 'vitest';
import { DeltaMask } from './delta-mask.ts';
import { Secrets } from './secrets.ts';

function secretsOf(...values: string[]): Secrets {
  const secrets = new Secrets();
  for (const value of values) secrets.learn(value);
  return secrets;
}

function parts(secrets: Secrets, deltas: readonly string[]): string[] {
  const mask = new DeltaMask(() => secrets);
  return [...deltas.map(delta => mask.next(delta)), mask.end()];
}

describe('a text that comes in parts', () => {
  it('goes on at once where nothing of it can be the beginning of something sensitive', () => {
    expect(parts(new Secrets(), ['Hello', ' you'])).toEqual(['Hello', ' you', '']);
    expect(parts(secretsOf('4711-0815'), ['Hello', ' you'])).toEqual(['Hello', ' you', '']);
  });

  it('is held back from where it may become sensitive, until it is clear whether it is', () => {
    expect(parts(secretsOf('4711-0815'), ['card 47', '11-', '0815.'])).toEqual(['card ', '', '***.', '']);
    expect(parts(secretsOf('4711-0815'), ['card 47', '11 is', ' none'])).toEqual(['card ', '4711 is', ' none', '']);
    expect(parts(secretsOf('4711-0815'), ['card 4711'])).toEqual(['card ', '4711']);
  });

  it('is masked by the longer of two values that begin alike, and by the first of two that overlap', () => {
    expect(parts(secretsOf('abcd', 'abcdef'), ['xabcd', 'ef', 'abcd', '!'])).toEqual(['x', '***', '', '***!', '']);
    expect(parts(secretsOf('abcd', 'cdxy'), ['abcd', 'xy'])).toEqual(['***', 'xy', '']);
  });

  it('reads as the whole text does, wherever it is cut', () => {
    const secrets = secretsOf('aabaab', 'abab', 'bbbb', 'a long one that is cut when somebody shows its beginning');
    const whole = 'aabaabab babaabaaabaab abababbbb a long one that is cut when somebody, aaba';
    const expected = secrets.maskedText(whole);
    const wrong: string[][] = [];
    for (let first = 0; first <= whole.length; first += 1)
      for (let second = first; second <= whole.length; second += 1) {
        const cut = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)];
        if (parts(secrets, cut).join('') !== expected) wrong.push(cut);
      }
    expect(wrong).toEqual([]);
    expect(parts(secrets, [...whole]).join('')).toBe(expected);
  });

  it('is masked by what was learned while it came', () => {
    const secrets = secretsOf('something else');
    const mask = new DeltaMask(() => secrets);
    expect(mask.next('It is ')).toBe('It is ');
    secrets.learn('4711-0815');
    expect(mask.next('4711-0815')).toBe('***');
  });
});
