import type { LongTermMemory } from '@signalbox/ports';
import { reExecuteRun, verifyStream } from '@signalbox/runtime';
import { type Testbox, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';
import type { AskRequest } from '../builder/request.ts';
import type { RunEventRow, RunHandle } from './run-handle.ts';

const FINN = 'user:finn';
const fields = [{ name: 'genre', type: 'select', options: ['jazz', 'rock'], required: true }];
const KEY = 'music/ask/Which genre?';

/** An `ask` node that remembers; with `parts` in its request. */
function music(parts: Partial<AskRequest> & Pick<AskRequest, 'remember'>) {
  const builder = defineGraph({ name: 'music', input: z.object({}) });
  const ask = builder.ask({ title: 'Which genre?', fields, ...parts } as never);
  return builder.build({ entry: 'ask', nodes: { ask }, routes: {} });
}

/** The same in a handler. */
function handler(parts: Pick<AskRequest, 'remember'>) {
  const builder = defineGraph({ name: 'music', input: z.object({}) });
  const ask = builder.step(async ctx => (await ctx.ask('genre', { title: 'Which genre?', fields, ...parts })).values);
  return builder.build({ entry: 'ask', nodes: { ask }, routes: {} });
}

async function eventsOf(run: Pick<RunHandle, 'events'>): Promise<RunEventRow[]> {
  const events: RunEventRow[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

async function start(box: Testbox, options: { session?: string; as?: string } = { session: 'ses_1', as: FINN }) {
  const run = await box.start('music', {}, options);
  return { run, view: await run.settled() };
}

/** A first run that asks, is answered, and ends. */
async function answered(box: Testbox, options?: { session?: string; as?: string }, by = FINN) {
  const { run, view } = await start(box, options);
  await box.answer(view.requests[0]!.id, { values: { genre: 'jazz' }, as: by });
  await run.settled();
  return { run, request: view.requests[0]!.id };
}

describe('an answer that is remembered', () => {
  it.each([
    ['an ask node', music],
    ['ctx.ask', handler],
  ])('need not be given again in the session: %s', async (_, graphOf) => {
    const box = testbox({ graphs: [graphOf({ remember: { scope: 'session' } })], chain: true });
    const first = await answered(box);
    const { run, view } = await start(box);
    expect(view.status).toBe('completed');
    expect(JSON.stringify((view as { output: unknown }).output)).toContain('"genre":"jazz"');

    const events = await eventsOf(run);
    const recalled = events.find(({ type }) => type === 'request.recalled');
    expect(recalled!.data).toMatchObject({
      action: 'approve',
      values: { genre: 'jazz' },
      by: { kind: 'user', id: 'finn' },
      at: '2026-01-01T00:00:00.000Z',
      from: { key: KEY, scope: 'session', confidence: 1, run: first.run.id, request: first.request },
    });
    expect(events.find(({ data }) => data.point === `recall:${KEY}`)!.data).toMatchObject({
      chosen: { genre: 'jazz' },
      confidence: 1,
      decidedBy: 'rule:memory',
    });
    expect(events.some(({ type }) => type === 'request.opened')).toBe(false);
    expect((await box.inbox()).rows).toEqual([]);
    expect((await verifyStream(box.store, run.id)).ok).toBe(true);
    expect((await verifyStream(box.store, 'ses_1')).ok).toBe(true);
  });

  it('is asked for in another session, and in a run without one', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'session' } })] });
    await answered(box);
    expect((await start(box, { session: 'ses_2', as: FINN })).view.status).toBe('suspended');
    expect((await start(box, { as: FINN })).view.status).toBe('suspended');
  });

  it('of the user holds wherever that user goes, and nowhere else', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'user' } })], chain: true });
    await answered(box, { as: FINN });
    expect((await start(box, { session: 'ses_2', as: FINN })).view.status).toBe('completed');
    expect((await start(box, { as: FINN })).view.status).toBe('completed');
    expect((await start(box, { as: 'user:ada' })).view.status).toBe('suspended');
    expect((await start(box, {})).view.status).toBe('suspended');
    expect((await verifyStream(box.store, 'mem_default/finn')).ok).toBe(true);
  });

  it('is not the user’s when somebody else gave it', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'user' } })] });
    await answered(box, { as: FINN }, 'user:ada');
    expect(await box.memory({ user: 'finn' }).list()).toEqual([]);
    expect(await box.memory({ user: 'ada' }).list()).toEqual([]);
  });

  it('holds for as long as it says, to the millisecond', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'session', ttl: '1h' } })] });
    await answered(box);
    await box.advance(3_599_999);
    expect((await start(box)).view.status).toBe('completed');
    await box.advance(1);
    expect((await start(box)).view.status).toBe('suspended');
    expect(await box.memory({ session: 'ses_1' }).list()).toMatchObject([{ expiresAt: '2026-01-01T01:00:00.000Z' }]);
  });

  it('is asked for again when it does not fit any more', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'session', key: 'genre' } })] });
    await answered(box);
    await box.memory({ session: 'ses_1' }).edit('genre', { genre: 'polka' }, { as: FINN });
    expect((await start(box)).view.status).toBe('suspended');
  });

  it('is asked for all the same where it is not to be recalled, and the new answer stands', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'session' }, recall: false })] });
    await answered(box);
    expect((await start(box)).view.status).toBe('suspended');
  });

  it('lives in the run: asked once, though the node is visited often', async () => {
    const builder = defineGraph({ name: 'music', input: z.object({}) });
    const ask = builder.ask({ title: 'Which genre?', fields, remember: { scope: 'run' } } as never);
    const again = builder.step(ctx => ({ visits: ctx.run.visits.again }));
    const graph = builder.build({
      entry: 'ask',
      nodes: { ask, again },
      routes: { ask: [{ to: 'again' }], again: [{ to: 'ask', when: 'output.visits < 3' }, { to: 'end' }] },
    } as never);
    const box = testbox({ graphs: [graph as never] });
    const { run } = await answered(box, {});
    const events = await eventsOf(run);
    expect(events.filter(({ type }) => type === 'request.opened')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'request.recalled')).toHaveLength(2);
    expect(await box.memory({ run: run.id }).list()).toMatchObject([{ key: KEY, values: { genre: 'jazz' } }]);
  });
});

