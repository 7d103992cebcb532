import { defineGraph, failed, next, retry, skipped } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countedEffect } from './counted-effect.ts';
import { executeNode } from './execute-node.ts';

const desk = defineGraph({
  name: 'desk',
  input: z.object({ n: z.number() }),
  state: z.object({ amount: z.number().optional() }),
});
const pay = countedEffect((amount: number) => ({ id: `pay-${amount}` }));
const graph = desk.build({
  entry: 'pay',
  nodes: {
    pay: desk.step({ output: z.object({ id: z.string() }) }, async ctx => {
      const answer = await ctx.ask('sure', { title: 'Sure?', kind: 'confirmation' });
      ctx.decide('pay', { chosen: answer.action, options: ['approve', 'reject'] });
      ctx.update({ amount: ctx.input.n });
      return await ctx.run('pay', () => pay(ctx.input.n));
    }),
    wish: desk.step({ next: ['skip', 'flop'] }, () => next('skip', { output: 7 })),
    flop: desk.step(() => failed('Down', 'down')),
    skip: desk.step(() => skipped('nothing to do')),
    again: desk.step(() => retry('1s')),
    wrong: desk.step({ output: z.object({ id: z.string() }) }, () => JSON.parse('{"id":1}')),
    thrown: desk.step(() => {
      throw new Error('no');
    }),
  },
  routes: {
    pay: [{ to: 'wish' }],
    wish: [{ to: 'skip', when: 'output == 1' }, { to: 'flop' }],
    flop: [{ to: 'skip' }],
    skip: [{ to: 'again' }],
    again: [{ to: 'wrong' }],
    wrong: [{ to: 'thrown' }],
  },
});

describe('a node by itself', () => {
  it('does its operations, and gives what it wrote, decided and returned', async () => {
    const done = await executeNode(graph, 'pay', { input: { n: 5 }, results: { sure: { action: 'approve' } } });
    expect(done).toEqual({
      status: 'success',
      output: { id: 'pay-5' },
      updates: [{ amount: 5 }],
      decisions: [{ point: 'pay', decision: { chosen: 'approve', options: ['approve', 'reject'] } }],
      operations: ['sure', 'pay'],
    });
    expect(pay.count).toBe(1);
  });

  it('takes a result in place of doing the operation', async () => {
    const results = { sure: { action: 'approve' }, pay: () => ({ id: 'stub' }) };
    const before = pay.count;
    expect((await executeNode(graph, 'pay', { input: { n: 5 }, results })).output).toEqual({ id: 'stub' });
    expect(pay.count).toBe(before);
  });

  it('stands at a wait that nothing is given for', async () => {
    expect(await executeNode(graph, 'pay', { input: { n: 5 } })).toMatchObject({
      status: 'suspended',
      waitsFor: 'sure',
    });
  });

  it('tells the other ends apart', async () => {
    expect(await executeNode(graph, 'wish')).toMatchObject({ status: 'success', output: 7, next: 'skip' });
    expect(await executeNode(graph, 'flop')).toMatchObject({ status: 'failed', error: { code: 'Down' } });
    expect((await executeNode(graph, 'skip')).status).toBe('skipped');
    expect((await executeNode(graph, 'again')).status).toBe('retry');
    expect(await executeNode(graph, 'wrong')).toMatchObject({ status: 'failed', error: { code: 'InvalidOutput' } });
    expect(await executeNode(graph, 'thrown')).toMatchObject({ status: 'failed', error: new Error('no') });
    await expect(executeNode(graph, 'nobody')).rejects.toMatchObject({ code: 'UnknownNode' });
  });
});
