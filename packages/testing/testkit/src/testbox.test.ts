import { defineGraph, defineNodeType, failed } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countedEffect } from './counted-effect.ts';
import { testbox } from './testbox.ts';

const desk = defineGraph({
  name: 'refund-desk',
  input: z.object({ message: z.string() }),
  state: z.object({ amount: z.number().optional() }),
});
const refund = countedEffect(async (_key: string, _amount: number) => 'done');
const refundDesk = desk.build({
  entry: 'triage',
  nodes: {
    triage: desk.step(async ctx => await ctx.run('classify', () => ({ refund: ctx.input.message.includes('twice') }))),
    review: desk.ask({
      title: 'How much?',
      form: z.object({ amount: z.number() }),
      deadline: { after: '2h', onExpire: 'route' },
      update: { amount: 'output.values.amount' },
    }),
    settle: desk.step(async ctx => {
      await ctx.sleep('cooling off', '400d');
      return await ctx.run('refund', tools => refund(tools.idempotencyKey, ctx.state.amount ?? 0), { once: true });
    }),
    tooLate: desk.step(() => ({ reply: 'A colleague will call you.' })),
  },
  routes: {
    triage: [{ to: 'review', when: 'output.refund' }, { to: 'tooLate' }],
    review: [{ to: 'settle', on: ['approve', 'edit'] }, { to: 'tooLate' }],
  },
});

describe('a testbox', () => {
  it('runs a graph, lets years pass and survives a crash, without real time', async () => {
    let box = testbox({ graphs: [refundDesk] });
    const run = await box.start(refundDesk, { message: 'Charged twice' });
    const asked = await run.settled();
    if (asked.status !== 'suspended') throw new Error(asked.status);
    await box.answer(asked.requests[0]!.id, { values: { amount: 5 }, as: 'user:finn' });
    await box.settle();
    box = await box.restart();
    await box.advance('399d');
    expect(refund.count).toBe(0);
    box = await box.restart({ clean: true });
    await box.advance('1d');
    expect(await box.get(run.id).view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(refund.calls.map(([, amount]) => amount)).toEqual([5]);
    expect(box.errors).toEqual([]);
    await box.close();
  });

  it('expires a deadline exactly when its time has come', async () => {
    const box = testbox({ graphs: [refundDesk] });
    const run = await box.start(refundDesk, { message: 'Charged twice' });
    await box.advance(2 * 3_600_000 - 1);
    expect((await run.view()).status).toBe('suspended');
    await box.advance(1);
    expect(await run.view()).toMatchObject({ status: 'completed', output: { reply: 'A colleague will call you.' } });
    expect((await run.view()).updatedAt).toBe('2026-01-01T02:00:00.000Z');
    await box.close();
  });

  it('puts stubs in place of handlers, whichever way the graph comes to it', async () => {
    const box = testbox({ graphs: [refundDesk], handlers: { triage: () => ({ refund: false }) } });
    const run = await box.start(refundDesk, { message: 'Charged twice' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    const failing = await box.restart({ handlers: { triage: () => failed('Down', 'down') } });
    const other = await failing.start('refund-desk', { message: 'x' });
    expect(await other.settled()).toMatchObject({ status: 'failed', error: { code: 'Down' } });
    await failing.close();
  });

  it('stubs a registered type as a whole, and single nodes of it', async () => {
    const search = defineNodeType({ type: 'faq', execute: () => 'real' });
    const graph = defineGraph({ name: 'g', input: z.object({}) });
    const faqs = graph.build({
      entry: 'a',
      nodes: { a: graph.node(search), b: graph.node(search), c: graph.node(search) },
      routes: { a: [{ to: 'b' }], b: [{ to: 'c' }] },
    });
    const box = testbox({ graphs: [faqs], handlers: { faq: ctx => ctx.node.name, b: () => 'stub of b' } });
    const run = await box.start(faqs, {});
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'c' });
    const { run: loaded } = await box.engine.load(run.id);
    expect(loaded.tokens.get('')?.nodes).toMatchObject({ a: { output: 'a' }, b: { output: 'stub of b' } });
    const next = await box.restart({ handlers: { b: () => null } });
    expect(await (await next.start(faqs, {})).settled()).toMatchObject({ output: 'real' });
    await next.close();
  });

  it('says which nodes there are when a stub stands for none', () => {
    expect(() => testbox({ graphs: [refundDesk], handlers: { triag: () => null } })).toThrowError(
      expect.objectContaining({ code: 'UnknownNode', hint: 'Did you mean "triage"?' }),
    );
  });

  it('reaches the time limit of an operation that hangs, and of its node', async () => {
    const graph = defineGraph({ name: 'hang', input: z.object({}) });
    const hang = graph.build({
      entry: 'a',
      nodes: {
        a: graph.step(ctx => ctx.run('for ever', () => new Promise<null>(() => {}))),
        b: graph.step({ timeout: '10s' }, () => new Promise<null>(() => {})),
      },
      routes: { a: [{ to: 'b', on: ['failed'] }, { to: 'end' }] },
    });
    const box = testbox({ graphs: [hang] });
    const run = await box.start(hang, {});
    await box.advance('29s');
    expect((await run.view()).status).toBe('running');
    await box.advance('11s');
    expect(await run.view()).toMatchObject({ status: 'failed', error: { code: 'Timeout' } });
    expect((await run.view()).updatedAt).toBe('2026-01-01T00:00:40.000Z');
    await box.close();
  });

  it('counts a process that lives as alive however much time passes at once', async () => {
    const graph = defineGraph({ name: 'long', input: z.object({}) });
    const long = graph.build({
      entry: 'a',
      nodes: { a: graph.step(ctx => ctx.run('long', () => new Promise<null>(() => {}), { timeout: '9h' })) },
      routes: {},
    });
    const box = testbox({ graphs: [long] });
    const run = await box.start(long, {});
    await box.advance('1h');
    const others = { now: box.clock.now(), owner: 'somebody else', limit: 9 };
    expect(await box.store.due(others)).toEqual([]);
    await box.clock.settle();
    const next = await box.restart();
    expect((await next.store.run(run.id))?.owner).toBe(next.engine.owner);
    await next.close();
  });
});
