import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keyFileOf, localKeys } from './local-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OLD = Buffer.alloc(32, 1).toString('base64');
const NEW = Buffer.alloc(32, 2).toString('base64');
const DATA = new Uint8Array(32).fill(9);
const nowhere = join(folder, 'nowhere.key');

describe('local keys', () => {
  it('are made in a file that only its owner may read, when they are first needed, and are the same later', async () => {
    const path = keyFileOf(join(folder, 'new', 'box.db'));
    const keys = localKeys(path, '');
    expect(() => statSync(path)).toThrow();
    const wrapped = keys.wrap('default', DATA);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(path, 'utf8'), 'base64')).toHaveLength(32);
    expect([...(await localKeys(path, '').unwrap('default', wrapped))]).toEqual([...DATA]);
  });

  it('are those of the environment where it has any, and no file is made', async () => {
    const wrapped = localKeys(nowhere, OLD).wrap('default', DATA);
    expect([...(await localKeys(nowhere, ` ${OLD}\n`).unwrap('default', wrapped))]).toEqual([...DATA]);
    expect(() => statSync(nowhere)).toThrow();
  });

  it('open what was wrapped before another key took the place, as long as the old one stands behind it', async () => {
    const wrapped = localKeys(nowhere, OLD).wrap('default', DATA);
    const both = localKeys(nowhere, `${NEW},${OLD}`);
    expect([...(await both.unwrap('default', wrapped))]).toEqual([...DATA]);
    const since = both.wrap('default', DATA);
    expect([...(await localKeys(nowhere, NEW).unwrap('default', since))]).toEqual([...DATA]);
    expect(() => localKeys(nowhere, NEW).unwrap('default', wrapped)).toThrow('There is no key');
  });

  it('do not open what is another tenant’s, or was changed', () => {
    const keys = localKeys(nowhere, OLD);
    const wrapped = keys.wrap('north', DATA);
    expect(() => keys.unwrap('south', wrapped)).toThrow(expect.objectContaining({ code: 'KeyMissing' }));
    const [name, text = ''] = wrapped.split('.');
    const changed = `${name}.${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
    expect(() => keys.unwrap('north', changed)).toThrow(expect.objectContaining({ code: 'KeyMissing' }));
  });

  it('that are no keys are refused without being repeated', () => {
    const short = Buffer.alloc(16, 7).toString('base64');
    const path = join(folder, 'short.key');
    writeFileSync(path, short);
    for (const keys of [localKeys(nowhere, short), localKeys(path, '')])
      expect(() => keys.wrap('default', DATA)).toThrow(
        expect.objectContaining({ code: 'InvalidKey', message: expect.not.stringContaining(short) }),
      );
  });
});
