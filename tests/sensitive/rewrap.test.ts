import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore } from '@signalbox/ports';
import {
  createKeyRing,
  exportRun,
  importRun,
  KEY_PLACE,
  openCommit,
  rewrapKeys,
  runRow,
  verifyStream,
} from '@signalbox/runtime';
import { createWorld, Testbox } from '@signalbox/testkit';
import { createMemoryStore, createSignalbox, defineGraph } from 'signalbox';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { folderOfTheirOwn } from './testing/canary-desk.ts';

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const before = createKeyRing(() => [OLD]);
const both = createKeyRing(() => [NEW, OLD]);
const after = createKeyRing(() => [NEW]);

/** Waits for a go, and gives out what it was given. */
function keeper() {
  const builder = defineGraph({ name: 'keeper', input: z.object({ word: z.string().meta({ sensitive: true }) }) });
  const seen: string[] = [];
  const ask = builder.ask({ kind: 'confirmation', title: 'Go?' });
  const use = builder.step(({ input }) => {
    seen.push((input as { word: string }).word);
  });
  const given = { word: 'input.word' };
  const graph = builder.build({
    entry: 'ask',
    nodes: { ask, use: { ...use, input: given } as typeof use },
    routes: { ask: [{ to: 'use' }] },
  });
  return { graph, seen };
}

function worldOf() {
  const world = createWorld({ chain: true });
  const { graph, seen } = keeper();
  const open = (keys = before) => new Testbox({ graphs: [graph], keys }, world);
  const store = () => createMemoryStore({ shared: world.data });
  const begin = async (word: string) => {
    const run = await open().start(graph, { word });
    await run.settled();
    return run.id;
  };
  return { world, graph, seen, open, store, begin };
}

/** All that is stored of a run, and of its payloads those that are no keys. */
async function storedOf(store: EventStore, runId: string) {
  const commits = await store.read(runId);
  const refs = commits.flatMap(stored => Object.entries(openCommit(stored).refs ?? {}));
  const values = refs.filter(([place]) => place !== KEY_PLACE).map(([, digest]) => store.payload('default', digest));
  return { texts: commits.map(({ sealed }) => sealed?.text), values: await Promise.all(values) };
}

async function goOn(box: Testbox, runId: string): Promise<string> {
  await box.get(runId).answer({ action: 'approve' });
  return (await box.get(runId).settled()).status;
}

