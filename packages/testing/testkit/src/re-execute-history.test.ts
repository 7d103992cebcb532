import { defineGraph, type Graph } from '@signalbox/core';
import { exportRun } from '@signalbox/runtime';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reExecuteHistory } from './re-execute-history.ts';
import { testbox } from './testbox.ts';

/** A map and a subgraph over the same body, which looks and may ask. `factor` is no part of the version. */
function graphOf(factor: number): Graph {
  const inner = defineGraph({ name: 'item', input: z.any() });
  const body = inner.build({
    entry: 'look',
    nodes: {
      look: inner.step(async ctx => {
        const seen = await ctx.run('look', () => (typeof ctx.input === 'number' ? ctx.input : 4));
        return factor * seen;
      }),
      nod: inner.ask({ kind: 'confirmation', title: 'This one?' }),
    },
    routes: { look: [{ to: 'nod', when: 'output > 2' }, { to: 'end' }] },
  });
  const outer = defineGraph({ name: 'outer', input: z.object({}) });
  return outer.build({
    entry: 'each',
    nodes: { each: outer.map({ items: '[3, 1, 2]', body, concurrency: 2 }), once: outer.subgraph(body) },
    routes: { each: [{ to: 'once' }] },
  }) as unknown as Graph;
}

async function recorded(): Promise<string[]> {
  const box = testbox({ graphs: [graphOf(2)], chain: true });
  const run = await box.start<unknown, unknown>('outer', {});
  for (let now = await run.settled(); now.status === 'suspended'; now = await run.settled())
    await box.answer(now.requests[0]!.id, { action: 'approve' });
  expect(await run.view()).toMatchObject({ status: 'completed' });
  expect(await run.reExecute()).toMatchObject({ same: true });
  const lines: string[] = [];
  for await (const line of exportRun(box.store, run.id, { madeAt: '2026-01-01T00:00:00.000Z' })) lines.push(line);
  await box.close();
  return lines;
}

describe('a recorded run, executed once more', () => {
  it('comes out the same with the same code, items of a map and subgraphs included', async () => {
    expect(await reExecuteHistory(await recorded(), { graphs: [graphOf(2)] })).toMatchObject({ same: true, from: 1 });
  });

  it('tells where other code would lead it elsewhere', async () => {
    const { same, difference } = await reExecuteHistory(await recorded(), { graphs: [graphOf(3)] });
    expect(same).toBe(false);
    expect(difference).toMatchObject({ type: 'node.succeeded', path: '/data/output', left: 6, right: 9 });
    expect(difference?.node?.node).toBe('look');
  });
});
