import { reExecuteRun, verifyStream } from '@signalbox/runtime';
import { createWorld, Testbox, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';
import type { RunEventRow, RunHandle } from './run-handle.ts';
import { companion, gate } from './testing/companion.ts';

const FINN = 'user:finn';

async function eventsOf(run: Pick<RunHandle, 'events'>): Promise<RunEventRow[]> {
  const events: RunEventRow[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

describe('a session', () => {
  it('holds messages and runs in their order, and what its runs said', async () => {
    const box = testbox({ graphs: [companion([])] });
    const session = await box.sessions.open({ user: 'finn', metadata: { channel: 'desktop' } });
    expect(session.id).toMatch(/^ses_[0-9a-f-]{36}$/);
    const { run } = await session.send('companion', 'first', { as: FINN });
    await run.settled();
    await (await session.send('companion', 'second', { as: FINN })).run.settled();

    expect((await session.messages()).map(({ role, content, by }) => [role, content, by.kind])).toEqual([
      ['user', 'first', 'user'],
      ['assistant', 'You said: first', 'system'],
      ['user', 'second', 'user'],
      ['assistant', 'You said: second', 'system'],
    ]);
    expect((await session.messages())[1]).toMatchObject({ run: run.id, node: 'think' });
    expect((await session.runs()).rows).toHaveLength(2);
    expect(await session.view()).toMatchObject({
      status: 'idle',
      user: 'finn',
      metadata: { channel: 'desktop' },
      messages: 4,
      runs: 2,
      executing: [],
      queued: [],
    });
  });

  it('has metadata that fits the schema of the box, when it is opened and when they change', async () => {
    const schema = z.strictObject({ channel: z.enum(['desktop', 'phone']), lang: z.string().default('en') });
    const box = testbox({ graphs: [companion([])], sessionMetadata: schema });
    await expect(box.sessions.open()).rejects.toMatchObject({ code: 'InvalidMetadata' });
    await expect(box.sessions.open({ metadata: { channel: 'fax' } })).rejects.toMatchObject({
      code: 'InvalidMetadata',
      details: { issues: [{ pointer: '/channel' }] },
    });
    const session = await box.sessions.open({ metadata: { channel: 'phone' } });
    expect((await box.sessions.open({ id: session.id })).id).toBe(session.id);
    await session.update({ channel: 'desktop' }, { of: 'metadata' });
    const change = session.update({}, { of: 'metadata', remove: ['channel'] });
    await expect(change).rejects.toMatchObject({ code: 'InvalidMetadata' });
    await session.update({ topic: 'music' });
    expect(await session.view()).toMatchObject({
      metadata: { channel: 'desktop', lang: 'en' },
      state: { topic: 'music' },
    });
    expect(await box.sessions.list()).toMatchObject({ sessions: [{ id: session.id }] });
  });

  it('begins by itself with the first run that names it', async () => {
    const box = testbox({ graphs: [companion([])] });
    await box.start('companion', { message: 'hello' }, { session: 'ses_case-7', as: FINN });
    expect(await box.session('ses_case-7').view()).toMatchObject({ user: 'finn', runs: 1 });
  });

  it('is not there for another tenant, and an id that could be any stream is refused', async () => {
    const box = testbox({ graphs: [companion([])] });
    const { id } = await box.sessions.open({ tenant: 'north' });
    await expect(box.session(id).view()).rejects.toMatchObject({ code: 'UnknownSession' });
    await expect(box.start('companion', { message: 'x' }, { session: id })).rejects.toMatchObject({
      code: 'UnknownSession',
    });
    await expect(box.session(id).at(99)).rejects.toMatchObject({ code: 'UnknownSession' });
    await expect(box.session(id).add('hello')).rejects.toMatchObject({ code: 'UnknownSession' });
    await expect(box.start('companion', { message: 'x' }, { session: 'run_1' })).rejects.toMatchObject({
      code: 'InvalidSession',
    });
    expect((await box.session(id, { tenant: 'north' }).view()).tenant).toBe('north');
  });

  it('shows its state as of any time and any number', async () => {
    const box = testbox();
    const session = await box.sessions.open();
    await session.update({ topic: 'music' });
    const { seq } = await session.view();
    await box.advance('1h');
    await session.update({ mood: 'calm' }, { remove: ['topic'] });
    await session.update({ channel: 'mail' }, { of: 'metadata' });

    expect((await session.at(seq)).state).toEqual({ topic: 'music' });
    expect((await session.at('2026-01-01T00:30:00Z')).state).toEqual({ topic: 'music' });
    expect(await session.view()).toMatchObject({ state: { mood: 'calm' }, metadata: { channel: 'mail' } });
    await expect(session.at(99)).rejects.toMatchObject({ code: 'UnknownPoint' });
  });

  it('gives messages page by page, however many there are, and any moment of a long history', async () => {
    const box = testbox({ chain: true });
    const session = await box.sessions.open();
    for (let n = 1; n <= 620; n += 1) await session.add(`m${n}`);
    const texts = async (query: object) => (await session.messages(query)).map(({ content }) => content);
    expect(await texts({ limit: 2 })).toEqual(['m619', 'm620']);
    const page = await session.messages({ limit: 300 });
    expect(page).toHaveLength(300);
    expect(page[0]!.content).toBe('m321');
    expect(await texts({ before: page[0]!.seq, limit: 2 })).toEqual(['m319', 'm320']);
    expect(await texts({ limit: 1000 })).toHaveLength(620);
    expect((await session.at(301)).messages).toBe(300);
    expect(await box.store.snapshotSeqs(session.id)).toEqual([500]);
    expect((await session.at(601)).messages).toBe(600);
    expect((await verifyStream(box.store, session.id)).ok).toBe(true);
  });
});

describe('the turn of a run', () => {
  it('is one at a time, in the order of the messages', async () => {
    const log: string[] = [];
    const held = gate();
    const box = testbox({ graphs: [companion(log, () => held.passed)] });
    const session = await box.sessions.open();
    const runs = [];
    for (const message of ['a', 'b', 'c']) runs.push((await session.send('companion', message)).run);
    await box.settle();
    expect(log).toEqual(['+a']);
    expect(await session.view()).toMatchObject({
      status: 'processing',
      executing: [runs[0]!.id],
      queued: [runs[1]!.id, runs[2]!.id],
    });
    expect(await runs[1]!.view()).toMatchObject({ status: 'suspended', reason: 'session' });
    held.open();
    for (const run of runs) expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(log).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
  });

  it('is free while a run waits for an answer, and its continuation queues', async () => {
    const log: string[] = [];
    let held = gate();
    held.open();
    const box = testbox({ graphs: [companion(log, () => held.passed)] });
    const session = await box.sessions.open();
    const { run: asking } = await session.send('companion', 'a', { input: { message: 'a', asks: true } });
    const asked = await asking.settled();
    expect(await session.view()).toMatchObject({ status: 'suspended', executing: [], queued: [] });

    held = gate();
    const { run: other } = await session.send('companion', 'b');
    await box.settle();
    await box.answer(asked.requests[0]!.id, { values: { genre: 'jazz' }, as: FINN });
    await box.settle();
    expect(await session.view()).toMatchObject({ status: 'processing', executing: [other.id], queued: [asking.id] });
    expect(log.at(-1)).toBe('+b');
    held.open();
    expect(await asking.settled()).toMatchObject({ status: 'completed' });
    expect(log.slice(log.indexOf('+b'))).toEqual(['+b', '-b', '+a', '?a', '!a', '-a']);
    expect(await session.view()).toMatchObject({ status: 'idle', state: { genre: 'jazz' } });
  });

  it('is not waited for by a run that is started from inside a run', async () => {
    const inner = defineGraph({ name: 'inner', input: z.object({}) });
    const innerGraph = inner.build({ entry: 'work', nodes: { work: inner.step(() => 'done') }, routes: {} });
    const outer = defineGraph({ name: 'outer', input: z.object({}) });
    const call = outer.step(async ctx =>
      ctx.run('call', async () => {
        const child = await box.start('inner', {}, { session: ctx.run.session!, key: `child of ${ctx.run.id}` });
        return { status: (await child.settled()).status, id: child.id };
      }),
    );
    const outerGraph = outer.build({ entry: 'call', nodes: { call }, routes: {} });
    const box: Testbox = testbox({ graphs: [innerGraph, outerGraph] });
    const run = await box.start('outer', {}, { session: 'ses_1' });
    const ended = await run.settled();
    expect(ended).toMatchObject({ status: 'completed', output: { status: 'completed' } });
    const [started] = await eventsOf(box.get((ended as { output: { id: string } }).output.id));
    expect(started!.data).toMatchObject({ parent: run.id });
    expect(started!.data.turns).toBeUndefined();
  });

  it('may be several at once where the session has several places', async () => {
    const log: string[] = [];
    const held = gate();
    const box = testbox({ graphs: [companion(log, () => held.passed)] });
    const session = await box.sessions.open({ places: 2 });
    for (const message of ['a', 'b', 'c']) await session.send('companion', message);
    await box.settle();
    expect(log).toEqual(['+a', '+b']);
    held.open();
    await box.settle();
    expect(log).toHaveLength(6);
  });

  it('of a run that fails or is cancelled is over too; the status says what became of the last', async () => {
    const builder = defineGraph({ name: 'fails', input: z.object({}) });
    const graph = builder.build({
      entry: 'work',
      nodes: {
        work: builder.step(() => {
          throw new TypeError('broken');
        }),
      },
      routes: {},
    });
    const held = gate();
    const box = testbox({ graphs: [graph, companion([], () => held.passed)] });
    const session = await box.sessions.open();
    await (await box.start('fails', {}, { session: session.id })).settled();
    expect((await session.view()).status).toBe('error');
    const { run } = await session.send('companion', 'a');
    const { run: queued } = await session.send('companion', 'b');
    await queued.cancel();
    await run.cancel();
    held.open();
    await box.settle();
    expect(await session.view()).toMatchObject({ status: 'idle', executing: [], queued: [] });
  });
});

describe('a message while a question is open', () => {
  async function withQuestion() {
    const box = testbox({ graphs: [companion([])] });
    const session = await box.sessions.open();
    const { run } = await session.send('companion', 'a', { input: { message: 'a', asks: true } });
    const [question] = (await run.settled()).requests;
    return { box, session, run, question: question! };
  }

  it('begins a new run, and the question stays open', async () => {
    const { session, run, question } = await withQuestion();
    const { run: next } = await session.send('companion', 'jazz');
    expect(await next.settled()).toMatchObject({ status: 'completed' });
    expect((await run.view()).requests.map(({ id }) => id)).toEqual([question.id]);
    expect((await session.view()).status).toBe('suspended');
  });

  it('answers it where that is wanted and it fits', async () => {
    const { session, run, question } = await withQuestion();
    const sent = await session.send('companion', 'Jazz', { whileOpen: 'answer', as: FINN });
    expect(sent).toMatchObject({ run: { id: run.id }, request: question.id });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect((await session.messages()).map(({ content }) => content)).toEqual(['a', 'Jazz', 'You said: a']);
    expect((await session.view()).state).toEqual({ genre: 'jazz' });
  });

  it('begins a new run where it does not fit, and says nothing to the question', async () => {
    const { session, run } = await withQuestion();
    const sent = await session.send('companion', 'polka', { whileOpen: 'answer', as: FINN });
    expect(sent.run.id).not.toBe(run.id);
    const refused = (await eventsOf(run)).filter(({ type }) => type === 'request.refused');
    expect(refused).toEqual([]);
  });

  it('is refused where that is wanted, and leaves nothing', async () => {
    const { session, question } = await withQuestion();
    await expect(session.send('companion', 'jazz', { whileOpen: 'reject' })).rejects.toMatchObject({
      code: 'QuestionOpen',
      details: { open: [question.id] },
    });
    expect(await session.messages()).toHaveLength(1);
  });

  it('never approves', async () => {
    const builder = defineGraph({ name: 'pay', input: z.object({ message: z.string() }) });
    const confirm = builder.ask({ kind: 'confirmation', title: 'Pay 100 EUR?' });
    const graph = builder.build({ entry: 'confirm', nodes: { confirm }, routes: {} });
    const box = testbox({ graphs: [graph] });
    const session = await box.sessions.open();
    const { run } = await session.send('pay', 'pay!');
    await run.settled();
    for (const message of ['approve', 'yes', 'ok'])
      expect((await session.send('pay', message, { whileOpen: 'answer', as: FINN })).request).toBeUndefined();
    expect((await run.view()).requests).toHaveLength(1);
  });
});

describe('a message that is sent again under its key', () => {
  const keyed = (whileOpen: 'answer' | 'reject' | 'newRun') => ({ key: 'mail-1', whileOpen, as: FINN });

  async function withQuestion(world = createWorld()) {
    const box = new Testbox({ graphs: [companion([])] }, world);
    const session = await box.sessions.open();
    const input = { message: 'jazz', asks: true };
    const { run } = await session.send('companion', 'jazz', { ...keyed('answer'), input });
    const [question] = (await run.settled()).requests;
    return { box, session, run, input, question: question! };
  }

  it.each(['answer', 'reject', 'newRun'] as const)(
    'is the run that it began, whose own question it leaves alone: %s',
    async how => {
      const { session, run, input, question } = await withQuestion();
      expect(await session.send('companion', 'jazz', { ...keyed(how), input })).toEqual({ run });
      expect((await run.view()).requests).toMatchObject([{ id: question.id }]);
      expect(await session.messages()).toHaveLength(1);
      expect((await session.runs()).rows).toHaveLength(1);
    },
  );

  it('is the answer that it was, also when nothing is open any more or another question is', async () => {
    const { session, run, question } = await withQuestion();
    const options = { ...keyed('answer'), key: 'mail-2' };
    const sent = await session.send('companion', 'Jazz', options);
    expect(sent).toMatchObject({ run: { id: run.id }, request: question.id });
    await run.settled();
    expect(await session.send('companion', 'Jazz', options)).toEqual(sent);
    const other = await session.send('companion', 'a', { input: { message: 'a', asks: true } });
    const [open] = (await other.run.settled()).requests;
    expect(await session.send('companion', 'Jazz', options)).toEqual(sent);
    expect(await session.send('companion', 'Jazz', { ...options, whileOpen: 'reject' })).toEqual(sent);
    expect((await other.run.view()).requests).toMatchObject([{ id: open!.id }]);
    expect((await session.messages()).filter(({ content }) => content === 'Jazz')).toHaveLength(1);
  });

  it('is a conflict when it says something else', async () => {
    const { session } = await withQuestion();
    const options = { ...keyed('answer'), key: 'mail-2' };
    await session.send('companion', 'Jazz', options);
    await expect(session.send('companion', 'rock', options)).rejects.toMatchObject({ code: 'StartKeyConflict' });
  });

  it('is one answer when it is sent twice at once, here and in another process', async () => {
    const world = createWorld();
    const { box, session, run, question } = await withQuestion(world);
    const other = new Testbox({ graphs: [companion([])] }, world);
    const options = { ...keyed('answer'), key: 'mail-2' };
    const elsewhere = other.session(session.id);
    const sent = await Promise.all(
      [session, elsewhere, session, elsewhere].map(each => each.send('companion', 'Jazz', options)),
    );
    expect(sent.map(({ run: { id }, request }) => [id, request])).toEqual(sent.map(() => [run.id, question.id]));
    expect((await session.messages()).filter(({ content }) => content === 'Jazz')).toHaveLength(1);
    expect((await session.runs()).rows).toHaveLength(1);
    expect([...box.errors, ...other.errors]).toEqual([]);
  });

  it('is refused again as it was', async () => {
    const { session, question, run } = await withQuestion();
    const options = { ...keyed('answer'), key: 'mail-2', as: { kind: 'model', id: 'gpt' } as const };
    for (const _ of [1, 2])
      await expect(session.send('companion', 'Jazz', options)).rejects.toMatchObject({ code: 'NotEntitled' });
    expect((await run.view()).requests).toMatchObject([{ id: question.id }]);
    expect((await session.runs()).rows).toHaveLength(1);
  });
});

describe('after a crash', () => {
  it('the run at work keeps its turn, and those behind it follow', async () => {
    const log: string[] = [];
    const never = gate();
    const open = gate();
    open.open();
    let held = never;
    const box = testbox({ graphs: [companion(log, () => held.passed)] });
    const session = await box.sessions.open();
    const { run: first } = await session.send('companion', 'a');
    const { run: second } = await session.send('companion', 'b');
    await box.settle();
    held = open;
    const next = await box.restart();
    expect(await next.get(first.id).settled()).toMatchObject({ status: 'completed' });
    expect(await next.get(second.id).settled()).toMatchObject({ status: 'completed' });
    expect(log).toEqual(['+a', '+a', '-a', '+b', '-b']);
  });

  it('an answer that was given is not forgotten in the queue', async () => {
    const log: string[] = [];
    const box = testbox({ graphs: [companion(log)] });
    const session = await box.sessions.open();
    const { run } = await session.send('companion', 'a', { input: { message: 'a', asks: true } });
    const [question] = (await run.settled()).requests;
    await box.answer(question!.id, { values: { genre: 'rock' }, as: FINN });
    const next = await box.restart();
    expect(await next.get(run.id).settled()).toMatchObject({ status: 'completed' });
    expect((await next.session(session.id).view()).state).toEqual({ genre: 'rock' });
  });

  it('two processes never have two runs of a session at work', async () => {
    const world = createWorld({ chain: true });
    const at = { work: 0, most: 0, ended: 0 };
    const graph = companion([], async () => {
      at.work += 1;
      at.most = Math.max(at.most, at.work);
      await new Promise(resolve => setTimeout(resolve, 1));
      at.work -= 1;
      at.ended += 1;
    });
    const boxes = [0, 1].map(() => new Testbox({ graphs: [graph] }, world));
    for (const box of boxes) await box.ready();
    const sent = Array.from({ length: 12 }, (_, n) => boxes[n % 2]!.session('ses_both').send('companion', `m${n}`));
    const opened = boxes[0]!.sessions.open({ id: 'ses_both' });
    const runs = await Promise.all(sent);
    await opened;
    for (const { run } of runs) expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(at).toEqual({ work: 0, most: 1, ended: 12 });
    expect((await verifyStream(boxes[0]!.store, 'ses_both')).ok).toBe(true);
  });
});

describe('what a handler reads of its session', () => {
  it('is recorded: the same messages come again, however often it is executed, and in a replay', async () => {
    const builder = defineGraph({ name: 'third', input: z.object({ message: z.string() }) });
    const reads: number[] = [];
    const answer = builder.step(async ctx => {
      const said = (await ctx.session?.messages({ limit: 10 })) ?? [];
      reads.push(said.length);
      await ctx.ask('sure', { title: 'Sure?', form: z.object({ sure: z.boolean() }) });
      return said.filter(({ role }) => role === 'user')[2]?.content ?? null;
    });
    const graph = builder.build({ entry: 'answer', nodes: { answer }, routes: {} });
    const before = testbox({ graphs: [graph], chain: true });
    const session = await before.sessions.open();
    for (const point of ['cheap', 'quick', 'safe']) await session.add(point, { as: FINN });
    const box = await before.restart();
    const { run } = await box.session(session.id).send('third', 'What was the third point I just made?');
    const [question] = (await run.settled()).requests;
    await box.session(session.id).add('another');
    await box.answer(question!.id, { values: { sure: true }, as: FINN });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'safe' });
    expect(reads).toEqual([4, 4]);
    expect((await reExecuteRun(box.engine, run.id)).difference?.text).toBeUndefined();
  });
});
