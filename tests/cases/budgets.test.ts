import { scriptedModel } from '@signalbox/testkit';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, createLab, STORES } from './testing/lab.ts';

const CONTRACT = { agent_name: 'writer', allowed_tools: [], budgets: { run: { tokens: 1_000 } } };

/** Four model calls in a row, with a form between the first and the second. */
function writing() {
  const desk = defineGraph({ name: 'writing', input: z.object({}) });
  const write = (text: string) =>
    desk.agent({ model: 'test/one', contract: CONTRACT, prompt: text, maxOutputTokens: 10 });
  return desk.build({
    entry: 'first',
    nodes: {
      first: write('1'),
      check: desk.ask({ title: 'Go on?', form: z.object({ note: z.string().default('') }) }),
      second: write('2'),
      third: write('3'),
      fourth: write('4'),
    },
    routes: {
      first: [{ to: 'check' }],
      check: [{ to: 'second' }],
      second: [{ to: 'third' }],
      third: [{ to: 'fourth' }],
    },
  });
}

const says = (tokens: number) => ({ text: 'Fine.', usage: { input: tokens - 5, output: 5 } });

describe.each(STORES)('on %s', store => {
  it('C35 a budget counts across suspension, restart and fork', async () => {
    const graph = writing();
    const lab = createLab(store);
    const before = scriptedModel([says(800)]);
    const box = lab.open({ graphs: [graph], models: before });
    const started = await box.start(graph, {});
    const [request] = (await started.settled()).requests;

    const after = scriptedModel([says(150), says(100), says(50)]);
    const again = await lab.restart(box, { graphs: [graph], models: after });
    await again.answer(request!.id, { values: { note: '' }, as: 'user:finn' });
    const run = again.get(started.id);
    const view = await run.settled();
    expect(view).toMatchObject({
      status: 'failed',
      error: {
        code: 'BudgetExceeded',
        details: { account: 'agent:writer', limit: 'tokens', allowed: 1_000, used: 1_050 },
      },
    });
    const used = async (id: string) => {
      const spent = (await all(again.get(id).events())).filter(({ type }) => type === 'budget.spent');
      return spent.reduce((sum, { data }) => sum + (data.amounts as { tokens: number }).tokens, 0);
    };
    // The third call was still within what was reserved, the fourth was not begun.
    expect(await used(started.id)).toBe(1_050);
    expect(after.left).toBe(1);

    // A fork takes over what was spent up to its point; what the run before it spent stays as it is.
    const asked = (await all(run.events())).find(({ type }) => type === 'request.opened')!;
    const fork = await run.fork({ at: asked.seq });
    expect(await fork.view()).toMatchObject({ status: 'suspended' });
    expect(await used(started.id)).toBe(1_050);
  });
});
