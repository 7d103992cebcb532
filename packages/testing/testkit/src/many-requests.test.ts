import { defineGraph } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testbox } from './testbox.ts';

const poll = defineGraph({ name: 'poll', input: z.object({ people: z.number() }) });
const ask = poll.ask({ title: 'Yes?', form: z.object({ yes: z.boolean() }) });
const graph = poll.build({
  entry: 'list',
  nodes: {
    list: poll.step(ctx => Array.from({ length: ctx.input.people }, (_, index) => index)),
    each: poll.map({ items: 'output', body: ask }),
  },
  routes: { list: [{ to: 'each' }] },
});

describe('a run that asked much', () => {
  it('still tells what became of its first questions, also after a restart', async () => {
    let box = testbox({ graphs: [graph] });
    const run = await box.start(graph, { people: 130 });
    const asked = await run.settled();
    if (asked.status !== 'suspended') throw new Error(asked.status);
    const [first, ...rest] = asked.requests.map(({ id }) => id);
    const values = { yes: true };
    await box.answer(first!, { values, key: 'first' });
    for (const id of rest.slice(0, 120)) await box.answer(id, { values });
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(box.answer(first!, { values: { yes: false } })).rejects.toMatchObject({ code: 'AlreadyAnswered' });
      await box.answer(first!, { values, key: 'first' });
      box = await box.restart();
    }
    for (const id of rest.slice(120)) await box.answer(id, { values });
    expect(await box.get(run.id).settled()).toMatchObject({ status: 'completed' });
    const refused = [];
    for await (const { type, data } of box.get(run.id).events())
      if (type === 'request.refused') refused.push(data.code);
    expect(refused).toEqual(['AlreadyAnswered', 'AlreadyAnswered']);
    await box.close();
  });

  it('closes all of its questions at once, and each is told as withdrawn', async () => {
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, { people: 130 });
    const asked = await run.settled();
    if (asked.status !== 'suspended') throw new Error(asked.status);
    await run.cancel({ reason: 'enough' });
    for (const { id } of [asked.requests[0]!, asked.requests.at(-1)!])
      await expect(box.answer(id, { values: { yes: true } })).rejects.toMatchObject({ code: 'RequestClosed' });
    expect((await box.get(run.id).view()).requests).toEqual([]);
    await box.close();
  });
});
