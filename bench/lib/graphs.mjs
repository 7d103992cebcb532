/** The workloads as graphs. Limits are set so high that none is met. */
import { append, defineGraph } from 'signalbox';
import { z } from 'zod';
import { item } from './data.mjs';

const LIMITS = { maxSteps: 1_000_000, maxVisits: 1_000_000 };

const state = z.object({
  big: z.string().default(''),
  n: z.number().default(0),
  items: append(z.array(z.string())),
  answer: z.string().optional(),
});
const input = z.object({ big: z.string(), limit: z.number() });

const counted = ({ state, update }) => update({ n: state.n + 1, items: [item(state.n)] });

function loop(name, work, last = 'end') {
  const graph = defineGraph({ name, input, state, limits: LIMITS });
  const begin = graph.step(({ input, update }) => update({ big: input.big }));
  const question = graph.ask({ title: 'Go on?' });
  return graph.build({
    entry: 'begin',
    nodes: { begin, count: graph.step(work), ...(last === 'end' ? {} : { question }) },
    routes: {
      begin: [{ to: 'count' }],
      count: [{ to: 'count', when: 'state.n < input.limit' }, { to: last }],
    },
    output: { n: 'state.n' },
  });
}

/** W1, W3, W5: 8 KB that stay and one item of 100 bytes more per step. */
export const counter = loop('counter', counted);

/** W1b: the item of each step is the result of an operation that is done once. */
export const onceCounter = loop('once-counter', async ({ state, update, run }) => {
  const made = await run('make', () => item(state.n), { once: true });
  update({ n: state.n + 1, items: [made] });
});

/** A run that stops at a question after its steps. */
export const waitingCounter = loop('waiting-counter', counted, 'question');

/** W2: three steps, a question, two steps. */
export const question = (() => {
  const graph = defineGraph({ name: 'question', input, state, limits: LIMITS });
  const begin = graph.step(({ input, state, update }) => update({ big: input.big, n: state.n + 1, items: [item(0)] }));
  const step = () => graph.step(counted);
  return graph.build({
    entry: 'a',
    nodes: {
      a: begin,
      b: step(),
      c: step(),
      approval: graph.ask({ title: 'Approve?', update: { answer: 'output.action' } }),
      d: step(),
      e: step(),
    },
    routes: {
      a: [{ to: 'b' }],
      b: [{ to: 'c' }],
      c: [{ to: 'approval' }],
      approval: [{ to: 'd', on: ['approve'] }],
      d: [{ to: 'e' }],
      e: [{ to: 'end' }],
    },
    output: { n: 'state.n', answer: 'state.answer' },
  });
})();

/** W6: one item of 100 bytes from each of many. */
export const fanOut = (() => {
  const graph = defineGraph({ name: 'fan-out', input: z.object({ xs: z.array(z.number()) }), limits: LIMITS });
  const body = graph.step(({ given }) => ({ i: given, v: item(given) }));
  return graph.build({
    entry: 'fan',
    nodes: {
      fan: graph.map({ items: 'input.xs', body, concurrency: 10 }),
      join: graph.transform({ output: { count: 'size(output)' } }),
    },
    routes: { fan: [{ to: 'join' }], join: [{ to: 'end' }] },
  });
})();

export const ROLES = ['finance', 'legal', 'risk'];

/** W7: a question to each of the roles; `started` is told of the run whose node behind it starts. */
export const approvals = started =>
  Object.fromEntries(
    ROLES.map(role => {
      const graph = defineGraph({ name: `approval-${role}`, input: z.object({}) });
      const built = graph.build({
        entry: 'prepare',
        nodes: {
          prepare: graph.step(() => ({ order: 'R-17' })),
          approve: graph.ask({ title: `Go on, ${role}?`, assign: `role:${role}` }),
          carryOut: graph.step(({ run }) => void started(run.id)),
        },
        routes: { prepare: [{ to: 'approve' }], approve: [{ to: 'carryOut', on: ['approve'] }, { to: 'end' }] },
      });
      return [role, built];
    }),
  );
