import { append, defineGraph, type Graph, type RunHandle, retry, sum } from 'signalbox';
import { type Testbox, testbox } from 'signalbox/testing';
import { z } from 'zod';

/** A history in the making: what was done to the run that it tells. Gives the run's id. */
export type Script = () => Promise<{ readonly box: Testbox; readonly runId: string }>;

const START = '2026-03-02T08:00:00.000Z';
const open = (graphs: readonly unknown[]) => testbox({ chain: true, start: START, graphs: graphs as never[] });
const confirmation = (title: string) => ({ kind: 'confirmation' as const, title });

async function begin(graph: { readonly name: string }, input: unknown = {}) {
  const box = open([graph]);
  const run: RunHandle<unknown> = await box.start<unknown, unknown>(graph.name, input);
  await box.settle();
  return { box, run, done: { box, runId: run.id } };
}

function stepsGraph() {
  const desk = defineGraph({
    name: 'steps',
    input: z.object({ order: z.string() }),
    state: z.object({ amount: sum(z.number()), trail: append(z.array(z.string())) }),
  });
  return desk.build({
    entry: 'classify',
    nodes: {
      classify: desk.step(async ctx => {
        const guess = await ctx.run('guess', () => ({ intent: 'refund', confidence: 0.9 }));
        ctx.decide('intent', { chosen: guess.intent, options: ['refund', 'faq'], confidence: guess.confidence });
        ctx.update({ trail: ['classify'] });
        return guess;
      }),
      pay: desk.step(async ctx => {
        await ctx.run('pay', () => 'paid 審批', { once: true });
        ctx.update({ amount: 19.99, trail: ['pay'] });
      }),
      reply: desk.transform({ output: { text: "'Refunded ' + input.order" } }),
    },
    routes: {
      classify: [{ to: 'pay', when: "output.intent == 'refund'", because: 'money moves' }, { to: 'reply' }],
      pay: [{ to: 'reply' }],
    },
  });
}

function forkGraph() {
  const desk = defineGraph({
    name: 'forked',
    input: z.object({}),
    state: z.object({ log: append(z.array(z.string())) }),
  });
  const branch = (name: string) => desk.step(ctx => ctx.update({ log: [name] }));
  return desk.build({
    entry: 'fork',
    nodes: {
      fork: desk.transform({ output: { n: '1' } }),
      left: branch('left'),
      right: desk.ask(confirmation('Right?')),
      gone: branch('gone'),
      joined: desk.join(),
    },
    routes: {
      fork: [{ to: ['left', 'right', 'gone'] }],
      left: [{ to: 'joined' }],
      right: [{ to: 'joined' }],
      gone: [{ to: 'end' }],
    },
  });
}

function mapGraph() {
  const inner = defineGraph({ name: 'item', input: z.any(), state: z.object({ seen: append(z.array(z.number())) }) });
  const body = inner.build({
    entry: 'twice',
    nodes: {
      twice: inner.step(ctx => {
        const item = ctx.input as number;
        if (item === 10) throw Object.assign(new Error('too small'), { code: 'E_SMALL' });
        ctx.update({ seen: [item] });
        return item * 2;
      }),
    },
    routes: {},
  });
  const desk = defineGraph({
    name: 'mapped',
    input: z.object({}),
    state: z.object({ seen: append(z.array(z.number())) }),
  });
  return desk.build({
    entry: 'each',
    nodes: { each: desk.map({ items: '[30, 10, 20]', body, share: ['seen'], onError: 'collect' }) },
    routes: {},
  });
}

function restartGraph() {
  const desk = defineGraph({
    name: 'restarted',
    input: z.object({}),
    state: z.object({ city: z.string().optional() }),
  });
  return desk.build({
    entry: 'search',
    nodes: {
      search: desk.step(ctx => ({ pass: ctx.answers.length })),
      ask: desk.ask({
        title: 'Which city?',
        form: z.object({ city: z.string() }),
        update: { city: 'output.values.city' },
        resume: { mode: 'restart' },
      }),
      done: desk.transform({}),
    },
    routes: { search: [{ to: 'ask', when: 'size(answers) == 0' }, { to: 'done' }], ask: [{ to: 'done' }] },
  });
}

function compensatedGraph() {
  const desk = defineGraph({ name: 'compensated', input: z.object({}) });
  return desk.build({
    entry: 'book',
    nodes: {
      book: desk.step({ compensate: () => undefined }, () => 'booked'),
      hotel: desk.step({ compensate: () => undefined }, () => 'reserved'),
      pay: desk.fail({ code: 'E_CARD', message: 'refused' }),
    },
    routes: { book: [{ to: 'hotel' }], hotel: [{ to: 'pay' }] },
  });
}

function waitGraph() {
  const desk = defineGraph({ name: 'waits', input: z.object({}) });
  return desk.build({
    entry: 'first',
    nodes: {
      first: desk.wait({
        first: { paid: { signal: 'paid' }, late: { for: '1h' }, human: { ask: confirmation('Override?') } },
      }),
      rest: desk.wait({ for: '30m' }),
      escalates: desk.ask({
        ...confirmation('Approve?'),
        assign: 'role:clerk',
        deadline: { after: '1h', onExpire: 'escalate', to: 'role:lead' },
      }),
    },
    routes: { first: [{ to: 'rest' }], rest: [{ to: 'escalates' }] },
  });
}

