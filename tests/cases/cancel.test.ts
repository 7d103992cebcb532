import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, codeOf, createLab, STORES, until } from './testing/lab.ts';

describe.each(STORES)('on %s', store => {
  it.each(['fails', 'succeeds'])('C24 a cancelled run stops retrying (its attempt %s late)', async ending => {
    const lab = createLab(store);
    const errors: unknown[] = [];
    let attempts = 0;
    const desk = defineGraph({
      name: 'work',
      input: z.object({}),
      state: z.object({ done: z.boolean().default(false) }),
    });
    const graph = desk.build({
      entry: 'work',
      nodes: {
        work: desk.step({ retry: { attempts: 10, backoff: '100ms' } }, async ctx => {
          attempts += 1;
          await new Promise<void>(resolve => lab.clock.at(lab.clock.now() + 2_000, resolve));
          if (ending === 'fails') throw new Error('try again');
          ctx.update({ done: true });
        }),
      },
      routes: {},
    });
    const box = lab.open({ observer: { onError: error => errors.push(error) } });
    const run = await box.start(graph, {});
    await until(async () => attempts === 1);
    await lab.clock.advance('1s');
    await run.cancel({ reason: 'enough' });
    await lab.clock.advance('1s');
    await until(async () => (await run.view()).status === 'cancelled');
    const events = (await all(run.events())).length;
    await lab.clock.advance('30s');
    expect(await run.view()).toMatchObject({ status: 'cancelled', requests: [] });
    expect(await run.state()).toEqual({ done: false });
    expect(attempts).toBe(1);
    expect(errors).toEqual([]);
    expect((await all(run.events())).length).toBe(events);
    expect(await box.store.run(run.id)).toMatchObject({ status: 'cancelled', dueAt: null });
    expect(await box.store.due({ now: lab.clock.now(), owner: box.engine.owner, limit: 10 })).toEqual([]);
  });

  it('C24 a cancelled run that waited takes no late answer', async () => {
    const desk = defineGraph({ name: 'wait', input: z.object({}) });
    const graph = desk.build({
      entry: 'ask',
      nodes: { ask: desk.ask({ kind: 'confirmation', title: 'Go on?', deadline: { after: '1h', onExpire: 'fail' } }) },
      routes: {},
    });
    const lab = createLab(store);
    const box = lab.open();
    const run = await box.start(graph, {});
    const [asked] = (await run.settled()).requests;
    await run.cancel();
    expect((await run.settled()).status).toBe('cancelled');
    expect((await box.inbox()).rows).toEqual([]);
    expect(await codeOf(box.answer(asked!.id, { action: 'approve' }))).toBe('RequestClosed');
    await lab.clock.advance('2h');
    expect(await run.view()).toMatchObject({ status: 'cancelled', requests: [] });
    expect(await box.store.run(run.id)).toMatchObject({ dueAt: null });
  });
});

describe.each(STORES)('on %s', store => {
  it('C23 a signal with one key reaches each run once', async () => {
    const desk = defineGraph({ name: 'listens', input: z.object({}) });
    const graph = desk.build({ entry: 'hear', nodes: { hear: desk.wait({ signal: 'news' }) }, routes: {} });
    const box = createLab(store).open();
    const [r1, r2] = [await box.start(graph, {}), await box.start(graph, {})];
    for (const run of [r1, r2]) await run.settled();
    for (const run of [r1, r2, r1, r2]) await run.signal('news', { text: 'hello' }, { id: 'm1' });
    for (const run of [r1, r2]) {
      expect(await run.settled()).toMatchObject({ status: 'completed', output: { text: 'hello' } });
      const received = (await all(run.events())).filter(event => event.type === 'signal.received');
      expect(received).toHaveLength(1);
    }
  });
});
