import type { JsonValue } from '@signalbox/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secrets } from './secrets.ts';

function knowing(value: JsonValue, shown?: JsonValue): Secrets {
  const secrets = new Secrets();
  secrets.learn(value, shown);
  return secrets;
}

describe('what is known to be sensitive', () => {
  it('is what stands in a value and not in its masked form', () => {
    const secrets = knowing({ card: '4111 1111', amount: 12_345_678 }, { card: '***', amount: 12_345_678 });
    expect(secrets.masked(['4111 1111', 12_345_678])).toEqual(['***', 12_345_678]);
  });

  it('is found within texts, as JSON, base64 or part of an address writes it, and as a key', () => {
    const secret = 'a "quoted" ß\nline';
    const secrets = knowing(secret);
    const json = JSON.stringify({ secret });
    for (const text of [secret, json, JSON.stringify(json), encodeURIComponent(secret), `Basic ${btoa64(secret)}`]) {
      const masked = secrets.masked(`before ${text} after`);
      expect(masked).toContain('***');
      expect(masked).not.toContain('quoted');
    }
    expect(secrets.masked({ [secret]: 1 })).toEqual({ '***': 1 });
  });

  it('is found where a long text was cut', () => {
    const long = 'x'.repeat(10) + 'long and secret '.repeat(10);
    expect(knowing(long).masked(`it says ${long.slice(0, 60)}…`)).not.toContain('xlong and');
  });

  it('is, when it is short, found only under the key it was marked under, and there whatever it is', () => {
    const secrets = knowing({ pin: 7, smoker: true, mark: '' }, '***');
    const value = { pin: 7, visit: 7, smoker: true, other: true, mark: '', text: 'at 7', list: [7] };
    expect(secrets.masked(value)).toEqual({ ...value, pin: '***', smoker: '***', mark: '***' });
  });

  it('leaves a value that has none of it as it is, the very same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const json = value as JsonValue;
        expect(knowing('§ nothing of this §').masked(json)).toBe(json);
      }),
    );
  });

  it('never shows in what is masked, whatever it is and wherever it stands', () => {
    const text = fc.string({ unit: 'binary', minLength: 4, maxLength: 40 }).filter(one => !'***'.includes(one));
    fc.assert(
      fc.property(text, fc.string({ unit: 'binary' }), (secret, around) => {
        const value = { a: [around + secret + around], b: JSON.stringify({ secret }) };
        const shown = JSON.stringify(knowing(secret).masked(value));
        // A mask may stand beside what makes the same text anew.
        if (!around.includes('*') && !secret.includes('*') && !(around + around).includes(secret))
          expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
  });
});

function btoa64(text: string): string {
  return Buffer.from(text).toString('base64');
}
