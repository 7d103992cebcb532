import { toAppend, verifyStream } from '@signalbox/runtime';
import { createWorld, Testbox, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { asked, eventsOf, graph } from './testing/asked.ts';
import { delivered, scriptedChannel } from './testing/channel.ts';

describe('several processes that publish', () => {
  it('goes on in the next process with what the one before had not recorded', async () => {
    const crashing = scriptedChannel(() => new Promise(() => {}));
    const world = createWorld();
    const first = new Testbox({ graphs: [graph], channels: [crashing] }, world);
    await asked(first);
    const desk = scriptedChannel();
    await first.restart({ channels: [desk] });
    // The claim of the dead process runs out.
    await world.clock.advance('20s');
    expect(desk.sent.map(({ message }) => message.id)).toEqual(crashing.sent.map(({ message }) => message.id));
  });

  it('share a channel: each message is sent by one of them', async () => {
    const world = createWorld();
    const [one, two] = [scriptedChannel(), scriptedChannel()];
    const boxes = [one, two].map(desk => new Testbox({ graphs: [graph], channels: [desk] }, world));
    for (const box of boxes) await box.ready();
    for (let round = 0; round < 5; round += 1) for (const box of boxes) await asked(box);
    await world.clock.advance('1m');
    const ids = [...one.sent, ...two.sent].map(({ message }) => message.id);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });

  it('a process that only listens hears of what others ask, from when it began to listen', async () => {
    const world = createWorld();
    const asking = new Testbox({ graphs: [graph] }, world);
    await asked(asking);
    const listening = await new Testbox({ graphs: [graph] }, world).ready();
    const heard: string[] = [];
    listening.onRequest('screen', ({ request }) => void heard.push(request.id));
    await world.clock.settle();
    const { request } = await asked(asking);
    await world.clock.settle();
    expect(heard).toEqual([request]);
  });

  it('whoever finds that another has taken the claim records what it knows, and begins nothing more', async () => {
    let end = () => {};
    const desk = scriptedChannel(() => new Promise(resolve => (end = () => resolve(delivered()))), { concurrency: 1 });
    const box = testbox({ graphs: [graph], channels: [desk] });
    await asked(box);
    await asked(box);
    expect(desk.story).toEqual(['opened#1']);

    const stream = 'delivery_default/desk';
    const firstSeq = (await box.store.head(stream))!.seq + 1;
    const until = box.clock.now() + 3_600_000;
    const events = [{ type: 'delivery.claimed', data: { owner: 'another', until } }];
    const commit = {
      stream,
      firstSeq,
      at: '2026-01-01T00:00:00.000Z',
      actor: { kind: 'system', id: 'x' } as const,
      events,
    };
    await box.store.commit({ appends: [toAppend(commit)] }, { sync: true });
    end();
    await box.settle();
    expect(desk.story).toEqual(['opened#1']);
    expect((await eventsOf(box.store)).slice(-2)).toEqual(['delivery.claimed', 'delivery.succeeded']);

    // That other gives no more sign of life.
    await box.advance('1h');
    expect(desk.story).toEqual(['opened#1', 'opened#1']);
  });

  it('a process that stops in good order sends what is there, and gives up its claim', async () => {
    const world = createWorld();
    const desk = scriptedChannel();
    const first = new Testbox({ graphs: [graph], channels: [desk] }, world);
    await asked(first);
    await first.close({ grace: 1_000 });
    const next = new Testbox({ graphs: [graph], channels: [desk] }, world);
    await asked(next);
    expect(desk.story).toEqual(['opened#1', 'opened#1']);
    expect(await eventsOf(next.store)).toEqual(
      expect.arrayContaining(['delivery.begun', 'delivery.claimed', 'delivery.queued', 'delivery.released']),
    );
  });

  it('go on from the last snapshot of a long record, which verifies', async () => {
    const world = createWorld({ chain: true });
    const desk = scriptedChannel();
    const box = new Testbox({ graphs: [graph], channels: [desk] }, world);
    for (let count = 0; count < 400; count += 1) await asked(box);
    expect(await box.store.snapshotSeqs('delivery_default/desk')).toHaveLength(1);
    const next = await box.restart();
    await asked(next);
    await world.clock.advance('20s');
    expect(new Set(desk.sent.map(({ message }) => message.id)).size).toBe(401);
    expect(await verifyStream(next.store, 'delivery_default/desk')).toMatchObject({ ok: true });
  });
});