describe('memory, edited and forgotten', () => {
  it('from outside, in a session', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'session' } })] });
    await answered(box);
    const memory = box.memory({ session: 'ses_1' });
    await memory.edit(KEY, { genre: 'rock' }, { as: 'user:ada', reason: 'a slip' });
    const { view } = await start(box);
    expect(view).toMatchObject({ output: { values: { genre: 'rock' }, by: { kind: 'user', id: 'ada' } } });
    await memory.forget(KEY, { as: FINN, reason: 'asked to' });
    expect(await memory.list()).toEqual([]);
    expect((await start(box)).view.status).toBe('suspended');
    await expect(memory.forget(KEY)).rejects.toMatchObject({ code: 'UnknownMemory' });
  });

  it('of a user, in a tenant', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'user', key: 'genre' } })] });
    await box.memory({ user: 'finn' }).edit('genre', { genre: 'rock' }, { ttl: '1d', as: FINN });
    expect((await start(box, { as: FINN })).view.status).toBe('completed');
    expect(await box.memory({ user: 'finn', tenant: 'north' }).list()).toEqual([]);
    await box.memory({ user: 'finn' }).forget('genre');
    expect((await start(box, { as: FINN })).view.status).toBe('suspended');
  });

  it('of a run', async () => {
    const box = testbox({ graphs: [music({ remember: { scope: 'run', key: 'genre' } })] });
    const { run } = await start(box, {});
    const memory = box.memory({ run: run.id });
    await memory.edit('genre', { genre: 'rock' });
    expect(await memory.list()).toMatchObject([{ key: 'genre', values: { genre: 'rock' } }]);
    await memory.forget('genre');
    await expect(memory.forget('genre')).rejects.toMatchObject({ code: 'UnknownMemory' });
  });
});

