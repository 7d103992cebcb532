import { createWorld, Testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';

/** A run that asks once it is let go. */
function scene() {
  let letGo = () => {};
  const gate = new Promise<void>(resolve => {
    letGo = resolve;
  });
  const graph = defineGraph({ name: 'asking', input: z.object({}) });
  const before = graph.step(async ctx => {
    await ctx.run('wait', () => gate.then(() => null));
    return null;
  });
  const ask = graph.ask({ title: 'How much?', form: z.object({ amount: z.number().max(500) }) });
  const built = graph.build({ entry: 'before', nodes: { before, ask }, routes: { before: [{ to: 'ask' }] } });
  return { graph: built, letGo };
}

const RUN = 'run_0199c3aa-0000-7000-8000-000000000000';

/** The id that the question of {@link RUN} will have: derived from what is asked where, so it can be known beforehand. */
async function knownId(): Promise<string> {
  const { graph, letGo } = scene();
  letGo();
  const box = new Testbox({ graphs: [graph] }, createWorld());
  await box.engine.start(graph as never, {}, { runId: RUN });
  const view = await box.get(RUN).settled();
  return view.status === 'suspended' ? view.requests[0]!.id : '';
}

async function executing() {
  const { graph, letGo } = scene();
  const world = createWorld();
  const box = new Testbox({ graphs: [graph] }, world);
  await box.engine.start(graph as never, {}, { runId: RUN });
  await box.settle();
  return { box, world, letGo, run: box.get(RUN) };
}

async function count(box: Testbox, type: string): Promise<number> {
  let number = 0;
  for await (const event of box.get(RUN).events()) if (event.type === type) number += 1;
  return number;
}

const FINN = 'user:finn';
const turn = () => new Promise(resolve => setTimeout(resolve, 50));

describe('an answer that is earlier than its question', () => {
  it('is kept until the question is opened, and counts then', async () => {
    const request = await knownId();
    const { box, letGo, run } = await executing();
    const answered = run.answer({ request, values: { amount: 5 }, as: FINN });
    await turn();
    expect(await count(box, 'request.answered')).toBe(0);
    letGo();
    await answered;
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { values: { amount: 5 } } });
    expect(await count(box, 'request.answered')).toBe(1);
  });

  it('may name the request alone, and come to another process', async () => {
    const request = await knownId();
    const { box, world, letGo, run } = await executing();
    const other = new Testbox({ graphs: [scene().graph] }, world);
    const answered = other.answer(request, { values: { amount: 5 }, as: FINN });
    await turn();
    letGo();
    await answered;
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(await count(box, 'request.answered')).toBe(1);
  });

  it('is refused field by field when the question is there and it does not fit; the question stays open', async () => {
    const request = await knownId();
    const { box, letGo, run } = await executing();
    const answered = run.answer({ request, values: { amount: 501 }, as: FINN });
    const refused = expect(answered).rejects.toMatchObject({
      code: 'InvalidAnswer',
      details: { issues: [{ pointer: '/amount' }] },
    });
    await turn();
    letGo();
    await refused;
    expect(await run.settled()).toMatchObject({ status: 'suspended', requests: [{ id: request }] });
    expect(await count(box, 'request.refused')).toBe(1);
  });

  it('counts once, however many come at the same time', async () => {
    const request = await knownId();
    const { box, letGo, run } = await executing();
    const answers = Array.from({ length: 20 }, (_, index) =>
      run.answer({ request, values: { amount: index }, key: `k${index}`, as: FINN }).then(
        () => 'accepted',
        error => error.code as string,
      ),
    );
    await turn();
    letGo();
    const outcomes = await Promise.all(answers);
    expect(outcomes.filter(outcome => outcome === 'accepted')).toHaveLength(1);
    expect(outcomes.filter(outcome => outcome === 'AlreadyAnswered')).toHaveLength(19);
    expect(await count(box, 'request.answered')).toBe(1);
  });

  it('is refused once its run has come to rest without that question', async () => {
    const { box, letGo, run } = await executing();
    const other = `${(await knownId()).slice(0, -1)}0`;
    const refused = expect(run.answer({ request: other, values: {}, as: FINN })).rejects.toMatchObject({
      code: 'UnknownRequest',
    });
    await turn();
    letGo();
    await refused;
    expect(await count(box, 'request.answered')).toBe(0);
  });

  it('is refused at once where a thousand others are kept already', async () => {
    const { letGo, run } = await executing();
    const id = await knownId();
    const order: string[] = [];
    const send = (request: string, name: string) =>
      run.answer({ request, values: {} }).catch(({ code }) => void order.push(`${name}: ${code}`));
    const kept = Array.from({ length: 1_000 }, (_, index) =>
      send(`${id.slice(0, -4)}${String(index).padStart(4, '0')}`, 'kept'),
    );
    await turn();
    await send(`${id.slice(0, -4)}zzzz`, 'over');
    expect(order).toEqual(['over: UnknownRequest']);
    letGo();
    await Promise.all(kept);
    expect(order).toHaveLength(1_001);
  });

  it('is refused after a moment where nobody knows of such a run', async () => {
    const { box } = await executing();
    const nobodys = `${(await knownId()).slice(0, -1)}0`;
    await expect(box.answer(nobodys, { values: {} })).rejects.toMatchObject({ code: 'UnknownRequest' });
    await expect(box.answer('req_typo', { values: {} })).rejects.toMatchObject({ code: 'UnknownRequest' });
  });
});