function limitGraph() {
  const desk = defineGraph({ name: 'limited', input: z.object({}), state: z.object({ count: z.number().default(0) }) });
  return desk.build({
    entry: 'tick',
    nodes: {
      tick: desk.transform({ limits: { maxVisits: 3 }, update: { count: 'state.count + 1' } }),
      gaveUp: desk.transform({}),
    },
    routes: { tick: [{ to: 'end', when: 'state.count >= 100' }, { to: 'tick' }, { to: 'gaveUp', on: 'limit' }] },
  });
}

function retriedGraph() {
  const desk = defineGraph({ name: 'retried', input: z.object({}) });
  return desk.build({
    entry: 'flaky',
    nodes: {
      flaky: desk.step({ retry: { attempts: 3, backoff: '2s', jitter: 0 } }, ctx =>
        ctx.node.attempt < 3 ? retry() : 'third',
      ),
      broken: desk.step({ fallback: 'standIn' }, () => {
        throw Object.assign(new Error('down'), { code: 'E_DOWN' });
      }),
      standIn: desk.transform({ output: { from: "'cache'" } }),
      failing: desk.fail({ code: 'E_LAST' }),
      mended: desk.step(ctx => ctx.error?.code),
    },
    routes: {
      flaky: [{ to: 'broken' }],
      broken: [{ to: 'failing' }],
      standIn: [{ to: 'failing' }],
      failing: [{ to: 'mended', on: 'failed' }],
    },
  });
}

function askGraph() {
  const desk = defineGraph({ name: 'asks', input: z.object({}), state: z.object({ qty: z.number().optional() }) });
  return desk.build({
    entry: 'form',
    nodes: {
      form: desk.ask({
        title: '數量?',
        form: z.object({ qty: z.int().min(1).max(9) }),
        update: { qty: 'output.values.qty' },
      }),
      once: desk.step(ctx => ctx.run('send', () => new Promise<string>(() => {}), { once: true, timeout: '1h' })),
    },
    routes: { form: [{ to: 'once' }] },
  });
}

/** Name → the graph of its run. */
export const GRAPHS: Readonly<Record<string, () => Graph>> = {
  steps: stepsGraph,
  'forked-waiting': forkGraph,
  'forked-joined': forkGraph,
  mapped: mapGraph,
  restarted: restartGraph,
  compensated: compensatedGraph,
  waits: waitGraph,
  limited: limitGraph,
  retried: retriedGraph,
  'refused-doubted-cancelled': askGraph,
  controlled: askGraph,
  forkedRun: askGraph,
};

const AS = { as: 'user:finn' } as const;

/** Name → how the history came about. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  steps: async () => (await begin(stepsGraph(), { order: 'R-17' })).done,
  'forked-waiting': async () => (await begin(forkGraph())).done,
  'forked-joined': async () => {
    const { run, box, done } = await begin(forkGraph());
    await run.answer({ action: 'approve', note: 'fine', ...AS });
    await box.settle();
    return done;
  },
  mapped: async () => (await begin(mapGraph())).done,
  restarted: async () => {
    const { run, box, done } = await begin(restartGraph());
    await run.answer({ values: { city: '臺北' }, key: 'k1', ...AS });
    await box.settle();
    return done;
  },
  compensated: async () => (await begin(compensatedGraph())).done,
  waits: async () => {
    const { run, box, done } = await begin(waitGraph());
    await run.signal('paid', { order: 88 }, { id: 'm1', ...AS });
    await box.advance('30m');
    await box.advance('61m');
    await run.signal('early', null, AS);
    return done;
  },
  limited: async () => (await begin(limitGraph())).done,
  retried: async () => {
    const { box, done } = await begin(retriedGraph());
    await box.advance('1m');
    return done;
  },
  'refused-doubted-cancelled': async () => {
    const { run, box } = await begin(askGraph());
    await run.answer({ values: { qty: 0 }, ...AS }).catch(() => undefined);
    await run.answer({ values: { qty: 4 }, ...AS });
    await box.settle();
    const next = await box.restart();
    await next.get(run.id).cancel({ reason: 'enough', ...AS });
    await next.settle();
    return { box: next, runId: run.id };
  },
  controlled: async () => {
    const { run, box, done } = await begin(askGraph());
    await run.pause({ reason: 'look', ...AS });
    await run.edit({ qty: 7 }, { reason: 'by hand', ...AS });
    await run.note('a note', AS);
    await run.resume(AS);
    await run.rollback(3, { reason: 'again', ...AS });
    await box.settle();
    await run.jump('form', { reason: 'back', ...AS });
    await box.settle();
    return done;
  },
  forkedRun: async () => {
    const { run, box } = await begin(askGraph());
    await run.answer({ values: { qty: 4 }, ...AS });
    await box.settle();
    const child = await run.fork({ at: 4, reason: 'what if', ...AS });
    await box.settle();
    return { box, runId: child.id };
  },
};