describe('wrapping the keys of runs under another key', () => {
  it('lets the key before go: runs go on under the new one alone, and nothing but their wrapped keys was written', async () => {
    const { open, store, begin, seen } = worldOf();
    const id = await begin('first words');
    const stored = await storedOf(store(), id);
    expect(await open(both).rewrapKeys()).toMatchObject({ ok: true, rewrapped: 1, present: 0, dropped: 0 });
    expect(await storedOf(store(), id)).toEqual(stored);
    expect(await verifyStream(store(), id)).toMatchObject({ ok: true });
    await expect(goOn(open(before), id)).rejects.toMatchObject({ code: 'KeyMissing' });
    expect(await goOn(open(after), id)).toBe('completed');
    expect(seen).toEqual(['first words']);
  });

  it('goes on where it was interrupted, and till then every run can be gone on with under both', async () => {
    const { open, store, begin, seen } = worldOf();
    const ids = [await begin('one more'), await begin('two more'), await begin('three more')];
    const good = store();
    let left = 1;
    const failing: EventStore = Object.assign(Object.create(good) as EventStore, {
      commit: async (...[batch, options]: Parameters<EventStore['commit']>) => {
        if (batch.replacements !== undefined && left-- <= 0) throw new Error('out of power');
        await good.commit(batch, options);
      },
    });
    await expect(rewrapKeys(failing, both)).rejects.toThrow('out of power');
    expect(await goOn(open(both), ids[0]!)).toBe('completed');
    expect(await goOn(open(both), ids[2]!)).toBe('completed');
    expect(await open(both).rewrapKeys()).toMatchObject({ ok: true, rewrapped: 2, present: 1 });
    expect(await open(both).rewrapKeys()).toMatchObject({ ok: true, rewrapped: 0, present: 3 });
    expect(await goOn(open(after), ids[1]!)).toBe('completed');
    expect(seen).toEqual(['one more', 'three more', 'two more']);
  });

  it('wraps a key that forks share once, and one that was dropped stays dropped', async () => {
    const { open, store, begin } = worldOf();
    const id = await begin('shared words');
    await open().get(id).fork({});
    const gone = await begin('gone words');
    await open().get(gone).eraseSensitive();
    expect(await open(both).rewrapKeys()).toMatchObject({ ok: true, rewrapped: 1, dropped: 1 });
    expect(await verifyStream(store(), gone)).toMatchObject({ ok: true });
    await open(after).get(id).eraseSensitive();
    expect(await verifyStream(store(), id)).toMatchObject({ ok: true });
    expect(await open(both).rewrapKeys()).toMatchObject({ ok: true, rewrapped: 0, dropped: 2 });
  });

  it('says which runs are under a key that is not there, and wraps the others', async () => {
    const { open, graph, begin } = worldOf();
    const strange = createKeyRing(() => [new Uint8Array(32).fill(3)]);
    const other = await open(strange).start(graph, { word: 'other words' });
    await other.settled();
    const id = await begin('my own words');
    const report = await open(both).rewrapKeys();
    expect(report).toMatchObject({ ok: false, rewrapped: 1, failures: [{ stream: other.id, code: 'KeyMissing' }] });
    expect(await goOn(open(after), id)).toBe('completed');
  });

  it('tells of a key that was changed in the store once for its run, whatever became of it, and wraps the others', async () => {
    for (const change of [() => 'x'.repeat(99), (text: string) => text.replace('"wrapped":"', '"wrapped": "')]) {
      const { open, world, begin } = worldOf();
      const id = await begin('words to break');
      await goOn(open(), id);
      await open(both).rewrapKeys();
      for (const [key, text] of world.data.payloads)
        if (text?.includes('"wrapped"')) world.data.payloads.set(key, change(text));
      await begin('words to wrap');
      const report = await open(both).rewrapKeys();
      expect(report).toMatchObject({ ok: false, rewrapped: 1, present: 0 });
      expect(report.failures).toEqual([expect.objectContaining({ stream: id, code: 'LogUnreadable' })]);
    }
  });

  it('goes with an export, which opens where the new key is', async () => {
    const { open, store, graph, seen, begin } = worldOf();
    const id = await begin('words to take');
    await open(both).rewrapKeys();
    const file: string[] = [];
    for await (const line of exportRun(store(), id, { madeAt: '2026-01-01T00:00:00.000Z' })) file.push(line);
    const elsewhere = createWorld({ chain: true });
    const rowsOf = (run: Parameters<typeof runRow>[0]) => ({ runs: [runRow(run, null)], requests: [] });
    await importRun(createMemoryStore({ shared: elsewhere.data }), () => file, { rowsOf });
    expect(await goOn(new Testbox({ graphs: [graph], keys: after }, elsewhere), id)).toBe('completed');
    expect(seen).toEqual(['words to take']);
  });

  it('is seen where somebody changed what it wrote', async () => {
    const { open, store, world, begin } = worldOf();
    const id = await begin('words to keep');
    await open(both).rewrapKeys();
    for (const [key, text] of world.data.payloads)
      if (text?.includes('"wrapped"')) world.data.payloads.set(key, text.replace('"wrapped":"', '"wrapped":"x'));
    expect(await verifyStream(store(), id)).toMatchObject({ ok: false, firstBad: { code: 'PayloadMismatch' } });
    await expect(goOn(open(after), id)).rejects.toMatchObject({ code: 'LogUnreadable' });
  });
});

describe('the files of a database whose keys were wrapped anew', () => {
  const folder = folderOfTheirOwn();
  afterAll(() => rmSync(folder, { recursive: true }));

  it('hold nothing any more that the key before opens', async () => {
    const path = join(folder, 'box.db');
    const { graph } = keeper();
    const first = createSignalbox({ path, graphs: [graph], keys: before });
    const run = await first.start(graph, { word: 'words in a file' });
    await run.settled();
    const commits = await first.store.read(run.id);
    const digest = commits.flatMap(stored => openCommit(stored).refs?.[KEY_PLACE] ?? [])[0]!;
    const text = await first.store.payload('default', digest);
    const wrapped = text!.slice(text!.indexOf('.') + 1);
    await first.close();
    const files = () => readdirSync(folder).map(file => readFileSync(join(folder, file)));
    expect(files().some(bytes => bytes.includes(wrapped))).toBe(true);
    const second = createSignalbox({ path, graphs: [graph], keys: both });
    expect(await second.rewrapKeys()).toMatchObject({ ok: true, rewrapped: 1 });
    await second.close();
    expect(files().some(bytes => bytes.includes(wrapped))).toBe(false);
  });
});
