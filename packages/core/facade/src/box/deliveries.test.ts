import { createWorld, Testbox, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';
import { asked, eventsOf, FINN, graph } from './testing/asked.ts';
import { askingGraph, delivered, fails, scriptedChannel } from './testing/channel.ts';

describe('a message', () => {
  it('tells of a request as the inbox shows it, without what is for programs', async () => {
    const desk = scriptedChannel();
    const box = testbox({ graphs: [graph], channels: [desk] });
    const { run, request } = await asked(box);

    const [{ message, attempt }] = desk.sent as [(typeof desk.sent)[number]];
    expect(message).toMatchObject({
      type: 'request.opened',
      at: '2026-01-01T00:00:00.000Z',
      tenant: 'default',
      run: { id: run.id, graph: 'refund' },
      request: {
        id: request,
        title: 'How much do we refund?',
        message: 'Order R-17',
        assignees: ['role:finance'],
        deadline: '2026-01-01T02:00:00.000Z',
        proposal: { values: { amount: 20 }, confidence: 0.5 },
      },
    });
    expect(message.request.fields.map(({ name }) => name)).toEqual(['amount']);
    expect(JSON.stringify(message)).not.toContain('for programs');
    expect(attempt).toMatchObject({ number: 1, requestStatus: 'open' });
  });

  it('of an answer says what was decided and by whom, never the values', async () => {
    const desk = scriptedChannel();
    const box = testbox({ graphs: [graph], channels: [desk] });
    const { request } = await asked(box);
    await box.answer(request, { values: { amount: 417 }, note: 'a private word', as: FINN });
    await box.settle();

    expect(desk.story).toEqual(['opened#1', 'answered#1']);
    const { message } = desk.sent[1]!;
    expect(message.answer).toMatchObject({ action: 'edit', by: { kind: 'user', id: 'finn' } });
    expect(message.request).toMatchObject({ id: request, title: 'How much do we refund?' });
    expect(JSON.stringify(message)).not.toMatch(/417|private word/);
  });

  it('comes for an escalation with those who are asked now, and for the expiry that ends it', async () => {
    const desk = scriptedChannel();
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await box.advance('2h');
    await box.advance('2h');

    expect(desk.story).toEqual(['opened#1', 'escalated#1', 'expired#1']);
    expect(desk.sent.map(({ message }) => message.request.assignees)).toEqual([
      ['role:finance'],
      ['role:lead'],
      ['role:lead'],
    ]);
  });

  it('too large to be sent is sent without its largest parts, and says so', async () => {
    const desk = scriptedChannel();
    const large = askingGraph([{ type: 'text', title: 'Log', text: 'x'.repeat(70_000) }]);
    const box = testbox({ graphs: [large], channels: [desk] });
    await box.start(large, {});
    await box.settle();
    const [{ message }] = desk.sent as [(typeof desk.sent)[number]];
    expect(message.truncated).toEqual(['displays']);
    expect(message.request.proposal).toBeDefined();
  });
});

describe('publishing', () => {
  it('reaches a function of the process', async () => {
    const box = testbox({ graphs: [graph] });
    const heard: string[] = [];
    box.onRequest('screen', message => {
      heard.push(message.request.title);
    });
    await asked(box);
    expect(heard).toEqual(['How much do we refund?']);
  });

  it('stops for a listener that is taken out, and goes on where it left off when it is back', async () => {
    const box = testbox({ graphs: [graph] });
    const heard: string[] = [];
    const listen = () => box.onRequest('screen', ({ id }) => void heard.push(id));
    const stop = listen();
    await asked(box);
    await stop();
    await asked(box);
    expect(heard).toHaveLength(1);
    listen();
    await asked(box);
    expect(heard).toHaveLength(3);
  });

  it('comes after the request is stored', async () => {
    const seen: unknown[] = [];
    const box: Testbox = testbox({
      graphs: [graph],
      channels: [
        scriptedChannel(async ({ request }) => {
          seen.push((await box.store.request(request.id))?.status);
          return delivered();
        }),
      ],
    });
    await asked(box);
    expect(seen).toEqual(['open']);
  });

  it('tries again by the schedule, under the same id and with the same content, until it is taken', async () => {
    const desk = scriptedChannel((_, { number }) => (number < 4 ? fails() : delivered()));
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    expect(desk.story).toEqual(['opened#1']);
    expect(await box.deliveries.list()).toMatchObject([
      { channel: 'desk', status: 'waiting', attempts: 1, error: 'no answer', type: 'request.opened' },
    ]);

    await box.advance('4s');
    expect(desk.story).toHaveLength(1);
    await box.advance('2s');
    expect(desk.story).toHaveLength(2);
    await box.advance('1h');
    expect(desk.story).toEqual(['opened#1', 'opened#2', 'opened#3', 'opened#4']);
    expect(new Set(desk.sent.map(({ message }) => JSON.stringify(message))).size).toBe(1);
    expect(await box.deliveries.list()).toEqual([]);
  });

  it('waits as long as the receiver asks for', async () => {
    const desk = scriptedChannel(() => ({ ...fails(), retryAfter: 60_000 }) as ReturnType<typeof fails>);
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await box.advance('59s');
    expect(desk.story).toHaveLength(1);
    await box.advance('1s');
    expect(desk.story).toHaveLength(2);
  });

  it('gives up after the last attempt; the dead letter is listed and can be tried anew or discarded', async () => {
    let isUp = false;
    const desk = scriptedChannel(() => (isUp ? delivered() : fails()), { schedule: ['1s', '1m'] });
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await box.advance('1h');
    await asked(box);
    await box.advance('1h');
    const letters = await box.deliveries.list({ status: 'abandoned' });
    expect(letters).toMatchObject([{ attempts: 3, error: 'no answer' }, { attempts: 3 }]);

    isUp = true;
    const [first, second] = letters as [(typeof letters)[number], (typeof letters)[number]];
    expect(await box.deliveries.retry({ id: first.id, as: FINN })).toBe(1);
    await box.advance('1m');
    expect(desk.sent.at(-1)).toMatchObject({ message: { id: first.id }, attempt: { number: 1 } });
    expect(await box.deliveries.discard({ id: second.id, reason: 'the shop is closed' })).toBe(1);
    expect(await box.deliveries.list()).toEqual([]);
    await expect(box.deliveries.retry({ id: second.id })).rejects.toMatchObject({ code: 'UnknownDelivery' });
  });

  it('sends what is to be tried anew at once; who does not publish does not begin to for that', async () => {
    let isUp = false;
    const desk = scriptedChannel(() => (isUp ? delivered() : { status: 'refused', error: 'gone' }));
    const world = createWorld();
    const box = new Testbox({ graphs: [graph], channels: [desk] }, world);
    await asked(box);
    expect(desk.story).toEqual(['opened#1']);
    isUp = true;
    expect(await box.deliveries.retry()).toBe(1);
    await box.settle();
    expect(desk.story).toEqual(['opened#1', 'opened#1']);
    expect(await box.deliveries.list()).toEqual([]);

    isUp = false;
    await asked(box);
    await box.close();
    const idle = new Testbox({ graphs: [graph], channels: [desk] }, world);
    expect(await idle.deliveries.retry()).toBe(1);
    await idle.clock.settle();
    expect(await idle.deliveries.list()).toMatchObject([{ status: 'waiting' }]);
  });

  it('gives up at once when the receiver will never take it', async () => {
    const desk = scriptedChannel(() => ({ status: 'refused', error: 'gone' }));
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await box.advance('1h');
    expect(desk.story).toEqual(['opened#1']);
    expect(await box.deliveries.list()).toMatchObject([{ status: 'abandoned', error: 'gone' }]);
  });

  it('takes what a channel throws for a failed attempt, and keeps one line of it', async () => {
    const desk = scriptedChannel(() => Promise.reject(new Error(`first\nsecond ${'x'.repeat(2_000)}`)));
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    const [letter] = await box.deliveries.list();
    expect(letter?.error).toMatch(/^first second x+$/);
    expect(letter?.error).toHaveLength(500);
  });

  it('ends an attempt at its time limit, whether or not the channel listens', async () => {
    const signals: AbortSignal[] = [];
    const desk = scriptedChannel(
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      { timeout: '10s', schedule: ['1d'] },
    );
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await box.advance('10s');
    expect(signals[0]!.aborted).toBe(true);
    await box.advance('1s');
    expect(await box.deliveries.list()).toMatchObject([{ attempts: 1, error: 'It took longer than 10 s.' }]);
  });

  it('keeps the order of one request, and holds up no other', async () => {
    const stuck = new Set<string>();
    const desk = scriptedChannel(({ request }) => (stuck.has(request.id) ? fails() : delivered()));
    const box = testbox({ graphs: [graph], channels: [desk] });
    const { request } = await asked(box);
    stuck.add(request);
    await box.answer(request, { values: { amount: 1 }, as: FINN });
    await asked(box);
    expect(desk.story).toEqual(['opened#1', 'answered#1', 'opened#1']);
    expect(await box.deliveries.list()).toMatchObject([{ request, type: 'request.answered' }]);
  });

  it('sends the second message of a request only when the first is taken', async () => {
    let isUp = false;
    const desk = scriptedChannel(() => (isUp ? delivered() : fails()));
    const box = testbox({ graphs: [graph], channels: [desk] });
    const { request } = await asked(box);
    await box.answer(request, { values: { amount: 1 }, as: FINN });
    await box.settle();
    expect(desk.story).toEqual(['opened#1']);
    isUp = true;
    await box.advance('10s');
    expect(desk.story).toEqual(['opened#1', 'opened#2', 'answered#1']);
    expect(desk.sent[1]!.attempt.requestStatus).toBe('answered');
  });

  it('of one request that takes long holds up no other', async () => {
    let count = 0;
    const desk = scriptedChannel(() => {
      count += 1;
      return count === 1 ? new Promise(() => {}) : delivered();
    });
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await asked(box);
    await asked(box);
    expect(desk.story).toEqual(['opened#1', 'opened#1', 'opened#1']);
    expect(await box.deliveries.list()).toHaveLength(1);
  });

  it('by one channel is not held up by another', async () => {
    const dead = scriptedChannel(() => new Promise(() => {}), { name: 'dead' });
    const desk = scriptedChannel();
    const box = testbox({ graphs: [graph], channels: [dead, desk] });
    await asked(box);
    await asked(box);
    expect(desk.story).toEqual(['opened#1', 'opened#1']);
  });

  it('is of the requests of its tenant, and of the types it asks for', async () => {
    const desk = scriptedChannel(delivered, { types: ['request.answered'] });
    const other = scriptedChannel(delivered, { tenant: 'acme' });
    const box = testbox({ graphs: [graph], channels: [desk, other] });
    const { request } = await asked(box);
    await box.answer(request, { values: { amount: 1 }, as: FINN });
    await asked(box, { tenant: 'acme' });
    expect(desk.story).toEqual(['answered#1']);
    expect(other.sent.map(({ message }) => [message.tenant, message.type])).toEqual([['acme', 'request.opened']]);
    expect(await eventsOf(box.store, 'delivery_acme/desk')).toContain('delivery.succeeded');
  });

  it('announces no past: a new channel hears what is stored from then on', async () => {
    const world = createWorld();
    const before = new Testbox({ graphs: [graph] }, world);
    await asked(before);
    const desk = scriptedChannel();
    const box = await before.restart({ clean: true });
    box.onRequest('desk', (message, attempt) => void desk.deliver(message, attempt));
    await box.ready();
    await asked(box);
    expect(desk.story).toEqual(['opened#1']);
  });

  it('hears of the first thing that a new channel could hear, whichever call led to it', async () => {
    const waiting = defineGraph({ name: 'waiting', input: z.object({}) });
    const wait = waiting.wait({ signal: 'go' });
    const ask = waiting.ask({ kind: 'confirmation', title: 'Pay?' });
    const graphs = [waiting.build({ entry: 'wait', nodes: { wait, ask }, routes: { wait: [{ to: 'ask' }] } })];
    const world = createWorld();
    const before = new Testbox({ graphs }, world);
    const { id } = await before.start(graphs[0]!, {});
    const desk = scriptedChannel();
    await before.close();
    const box = new Testbox({ graphs, channels: [desk] }, world);
    await box.get(id).signal('go');
    await box.settle();
    expect(desk.story).toEqual(['opened#1']);
  });

  it('tells of a fork its own questions, at once, and not once more those of its parent', async () => {
    const desk = scriptedChannel();
    const box = testbox({ graphs: [graph], channels: [desk] });
    const { run, request } = await asked(box);
    const child = await run.fork({ reason: 'try again' });
    await child.settled();
    await box.settle();
    expect(desk.sent.map(({ message }) => message.run.id)).toEqual([run.id, child.id]);
    expect(desk.sent[1]!.message.request.id).not.toBe(request);
  });

  it('refuses a channel whose name, schedule or time limit is none, and two of one name', () => {
    const invalid = { code: 'InvalidChannel' };
    const boxWith = (...channels: ReturnType<typeof scriptedChannel>[]) => testbox({ channels });
    expect(() => boxWith(scriptedChannel(delivered, { name: 'The Desk' }))).toThrow(expect.objectContaining(invalid));
    expect(() => boxWith(scriptedChannel(delivered, { schedule: ['soon'] }))).toThrow(expect.objectContaining(invalid));
    expect(() => boxWith(scriptedChannel(delivered, { timeout: '-1s' }))).toThrow(expect.objectContaining(invalid));
    expect(() => boxWith(scriptedChannel(), scriptedChannel())).toThrow(expect.objectContaining(invalid));
  });
});
