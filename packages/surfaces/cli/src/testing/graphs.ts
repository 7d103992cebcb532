/** A question between two nodes that need no code. */
export const DESK = `name: desk
entry: prepare
input: { type: object, required: [message], properties: { message: { type: string } } }
state: { type: object, properties: { amount: { type: number } } }
nodes:
  prepare: { type: transform, output: { text: "'about: ' + input.message" } }
  review:
    type: ask
    request:
      kind: form
      title: How much do we refund?
      purpose: pays the customer
      assignees: [role:finance]
      fields:
        - { name: amount, type: number, label: Amount, required: true, min: 0, max: 500 }
        - { name: note, type: text, label: Note }
      proposal: { values: { amount: 20 }, confidence: 0.4 }
    update: { amount: output.values.amount }
  done: { type: transform, output: { reply: "'refunded ' + string(state.amount)" } }
  refused: { type: fail, code: Refused, message: nobody wants to pay }
routes:
  prepare: [{ to: review }]
  review: [{ to: done, on: [approve, edit], when: has(state.amount) }, { to: refused, on: reject }, { to: end }]
`;

/** Waits for a signal, then for a moment. */
export const WAITER = `name: waiter
entry: bell
nodes:
  bell: { type: wait, signal: bell }
  moment: { type: wait, for: 300ms }
  done: { type: transform, output: { rung: nodes.bell.output } }
routes:
  bell: [{ to: moment }]
  moment: [{ to: done }]
`;

/** Two handlers that write what they do into a file beside this one; the second takes a minute, the first time only. */
export const CODE_GRAPH = `import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { defineGraph } from 'signalbox';
import { z } from 'zod';

const begun = new URL('begun.txt', import.meta.url);
const done = new URL('done.txt', import.meta.url);
const slow = defineGraph({ name: 'slow', input: z.object({}) });
const first = slow.step(async ctx => {
  await ctx.run('pay', () => appendFileSync(done, 'paid '), { once: true });
});
const second = slow.step(async () => {
  const isFirstTime = !existsSync(begun);
  writeFileSync(begun, '');
  if (isFirstTime) await new Promise(resolve => setTimeout(resolve, 60_000));
  appendFileSync(done, 'sent ');
  return { ok: true };
});
export const graph = slow.build({ entry: 'first', nodes: { first, second }, routes: { first: [{ to: 'second' }] } });
`;

/** A question, then a handler: whoever answers needs the code. */
export const ASK_THEN_CODE = `import { defineGraph } from 'signalbox';
import { z } from 'zod';

const desk = defineGraph({ name: 'paid', input: z.object({}) });
const ask = desk.ask({ title: 'Pay?', form: z.object({ how: z.enum(['card', 'cash']), sum: z.number() }) });
const pay = desk.step(async () => ({ paid: true }));
export const graph = desk.build({ entry: 'ask', nodes: { ask, pay }, routes: { ask: [{ to: 'pay', on: 'approve' }] } });
`;

/** An agent whose one call never comes back, so that nobody knows what became of it; with the model that asks for it. */
export const PAYING_AGENT = `import { defineConfig, defineGraph } from 'signalbox';
import { scriptedModel } from '@signalbox/testkit';
import { z } from 'zod';

const desk = defineGraph({ name: 'payer', input: z.object({}) });
const work = desk.agent({
  model: 'test/one',
  prompt: 'Pay.',
  timeout: '1h',
  tools: { pay: () => new Promise(() => {}) },
  contract: {
    version: '1.0',
    agent_name: 'payer',
    allowed_tools: [
      { name: 'pay', effect: 'once', timeout: '50ms', sensitive: ['pin'], input_schema: { type: 'object' } },
    ],
  },
});
export const graph = desk.build({ entry: 'work', nodes: { work }, routes: {} });
export default defineConfig({
  graphs: [graph],
  models: scriptedModel([{ calls: [{ tool: 'pay', arguments: { order: 'R-17', pin: '48151623' } }] }, 'Paid.']),
});
`;