describe('an approval', () => {
  it('is never remembered: a graph that wants it is refused', () => {
    for (const parts of [{ kind: 'confirmation', fields: undefined }, { subject: { amount: 1 } }, { gap: 'approval' }])
      expect(() => music({ remember: { scope: 'user' }, ...parts } as never)).toThrow(/approval is never remembered/);
  });

  it('nor where a handler asks for it', async () => {
    const builder = defineGraph({ name: 'music', input: z.object({}) });
    const ask = builder.step(async ctx => {
      await ctx.ask('pay', { kind: 'confirmation', title: 'Pay?', remember: { scope: 'user' } });
      return null;
    });
    const box = testbox({ graphs: [builder.build({ entry: 'ask', nodes: { ask }, routes: {} })] });
    await box.memory({ user: 'finn' }).edit('music/ask/Pay?', {});
    const { run, view } = await start(box, { as: FINN });
    const question = view.requests[0];
    if (question !== undefined) await box.answer(question.id, { action: 'approve', as: FINN });
    expect((await eventsOf(run)).some(({ type }) => type === 'request.recalled' || type === 'memory.written')).toBe(
      false,
    );
  });
});

describe('a long-term memory', () => {
  function scripted(find: LongTermMemory['find']) {
    const told: string[] = [];
    const memory: LongTermMemory = {
      find,
      written: async ({ user }, { key }) => void told.push(`+${user} ${key}`),
      removed: async ({ user }, key) => void told.push(`-${user} ${key}`),
    };
    return { memory, told };
  }
  const graphs = [music({ remember: { scope: 'user', key: 'genre' } })];

  it('is asked where the box has nothing, and what it says is taken with where it comes from', async () => {
    const { memory } = scripted(async ({ key }) => ({
      values: { [key]: 'rock' },
      by: { kind: 'service', id: 'profile' },
      at: '2025-12-01T00:00:00.000Z',
      confidence: 0.7,
    }));
    const box = testbox({ graphs, memory });
    const { run, view } = await start(box, { as: FINN });
    expect(view).toMatchObject({ status: 'completed', output: { values: { genre: 'rock' } } });
    const recalled = (await eventsOf(run)).find(({ type }) => type === 'request.recalled')!;
    expect(recalled.data).toMatchObject({ by: { kind: 'service', id: 'profile' }, from: { confidence: 0.7 } });
  });

  it('is told of what is remembered and forgotten, after it is stored', async () => {
    const { memory, told } = scripted(async () => undefined);
    const box = testbox({ graphs, memory });
    await answered(box, { as: FINN });
    await box.settle();
    await box.memory({ user: 'finn' }).forget('genre');
    expect(told).toEqual(['+finn genre', '-finn genre']);
  });

  it('that fails or is silent keeps nobody from being asked', async () => {
    const failing = testbox({ graphs, memory: scripted(() => Promise.reject(new TypeError('down'))).memory });
    expect((await start(failing, { as: FINN })).view.status).toBe('suspended');
    expect(failing.errors).toMatchObject([{ message: 'down' }]);

    const silent = testbox({ graphs, memory: scripted(() => new Promise(() => {})).memory });
    const run = await silent.start('music', {}, { as: FINN });
    await silent.settle();
    expect((await run.view()).status).toBe('running');
    await silent.advance('5s');
    expect((await run.settled()).requests).toHaveLength(1);
  });

  it('is looked at again when a process dies while it looks', async () => {
    const silent = testbox({ graphs, memory: scripted(() => new Promise(() => {})).memory });
    const run = await silent.start('music', {}, { as: FINN });
    await silent.settle();
    const next = await silent.restart({ memory: scripted(async () => undefined).memory } as never);
    await next.advance('5s');
    const view = await next.get(run.id).settled();
    expect(view.requests).toHaveLength(1);
    await next.answer(view.requests[0]!.id, { values: { genre: 'jazz' }, as: FINN });
    expect(await next.get(run.id).settled()).toMatchObject({ status: 'completed' });
  });
});

describe('a run that was given turns and recalled answers', () => {
  it.each([
    ['an ask node', music],
    ['ctx.ask', handler],
  ])('comes out the same when it is executed once more: %s', async (_, graphOf) => {
    const box = testbox({ graphs: [graphOf({ remember: { scope: 'session' } })], chain: true });
    const asked = await answered(box);
    const recalled = await start(box);
    for (const { id } of [asked.run, recalled.run]) {
      const { same, difference } = await reExecuteRun(box.engine, id);
      expect(difference?.text).toBeUndefined();
      expect(same).toBe(true);
    }
  });
});
