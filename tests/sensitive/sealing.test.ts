import type { Run } from '@signalbox/kernel';
import { createKeyRing, exportRun, importRun, passingKeys, runRow, verifyStream } from '@signalbox/runtime';
import { createWorld, Testbox } from '@signalbox/testkit';
import { append, createMemoryStore, defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plainText } from '../simulation/sim/plain.ts';

const sensitive = { sensitive: true };

/** Asks for a code, keeps it, and gives it out. */
function vault(seen: unknown[] = []) {
  const builder = defineGraph({
    name: 'vault',
    input: z.object({ pin: z.number().meta(sensitive) }),
    state: z.object({
      code: z.string().meta(sensitive).optional(),
      pin: z.number().meta(sensitive).optional(),
      past: append(z.array(z.string()).meta(sensitive)),
    }),
  });
  const keep = builder.step(({ input, update }) => {
    update({ pin: input.pin, past: ['first code'] });
  });
  const ask = builder.ask({
    title: 'Code?',
    form: z.object({ code: z.string().meta(sensitive) }),
    update: { code: 'output.values.code' },
  });
  const use = builder.step(({ state }) => {
    seen.push({ ...state });
    return typeof state.pin === 'number' ? { used: state.code, pin: state.pin } : { used: state.code };
  });
  return builder.build({
    entry: 'keep',
    nodes: { keep, ask, use },
    routes: { keep: [{ to: 'ask' }], ask: [{ to: 'use' }] },
  });
}

function worldOf(seen: unknown[] = []) {
  const world = createWorld({ chain: true });
  const open = (options: object = {}) => new Testbox({ graphs: [vault(seen)], ...options }, world);
  return { world, open, store: () => createMemoryStore({ shared: world.data }) };
}

/** Sequence numbers of the events of one type. */
async function eventsOf(run: { events(): AsyncIterable<{ type: string; seq: number }> }, wanted: string) {
  const found: number[] = [];
  for await (const { type, seq } of run.events()) if (type === wanted) found.push(seq);
  return found;
}

async function* linesOf(file: readonly string[]) {
  yield* file;
}

async function lines(source: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of source) all.push(line);
  return all;
}

