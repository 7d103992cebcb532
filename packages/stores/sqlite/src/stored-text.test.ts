import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultDriver } from './driver.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { leanText, wholeText } from './stored-text.ts';
import { chain } from './testing/append.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const hash = (digit: string) => digit.repeat(64);

describe('the text of a commit', () => {
  it('comes back as it was, whatever it is', () => {
    const known = fc.record({
      stream: fc.oneof(fc.string(), fc.constant('run_a')),
      first: fc.integer({ min: 1, max: 20 }),
      prev: fc.constantFrom(undefined, hash('a'), hash('b')),
    });
    const part = fc.oneof(
      fc.constantFrom('{"stream":"run_a","firstSeq":1,', '"prev":""', hash('a'), hash('b'), 'é😀'),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(known, fc.array(part, { maxLength: 6 }), (known, parts) => {
        const text = parts.join('');
        expect(wholeText(leanText(text, known), known)).toBe(text);
      }),
    );
  });

  it('is stored without what its row and the one before it say', () => {
    const known = { stream: 'run_a', first: 4, prev: hash('c') };
    const text = `{"stream":"run_a","firstSeq":4,"at":"now","prev":"${hash('c')}","events":[]}`;
    expect(leanText(text, known)).toEqual({ text: '"at":"now","prev":"","events":[]}', cut: 19 });
  });

  it('of another beginning is stored whole', () => {
    const known = { stream: 'run_a', first: 4, prev: hash('c') };
    const text = `{"firstSeq":4,"stream":"run_a","prev":"${hash('c')}"}`;
    expect(leanText(text, known)).toEqual({ text, cut: null });
  });
});

describe('a store', () => {
  it('gives whole texts, from whichever commit on they are read', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    const [a, b] = [chain('run_a', ['1', '2', '3', '4']), chain('run_"b"', ['1', '2', '3', '4'])];
    for (const index of [0, 1, 2, 3]) await store.commit({ appends: [a[index]!, b[index]!] }, { sync: false });
    const texts = (appends: typeof a) => appends.map(append => append.seal().text);
    for (const from of [0, 1, 2, 3]) {
      const read = await store.read('run_a', { fromSeq: from + 1, limit: 2 });
      expect(read.map(({ sealed }) => sealed!.text)).toEqual(texts(a.slice(from, from + 2)));
    }
    const { cursors } = await store.feed({ limit: 3 });
    const rest = await store.feed({ after: cursors[2]! });
    expect(rest.commits.map(({ sealed }) => sealed!.text)).toEqual(texts([b[1]!, a[2]!, b[2]!, a[3]!, b[3]!]));
    await store.close();

    const db = defaultDriver().open(path);
    const stored = db.prepare('SELECT text FROM commits').all() as { text: string }[];
    expect(stored.filter(({ text }) => text.includes('run_a'))).toEqual([]);
    db.close();
  });
});
