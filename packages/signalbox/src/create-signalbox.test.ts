import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore } from '@signalbox/store-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { createSignalbox, type SignalboxOptions } from './create-signalbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-options-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function refusal(options: unknown) {
  try {
    void createSignalbox(options as SignalboxOptions).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('createSignalbox', () => {
  it.each([
    ['store', 'sqlite:desk.db', 'createSqliteStore'],
    ['store', {}, 'createSqliteStore'],
    ['path', 5, 'signalbox.db'],
    ['durability', 'fast', ''],
    ['concurrency', '10', ''],
    ['graphs', {}, 'loadGraph'],
    ['graphs', [{}], 'loadGraph'],
    ['types', [{}], 'defineNodeType'],
    ['channels', {}, ''],
    ['checks', [() => true], ''],
    ['resolvers', { risk: 'no' }, ''],
    ['observer', () => {}, ''],
    ['observer', { onError: 'log' }, ''],
    ['logger', {}, 'console'],
    ['models', 'openai/gpt-5-mini', 'createModels'],
    ['modelRecords', 'none', ''],
    ['memory', [], ''],
    ['secrets', {}, ''],
    ['keys', 'c2VjcmV0', 'createKeyRing'],
    ['identity', {}, ''],
    ['sessionMetadata', { type: 'object' }, ''],
    ['build', 7, ''],
    ['crashLimit', 0, ''],
    ['runAhead', 1.5, ''],
    ['cancelGrace', '5s', 'milliseconds'],
    ['lease', '10s', 'milliseconds'],
    ['deliveryLease', -1, 'milliseconds'],
    ['payloadLimit', null, ''],
    ['clock', { now: () => 0 }, 'createSystemClock'],
    ['ids', () => 'x', 'createIdGenerator'],
  ])('refuses %s = %o by name, with a hint, before anything is opened', (option, value, hint) => {
    const path = join(folder, 'signalbox.db');
    const error = refusal({ path, [option]: value });
    expect(error).toMatchObject({ code: 'InvalidOptions', details: { of: 'createSignalbox', option } });
    expect((error as { hint: string }).hint).toContain(hint);
    expect((error as Error).message).not.toContain('sqlite:desk.db');
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  it('refuses an option that there is not, and says which was likely meant', () => {
    expect(refusal({ grahps: [] })).toMatchObject({ code: 'InvalidOptions', hint: 'Did you mean `graphs`?' });
    expect(refusal({ host: {} })).toMatchObject({ code: 'InvalidOptions' });
    expect(refusal('sqlite:desk.db')).toMatchObject({ code: 'InvalidOptions' });
    expect(refusal(null)).toMatchObject({ code: 'InvalidOptions' });
  });

  it('takes options that are undefined for left out', async () => {
    const box = createSignalbox({ store: createMemoryStore(), build: undefined } as unknown as SignalboxOptions);
    expect((await box.runs()).rows).toEqual([]);
    await box.close();
  });
});
