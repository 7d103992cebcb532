import { digestOf, isSignalboxError, type JsonObject, type JsonValue } from '@signalbox/kernel';
import { createWorld, scriptedModel, Testbox, type World } from '@signalbox/testkit';
import type { RunHandle } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { calls, type Desk, desk, deskGraph, eventsOf, tool } from './testing/desk.ts';
import { type Mutation, mutations } from './testing/mutations.ts';

/** `SIGNALBOX_MUTATIONS=10000` for all; each run of the suite takes the first of the same ones. */
const COUNT = Number(process.env.SIGNALBOX_MUTATIONS ?? 2_000);
/** Attacks on one open approval: an edit opens the next one, and the visit grows. */
const OF_ONE_RUN = 20;

const ARGS: JsonObject = { order: 'A-1', cents: 500, note: 'broken cup', notify: true };

const PAY = tool('pay', {
  effect: 'once',
  approval: true,
  input_schema: {
    type: 'object',
    required: ['order', 'cents'],
    properties: {
      order: { type: 'string', pattern: '^A-[0-9]{1,4}$' },
      cents: { type: 'integer', minimum: 1, maximum: 50_000 },
      note: { type: 'string', maxLength: 200 },
      notify: { type: 'boolean' },
    },
    additionalProperties: false,
  },
});

interface Waiting extends Desk {
  readonly paid: JsonValue[];
  readonly handle: RunHandle<unknown>;
  /** The open approval; undefined where what was edited was refused, and the agent told so. */
  open(): Promise<Open | undefined>;
}

interface Open {
  readonly id: string;
  readonly subject?: string;
}

interface Approved {
  readonly request: string;
  readonly subject: string;
}

async function waiting(): Promise<Waiting> {
  const paid: JsonValue[] = [];
  const made = desk({
    tools: { pay: args => paid.push(args) && null },
    allowed: [PAY],
    says: [calls('pay', ARGS), 'Paid.'],
  });
  const handle = (await made.run()) as RunHandle<unknown>;
  const open = async () => {
    const view = await handle.settled();
    return view.requests[0];
  };
  return { ...made, paid, handle, open };
}

/** Another finished run, whose approval somebody may try to use again. */
async function finished(desk: Waiting): Promise<Approved> {
  const { id, subject } = (await desk.open())!;
  await desk.box.answer(id, { action: 'approve', as: 'user:finn' });
  await desk.handle.settled();
  expect(desk.paid).toEqual([ARGS]);
  return { request: id, subject: subject! };
}

/** What an attacker sends between approval and execution, in place of the approval. True: it was taken, as an edit. */
async function attack({ box, handle }: Waiting, { id, subject }: Open, { args, way }: Mutation, old: Approved) {
  const taken = (sent: Promise<unknown>) =>
    sent.then(
      () => true,
      error => {
        if (!isSignalboxError(error)) throw error;
        return false;
      },
    );
  const send = (request: string, content: object) =>
    taken(box.answer(request, { as: 'user:finn', ...content } as never));
  switch (way) {
    case 'approve with values':
      return await send(id, { action: 'approve', values: args });
    case 'approve with values and the digest':
      return await send(id, { action: 'approve', values: args, subject });
    case 'edit':
      return await send(id, { action: 'edit', values: args });
    case 'digest of another call':
      return await send(id, { action: 'approve', subject: old.subject, values: args });
    case 'request of another run':
      return await send(old.request, { action: 'approve', values: args });
    case 'as the model':
      return await send(id, { action: 'approve', values: args, as: 'model:test/one' });
    case 'as a tool':
      return await send(id, { action: 'edit', values: args, as: 'tool:pay' });
    case 'message of a client':
      return await send(id, {
        action: 'approve',
        values: args,
        tool: 'pay',
        args,
        context: { arguments: args },
        subject,
      });
    case 'signal':
      await taken(handle.signal('approve:pay', { action: 'approve', values: args }));
      return false;
  }
}

const PLACES = ['judgement', 'judgement and its digest', 'request'] as const;

