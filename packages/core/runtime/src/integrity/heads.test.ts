import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toAppend } from '../log/commit-codec.ts';
import { buildLog, type LogBuilder } from '../views/testing/build-log.ts';
import { LOOP } from '../views/testing/graphs.ts';
import { headFile } from './head-file.ts';
import { checkHeads, writeHeads } from './heads.ts';
import { tamperedStore } from './testing/tampered-store.ts';

const AT = '2026-05-04T10:00:00.000Z';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'heads-'));
  path = join(folder, 'deep', 'heads.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function loop(runId: string, outputs: readonly string[]): LogBuilder {
  const log = buildLog(LOOP, {}, { runId });
  for (const output of outputs) log.succeed('poll', output);
  return log;
}

async function land(store: EventStore, log: LogBuilder, from = 0): Promise<void> {
  for (const append of log.appends.slice(from)) await store.commit({ appends: [append] }, { sync: false });
}

describe('heads kept outside the store', () => {
  it('are written once for each stream that moved, and all are found again', async () => {
    const store = createMemoryStore({ chain: true });
    const file = headFile(path);
    expect(await checkHeads(store, file)).toEqual({ ok: true, checked: 0, bad: [] });
    const a = loop('run_a', ['again', 'again']);
    await land(store, a);
    await land(store, loop('run_b', []));
    expect(await writeHeads(store, file, AT)).toMatchObject({ ok: true, checked: 0, written: 2 });
    expect(await writeHeads(store, file, AT)).toMatchObject({ ok: true, checked: 2, written: 0 });
    await land(store, a.succeed('poll', 'again'), 3);
    expect(await writeHeads(store, file, AT)).toMatchObject({ ok: true, written: 1 });
    expect(await checkHeads(store, file)).toEqual({ ok: true, checked: 3, bad: [] });
    const [first] = (await readFile(path, 'utf8')).split('\n');
    expect(JSON.parse(first!)).toMatchObject({ stream: 'run_a', at: AT });
  });

  it.runIf(process.platform === 'linux')('are refused where no folder can be made for them', async () => {
    const store = createMemoryStore({ chain: true });
    await land(store, loop('run_a', []));
    await expect(writeHeads(store, headFile('/proc/none/deep/heads.jsonl'), AT)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('show that the end of a stream was cut off, where the chain alone shows nothing', async () => {
    const store = createMemoryStore({ chain: true });
    await land(store, loop('run_a', ['again', 'again']));
    await writeHeads(store, headFile(path), AT);
    const cut = tamperedStore(store, commits => commits.slice(0, -1));
    const seq = (await store.head('run_a'))!.seq;
    expect(await checkHeads(cut, headFile(path))).toMatchObject({
      ok: false,
      bad: [{ line: 1, stream: 'run_a', seq, code: 'HeadMissing' }],
    });
    expect(await checkHeads(createMemoryStore({ chain: true }), headFile(path))).toMatchObject({
      ok: false,
      bad: [{ code: 'HeadMissing' }],
    });
  });

  it('show that a whole stream was written anew, also after it grew, and no new head is given to it', async () => {
    const store = createMemoryStore({ chain: true });
    await land(store, loop('run_a', ['again', 'again']));
    await writeHeads(store, headFile(path), AT);
    const forged = createMemoryStore({ chain: true });
    await land(forged, loop('run_a', ['again', 'other']));
    expect(await checkHeads(forged, headFile(path))).toMatchObject({ ok: false, bad: [{ code: 'HeadMismatch' }] });
    expect(await writeHeads(forged, headFile(path), AT)).toMatchObject({
      ok: false,
      written: 0,
      bad: [{ stream: 'run_a' }],
    });
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('are not read where a crash cut the last line short, and go on after it', async () => {
    const store = createMemoryStore({ chain: true });
    await land(store, loop('run_a', ['again']));
    await writeHeads(store, headFile(path), AT);
    await appendFile(path, '{"stream":"run_b","seq":');
    expect(await checkHeads(store, headFile(path))).toMatchObject({ ok: true, checked: 1 });
    await land(store, loop('run_c', []));
    await writeHeads(store, headFile(path), AT);
    expect(await checkHeads(store, headFile(path))).toEqual({ ok: true, checked: 2, bad: [] });
  });

  it('tell a line that is no head by its number', async () => {
    const store = createMemoryStore({ chain: true });
    await land(store, loop('run_a', ['again']));
    await writeHeads(store, headFile(path), AT);
    const good = await readFile(path, 'utf8');
    for (const bad of [
      '{"stream":1}',
      '[]',
      'x',
      good.trim().replace('"seq"', '"stream"'),
      good.trim().replace(/"hash":"./, '"hash":"Z'),
    ]) {
      await writeFile(path, `${good}${bad}\n`);
      expect(await checkHeads(store, headFile(path))).toMatchObject({
        ok: false,
        checked: 2,
        bad: [{ line: 2, code: 'HeadUnreadable' }],
      });
    }
  });

  it('are refused for a store that keeps no chain', async () => {
    await expect(writeHeads(createMemoryStore(), headFile(path), AT)).rejects.toMatchObject({
      code: 'NotChained',
      hint: expect.stringContaining('chain: true'),
    });
  });

  it('are written for every stream of many pages', async () => {
    const store = createMemoryStore({ chain: true });
    const log = loop('run_x', []);
    for (let index = 0; index < 1_100; index += 1) {
      const append = toAppend({ ...log.commits[0]!, stream: `run_${index}` });
      await store.commit({ appends: [append] }, { sync: false });
    }
    expect(await writeHeads(store, headFile(path), AT)).toMatchObject({ ok: true, written: 1_100 });
    expect(await checkHeads(store, headFile(path))).toMatchObject({ ok: true, checked: 1_100 });
  });
});
