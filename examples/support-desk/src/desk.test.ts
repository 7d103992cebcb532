import { createMemoryStore } from 'signalbox';
import { testbox } from 'signalbox/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type Desk, loadDeskGraph, openDesk } from './desk.ts';
import { createFaqSearch, readFaq } from './faq-search.ts';
import type { DeskServices } from './node-types.ts';
import type { Ticket } from './ticket-store.ts';
import type { Intent } from './utterance.ts';

let desk: Desk | undefined;
afterEach(async () => await desk?.close());

interface Scene {
  readonly intent: Intent;
  readonly confidence?: number;
  /** Attempts to store a ticket that fail. */
  readonly failures?: number;
}

/** A classifier that says what the scene says; `tickets` holds what was stored, `keys` every attempt's. */
function imagine({ intent, confidence = 0.9, failures = 0 }: Scene) {
  const tickets: Ticket[] = [];
  const keys: string[] = [];
  const services: DeskServices = {
    classifier: { classify: () => ({ intent, confidence, alternatives: [] }) },
    faq: createFaqSearch(readFaq()),
    tickets: {
      create({ key, kind, detail }) {
        keys.push(key);
        if (keys.length <= failures) throw new Error('the disk is full');
        const ticket = { id: 'T-1', kind, detail };
        tickets.push(ticket);
        return ticket;
      },
      list: () => tickets,
      close: () => undefined,
    },
  };
  return { services, tickets, keys };
}

function open(scene: Scene) {
  const { services, ...seen } = imagine(scene);
  desk = openDesk(services, { store: createMemoryStore() });
  return { desk, ...seen };
}

async function settle({ box, graph }: Desk, message: string) {
  const run = await box.start(graph, { message });
  return { run, view: await run.settled() };
}

describe('the support desk', () => {
  it('answers a question from the FAQ', async () => {
    const { desk } = open({ intent: 'faq' });
    const { run, view } = await settle(desk, '周末几点开门？');
    expect(view).toMatchObject({
      status: 'completed',
      output: { reply: expect.stringContaining('周日和法定节假日休息') },
    });
    expect(await run.state()).toEqual({ trail: ['answered'] });
  });

  it.each(['refund', 'create_order'] as const)('stores a ticket with id and detail for the intent %s', async intent => {
    const { desk, tickets } = open({ intent });
    const { view } = await settle(desk, 'About the blue lamp');
    expect(tickets).toEqual([{ id: 'T-1', kind: intent, detail: 'About the blue lamp' }]);
    expect(view).toMatchObject({ status: 'completed', output: { reply: expect.stringMatching(/T-1\b/) } });
  });

  it.each([
    ['a complaint, however sure', { intent: 'complaint', confidence: 1 }, 'oncall'],
    ['an unknown intent, however sure', { intent: 'unknown', confidence: 1 }, 'oncall'],
    ['a refund below the threshold', { intent: 'refund', confidence: 0.599 }, 'billing'],
    ['a question that the FAQ has no answer to', { intent: 'faq', confidence: 1 }, 'oncall'],
  ] as const)('asks a person about %s', async (_what, scene, proposed) => {
    const { desk, tickets } = open(scene);
    const { view } = await settle(desk, 'asdf qwer');
    expect(view).toMatchObject({
      status: 'suspended',
      requests: [{ node: 'handoff', message: 'asdf qwer', proposal: { values: { queue: proposed } } }],
    });
    expect(tickets).toEqual([]);
  });

  it('takes the threshold itself as sure enough', async () => {
    const { view } = await settle(open({ intent: 'refund', confidence: 0.6 }).desk, 'About the blue lamp');
    expect(view.status).toBe('completed');
  });

  it('tells the customer where a person put the case, and keeps the queue', async () => {
    const { desk } = open({ intent: 'complaint' });
    const { run, view } = await settle(desk, 'This is a scandal');
    await desk.box.answer(view.requests[0]!.id, { values: { queue: 'billing', note: 'be kind' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ output: { reply: expect.stringContaining('the billing team') } });
    expect(await run.state()).toEqual({ queue: 'billing', trail: ['handedOver'] });
  });

  it('says so when a person closes the case', async () => {
    const { desk } = open({ intent: 'unknown' });
    const { run, view } = await settle(desk, '嗯');
    await run.answer({ action: 'reject', as: 'user:finn' });
    expect(view.status).toBe('suspended');
    expect(await run.settled()).toMatchObject({ output: { reply: expect.stringContaining('关闭了此事') } });
  });

  it('refuses a queue that there is not and keeps the question open', async () => {
    const { desk } = open({ intent: 'complaint' });
    const { run, view } = await settle(desk, 'This is a scandal');
    const answer = desk.box.answer(view.requests[0]!.id, { values: { queue: 'nobody' }, as: 'user:finn' });
    await expect(answer).rejects.toMatchObject({ code: 'InvalidAnswer' });
    expect((await run.view()).requests).toHaveLength(1);
  });

  it('tries a ticket store that fails again, always with the same key', async () => {
    const { desk, tickets, keys } = open({ intent: 'refund', failures: 2 });
    const { view } = await settle(desk, 'About the blue lamp');
    expect(view.status).toBe('completed');
    expect(tickets).toHaveLength(1);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('hands the case to a person, with the reason, when the ticket cannot be stored', async () => {
    const { desk, tickets } = open({ intent: 'refund', failures: 3 });
    const { run, view } = await settle(desk, 'About the blue lamp');
    expect(view.requests[0]).toMatchObject({ node: 'handoff', context: { problem: 'the disk is full' } });
    await desk.box.answer(view.requests[0]!.id, { values: { queue: 'billing' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({
      status: 'completed',
      output: { reply: expect.stringMatching(/could not store.*billing team/) },
    });
    expect(tickets).toEqual([]);
  });

  it('asks the lead after two hours, and says so to the customer when nobody answers in two more', async () => {
    const graph = loadDeskGraph(imagine({ intent: 'complaint' }).services);
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, { message: 'This is a scandal' });
    await box.advance('2h');
    expect((await run.view()).requests[0]).toMatchObject({ assignees: ['role:lead'] });
    await box.advance('2h');
    expect(await run.view()).toMatchObject({
      status: 'completed',
      output: { reply: expect.stringContaining('Nobody could look at your message in time') },
    });
    await box.close();
  });
});