/** Somebody writes to the store while the approval is open; then another process takes over, and it is approved. */
async function approvedAfterTampering(args: JsonObject, place: (typeof PLACES)[number]): Promise<JsonValue[]> {
  const paid: JsonValue[] = [];
  const graph = deskGraph({ tools: { pay: given => paid.push(given) && null }, allowed: [PAY] });
  const world = createWorld();
  const models = scriptedModel([calls('pay', ARGS), 'Paid.']);
  const box = new Testbox({ graphs: [graph], models }, world);
  const run = await box.start(graph, {} as never);
  await run.settled();
  tamper(world, run.id, (type, data) => {
    if (place === 'request' && type === 'request.opened') return { ...data, ...forgedRequest(data, args) };
    if (place === 'request' || type !== 'tool.judged') return data;
    const subject = digestOf({ tool: 'pay', contract: data.contract!, effect: 'once', args });
    return { ...data, args, ...(place === 'judgement' ? {} : { subject }) };
  });
  const next = await box.restart();
  const [request] = (await next.inbox()).rows;
  if (request !== undefined) {
    await next.answer(request.requestId, { action: 'approve', as: 'user:finn' });
    await next.settle();
  }
  await next.close();
  return paid;
}

function forgedRequest({ context, ...request }: JsonObject, args: JsonObject): JsonObject {
  const told = JSON.stringify(args, null, 2);
  return { ...request, context: { ...(context as JsonObject), arguments: told }, proposal: { values: args } };
}

function tamper({ data }: World, runId: string, change: (type: string, data: JsonObject) => JsonObject): void {
  data.snapshots.clear();
  let changed = 0;
  const forged = data.streams.get(runId)!.map(stored => {
    const events = stored.commit!.events.map(event => {
      const forgedData = change(event.type, event.data as JsonObject);
      if (forgedData !== event.data) changed += 1;
      return { ...event, data: forgedData };
    });
    return { ...stored, commit: { ...stored.commit!, events } };
  });
  data.streams.set(runId, forged as never);
  expect(changed).toBe(1);
}

describe('arguments that change between approval and execution', { timeout: 60_000 + COUNT * 100 }, () => {
  it(`are never executed: ${COUNT} changed sets`, async () => {
    const old = await finished(await waiting());
    const all = mutations(ARGS, COUNT);
    expect(all).toHaveLength(COUNT);
    for (let at = 0; at < COUNT; at += OF_ONE_RUN) {
      let desk = await waiting();
      let open = (await desk.open())!;
      for (const mutation of all.slice(at, at + OF_ONE_RUN)) {
        const wasTaken = await attack(desk, open, mutation, old);
        const now = await desk.open();
        if (desk.paid.length > 0)
          expect.fail(`${JSON.stringify(mutation)} was executed as ${JSON.stringify(desk.paid)}`);
        // Only an edit is taken, and it is asked for anew; everything else leaves the question as it was.
        expect(now?.id !== open.id, JSON.stringify(mutation)).toBe(wasTaken);
        expect(wasTaken && mutation.way !== 'edit', JSON.stringify(mutation)).toBe(false);
        if (now === undefined) desk = await waiting();
        open = now ?? (await desk.open())!;
      }
      await desk.box.close();
    }
  });

  it('are not executed by an answer to a request that there is not', async () => {
    const desk = await waiting();
    const { id } = (await desk.open())!;
    const sent = desk.box.answer(`${id.slice(0, -4)}zzzz`, { action: 'approve', as: 'user:finn' });
    await expect(sent).rejects.toMatchObject({ code: 'UnknownRequest' });
    expect((await desk.open())?.id).toBe(id);
    expect(desk.paid).toEqual([]);
  });

  it('leave the approval as good as it was: what was shown is executed, once', async () => {
    const old = await finished(await waiting());
    const desk = await waiting();
    const open = (await desk.open())!;
    for (const mutation of mutations(ARGS, 60).filter(({ way }) => way !== 'edit'))
      await attack(desk, open, mutation, old);
    await desk.box.answer(open.id, { action: 'approve', as: 'user:finn' });
    await desk.handle.settled();
    expect(desk.paid).toEqual([ARGS]);
    expect((await eventsOf(desk.box, desk.handle.id, 'request.refused')).length).toBeGreaterThan(0);
  });

  it(`are not executed where they were changed in the store: ${COUNT / 40} changed sets`, async () => {
    for (const { args } of mutations(ARGS, COUNT / 40))
      for (const place of PLACES) {
        const paid = await approvedAfterTampering(args, place);
        expect([[], [ARGS]], `${place}: ${JSON.stringify(args)}`).toContainEqual(paid);
      }
  });
});