describe('a sensitive value', () => {
  it('is in the clear for handlers, also for a process that goes on after the one that learned it died', async () => {
    const seen: unknown[] = [];
    const { open } = worldOf(seen);
    const box = open();
    const run = await box.start('vault', { pin: 7 });
    await run.settled();
    const again = await box.restart();
    await again.get(run.id).answer({ values: { code: 'open sesame' } });
    expect(await again.get(run.id).settled()).toMatchObject({ output: { used: '***', pin: '***' } });
    expect(seen).toEqual([{ code: 'open sesame', pin: 7, past: ['first code'] }]);
  });

  it('is masked under the key it was marked under, however short it is, and nowhere else', async () => {
    const { open } = worldOf();
    const run = await open().start('vault', { pin: 7 });
    await run.settled();
    expect(await run.state()).toEqual({ pin: '***', past: ['***'] });
    for await (const { type, data } of run.events())
      if (type === 'node.started') expect(data).toMatchObject({ visit: 1, attempt: 1 });
  });

  it('goes into a fork, and into the state that a rollback brings back', async () => {
    const seen: unknown[] = [];
    const { open } = worldOf(seen);
    const box = open();
    const run = await box.start('vault', { pin: 7_654_321 });
    await run.settled();
    await run.answer({ values: { code: 'open sesame' } });
    await run.settled();
    const at = (await eventsOf(run, 'request.opened'))[0]!;
    const fork = await run.fork({ at });
    await fork.settled();
    await fork.answer({ values: { code: 'other words' } });
    await fork.settled();
    await run.rollback(at);
    await run.settled();
    await run.answer({ values: { code: 'third time' } });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { used: '***' } });
    expect(seen.map(state => (state as { code: string }).code)).toEqual(['open sesame', 'other words', 'third time']);
    expect(seen.at(-1)).toMatchObject({ pin: 7_654_321 });
    expect(JSON.stringify(box.errors)).toBe('[]');
  });

  it('is exported encrypted, and gone on with where the key is', async () => {
    const seen: unknown[] = [];
    const { open, store, world } = worldOf(seen);
    const run = await open().start('vault', { pin: 7_654_321 });
    await run.settled();
    const file = await lines(exportRun(store(), run.id, { madeAt: '2026-01-01T00:00:00.000Z' }));
    expect(file.join()).not.toContain('7654321');

    const elsewhere = createWorld({ chain: true });
    const target = createMemoryStore({ shared: elsewhere.data });
    const { hash } = vault().program;
    const rowsOf = (imported: Run) => ({ runs: [runRow(imported, null)], requests: [] });
    await importRun(target, () => linesOf(file), { rowsOf });
    expect((await target.run(run.id))?.version).toBe(hash);
    const box = new Testbox({ graphs: [vault(seen)], keys: world.keys }, elsewhere);
    await box.get(run.id).answer({ values: { code: 'open sesame' } });
    expect(await box.get(run.id).settled()).toMatchObject({ status: 'completed' });
    expect(seen).toMatchObject([{ code: 'open sesame', pin: 7_654_321 }]);
  });

  it('cannot be gone on with without its key, which is said with run and seq; whoever looks is not held up', async () => {
    const { open } = worldOf();
    const run = await open().start('vault', { pin: 7 });
    await run.settled();
    const other = open({ keys: passingKeys() });
    const answered = other.get(run.id).answer({ values: { code: 'open sesame' } });
    await expect(answered).rejects.toMatchObject({ code: 'KeyMissing', details: { stream: run.id, seq: 1 } });
    expect(await other.get(run.id).state()).toEqual({ pin: '***', past: ['***'] });
  });

  it('reads as erased for the run when its bytes or the key of the run are gone, and the chain still verifies', async () => {
    const seen: unknown[] = [];
    const { open, store } = worldOf(seen);
    const box = open();
    const run = await box.start('vault', { pin: 7_654_321 });
    await run.settled();
    await run.eraseSensitive({ reason: 'asked for', as: 'user:finn' });
    await run.answer({ values: { code: 'open sesame' } });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { used: '***' } });
    expect(seen).toMatchObject([{ code: 'open sesame', pin: { $erased: expect.any(String) } }]);
    expect(await verifyStream(store(), run.id)).toMatchObject({ events: expect.any(Number) });
    expect(await run.state()).toMatchObject({ code: '***', pin: '***' });
  });

  it('keeps a run from snapshots, which would hold it in the clear', async () => {
    const { open, store } = worldOf();
    const builder = defineGraph({
      name: 'long',
      input: z.object({ word: z.string().meta(sensitive) }),
      state: z.object({ words: append(z.array(z.string())) }),
      limits: { maxSteps: 1_000, maxVisits: 1_000, noProgress: false },
    });
    const go = builder.step(({ input, update, state }) => {
      update({ words: [input.word] });
      return state.words.length;
    });
    const graph = builder.build({
      entry: 'go',
      nodes: { go },
      routes: { go: [{ to: 'go', when: 'output < 400' }, { to: 'end' }] },
    });
    const run = await open().start(graph, { word: 'nobody may see this' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(await store().snapshot(run.id)).toBeUndefined();
  });

  it('is refused, and the run with it, where there is no key to keep it under', async () => {
    const { open } = worldOf();
    const box = open({ keys: createKeyRing(() => []) });
    await expect(box.start('vault', { pin: 7 })).rejects.toMatchObject({ code: 'KeyMissing' });
    expect((await box.runs()).rows).toEqual([]);
  });

  it('is marked by what a handler asks as well, after a restart too', async () => {
    const builder = defineGraph({ name: 'asks', input: z.object({}) });
    const seen: unknown[] = [];
    const step = builder.step(async ctx => {
      const fields = [{ name: 'code', type: 'number', sensitive: true }];
      const answer = await ctx.ask('code', { kind: 'form', title: 'Code?', fields });
      seen.push(answer);
      return answer;
    });
    const graph = builder.build({ entry: 'step', nodes: { step }, routes: {} });
    const { open } = worldOf();
    const box = open({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    const again = await box.restart();
    await again.get(run.id).answer({ values: { code: 42 } });
    expect(await again.get(run.id).settled()).toMatchObject({ output: { values: { code: '***' } } });
    expect(seen).toMatchObject([{ values: { code: 42 } }]);
  });

  it('is not asked for by a question whose answer is to be remembered', () => {
    const builder = defineGraph({ name: 'remembers', input: z.object({}) });
    const form = z.object({ code: z.string().meta(sensitive) });
    const ask = builder.ask({ title: 'Code?', form, remember: { scope: 'user' } });
    const build = () => builder.build({ entry: 'ask', nodes: { ask }, routes: {} });
    expect(build).toThrow('RememberSensitive');
  });

  it('is not said by what an observer is told, nor by the error of code that it makes fail', async () => {
    const told: string[] = [];
    const observer = {
      committed: (commit: unknown, run: Run) => void told.push(JSON.stringify(commit), plainText(run)),
      onError: (error: unknown) => void told.push(String(error), String((error as Error).stack)),
    };
    const builder = defineGraph({
      name: 'noisy',
      input: z.object({ word: z.string().meta(sensitive) }),
      state: z.object({ words: append(z.array(z.string())) }),
    });
    const step = builder.step({
      execute: ({ input, update }) => {
        update({ words: [input.word] });
        return { said: input.word };
      },
      afterNode: ({ input }) => {
        throw new Error(`after ${input.word}`);
      },
    });
    const graph = builder.build({ entry: 'step', nodes: { step }, routes: {} });
    const { open } = worldOf();
    const run = await open({ graphs: [graph], observer }).start(graph, { word: 'nobody may see this' });
    await run.settled();
    await run.fork({});
    expect(told.join()).toContain('after ***');
    expect(told.join()).toContain('"words":["***"]');
    expect(told.join()).not.toContain('nobody may');
  });
});
