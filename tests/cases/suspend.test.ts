import { append, defineGraph, type RunHandle, type Signalbox } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, codeOf, createLab, STORES, until } from './testing/lab.ts';

async function typesOf(run: RunHandle<unknown>): Promise<string[]> {
  return (await all(run.events())).map(event => event.type);
}

async function statusOf(run: RunHandle<unknown>, status: string) {
  return await until(async () => {
    const view = await run.view();
    return view.status === status && view;
  });
}

describe.each(STORES)('on %s', store => {
  it('C01 work done ahead of a wait is not repeated when the answer arrives', async () => {
    let calls = 0;
    const desk = defineGraph({
      name: 'refund',
      input: z.object({}),
      state: z.object({ amount_ok: z.boolean().optional(), reason: z.string().optional() }),
    });
    const graph = desk.build({
      entry: 'review',
      nodes: {
        review: desk.step(async ctx => {
          await ctx.run('post_notice', () => {
            calls += 1;
            return { text: 'Refund R-17 waits' };
          });
          const first = await ctx.ask('amount', { title: 'Amount?', form: z.object({ amount_ok: z.boolean() }) });
          const second = await ctx.ask('why', { title: 'Why?', form: z.object({ reason: z.string() }) });
          ctx.update({ ...first.values, ...second.values });
        }),
      },
      routes: {},
    });
    const lab = createLab(store);
    const box = lab.open({ graphs: [graph] });
    const { id } = await box.start(graph, {});
    await box.get(id).settled();
    await box.get(id).answer({ values: { amount_ok: true } });
    await box.get(id).settled();
    const later = await lab.restart(box, { graphs: [graph] });
    await later.get(id).answer({ values: { reason: '重複扣款' } });
    expect((await later.get(id).settled()).status).toBe('completed');
    expect(calls).toBe(1);
    expect(await later.get(id).state()).toEqual({ amount_ok: true, reason: '重複扣款' });
    const told = (await typesOf(later.get(id))).filter(type => type === 'op.recorded' || type === 'request.answered');
    expect(told).toEqual(['op.recorded', 'request.answered', 'request.answered']);
  });

  function mapOfQuestions(nested: boolean) {
    const inner = defineGraph({ name: 'cities', input: z.object({}) });
    const cities = inner.build({
      entry: 'each',
      nodes: {
        each: inner.map({
          items: '["Oslo", "Quito", "臺北"]',
          body: inner.ask({ title: '{{given}}?', form: z.object({ ok: z.boolean() }) }),
        }),
      },
      routes: {},
    });
    if (!nested) return cities;
    const outer = defineGraph({ name: 'travel', input: z.object({}) });
    return outer.build({ entry: 'inner', nodes: { inner: outer.subgraph(cities) }, routes: {} });
  }

  it.each([false, true])(
    'C03 an answer that names no question is refused when several are open (in a subgraph: %s)',
    async nested => {
      const box = createLab(store).open();
      const run = await box.start(mapOfQuestions(nested), {});
      const { requests } = await run.settled();
      expect(requests).toHaveLength(3);
      const before = await typesOf(run);
      await expect(run.answer({ values: { ok: true } })).rejects.toMatchObject({
        code: 'AmbiguousTarget',
        details: { open: requests.map(request => request.id) },
      });
      expect((await typesOf(run)).filter(type => type === 'request.answered')).toEqual([]);
      expect(await typesOf(run)).toEqual(before);
      await run.answer({ request: requests[1]!.id, values: { ok: true } });
      const after = await run.settled();
      expect(after).toMatchObject({ status: 'suspended' });
      expect(after.requests.map(request => request.id)).toEqual([requests[0]!.id, requests[2]!.id]);
    },
  );

  it('C04 a parallel block waits for every suspended branch', async () => {
    let sums = 0;
    const desk = defineGraph({
      name: 'wages',
      input: z.object({}),
      state: z.object({ wage: z.number().default(80) }),
    });
    const hours = () =>
      desk.step(async ctx => {
        const answer = await ctx.ask('hours', { title: ctx.node.name, form: z.object({ hours: z.number() }) });
        return ctx.state.wage * ('hours' in answer.values ? answer.values.hours : 0);
      });
    const graph = desk.build({
      entry: 'fork',
      nodes: {
        fork: desk.transform({}),
        A: hours(),
        B: hours(),
        sum: desk.step({ join: 'all' }, ctx => {
          sums += 1;
          const branches = ctx.given as readonly { output: number }[];
          return branches.reduce((total, branch) => total + branch.output, 0);
        }),
      },
      routes: { fork: [{ to: ['A', 'B'] }], A: [{ to: 'sum' }], B: [{ to: 'sum' }] },
    });
    const box = createLab(store).open();
    const run = await box.start(graph, {});
    const asked = (await run.settled()).requests;
    const idOf = (title: string) => asked.find(request => request.title === title)!.id;
    await box.answer(idOf('A'), { values: { hours: 3 } });
    const half = await run.settled();
    expect(half.status).toBe('suspended');
    expect(half.requests.map(request => request.title)).toEqual(['B']);
    expect(sums).toBe(0);
    const done = (await all(run.events())).filter(event => event.type === 'node.succeeded');
    expect(done.map(event => [event.data.node, event.data.output])).toContainEqual(['A', 240]);
    await box.answer(idOf('B'), { values: { hours: 5 } });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 640 });
    expect(sums).toBe(1);
    const inputs = (await all(run.events())).filter(
      event => event.type === 'node.succeeded' && event.data.node === 'B',
    );
    expect(inputs.map(event => event.data.output)).toEqual([400]);
  });

  it('C05 false, 0, empty text and empty lists are real answers and real state', async () => {
    const desk = defineGraph({
      name: 'signup',
      input: z.object({}),
      state: z.object({
        subscribe: z.boolean().optional(),
        discount: z.number().optional(),
        note: z.string().optional(),
        tags: z.array(z.string()).optional(),
      }),
    });
    const graph = desk.build({
      entry: 'form',
      nodes: {
        form: desk.ask({
          title: 'Sign up',
          fields: [
            { name: 'subscribe', type: 'boolean', default: true },
            { name: 'discount', type: 'number', min: 0, max: 50, default: 10 },
            { name: 'note', type: 'text', default: 'n/a', min: 0 },
            { name: 'tags', type: 'multiselect', options: ['x', 'y'], min: 0, default: ['x'] },
          ],
          update: {
            subscribe: 'output.values.subscribe',
            discount: 'output.values.discount',
            note: 'output.values.note',
            tags: 'output.values.tags',
          },
        }),
        quiet: desk.transform({}),
        loud: desk.transform({}),
      },
      routes: { form: [{ to: 'quiet', when: 'has(state.subscribe) && state.subscribe == false' }, { to: 'loud' }] },
    });
    const lab = createLab(store);
    const box = lab.open({ graphs: [graph] });
    const given = { subscribe: false, discount: 0, note: '', tags: [] };
    const first = await box.start(graph, {});
    await first.settled();
    await first.answer({ values: given });
    await first.settled();
    const second = await box.start(graph, {});
    await second.settled();
    await second.answer({ values: { subscribe: true } });
    await second.settled();
    const third = await box.start(graph, {});
    await third.settled();
    await expect(third.answer({ values: { subscribe: null } })).rejects.toMatchObject({
      code: 'InvalidAnswer',
      details: { issues: [expect.objectContaining({ pointer: '/subscribe' })] },
    });

    const later = await lab.restart(box, { graphs: [graph] });
    expect(await later.get(first.id).state()).toEqual(given);
    expect(await later.get(first.id).view()).toMatchObject({ status: 'completed', requests: [] });
    expect((await all(later.get(first.id).events())).some(event => event.data.node === 'quiet')).toBe(true);
    expect(await later.get(second.id).state()).toEqual({ subscribe: true, discount: 10, note: 'n/a', tags: ['x'] });
    expect((await later.get(third.id).view()).requests).toHaveLength(1);
  });

  it('C06 cancel and decline are not checked against the form', async () => {
    const desk = defineGraph({
      name: 'order',
      input: z.object({}),
      state: z.object({ qty: z.number().optional() }),
    });
    const graph = desk.build({
      entry: 'form',
      nodes: {
        form: desk.ask({
          title: 'How many?',
          form: z.object({ qty: z.int().min(1).max(9) }),
          update: { qty: 'output.values.qty' },
        }),
        accepted: desk.transform({}),
        declined: desk.transform({}),
        cancelled: desk.transform({}),
      },
      routes: {
        form: [
          { to: 'accepted', on: ['approve', 'edit'] },
          { to: 'declined', on: 'reject' },
          { to: 'cancelled', on: 'cancel' },
        ],
      },
    });
    const box = createLab(store).open();
    const fresh = async () => {
      const run = await box.start(graph, {});
      await run.settled();
      return run;
    };
    const wentTo = async (run: RunHandle<unknown>) =>
      (await all(run.events())).filter(event => event.type === 'route.decided').map(event => event.data.to)[0];
    const a = await fresh();
    await a.answer({ action: 'cancel' });
    expect(await wentTo(a)).toEqual(['cancelled']);
    const b = await fresh();
    await b.answer({ action: 'decline', values: null });
    expect(await wentTo(b)).toEqual(['declined']);
    const c = await fresh();
    await expect(c.answer({ action: 'accept', values: {} })).rejects.toMatchObject({
      code: 'InvalidAnswer',
      details: { issues: [expect.objectContaining({ pointer: '/qty' })] },
    });
    expect((await c.view()).requests).toHaveLength(1);
    expect(await wentTo(c)).toBeUndefined();
    const refused = c.answer({ action: 'accept', values: { qty: 0 } });
    await expect(refused).rejects.toMatchObject({
      details: { issues: [{ pointer: '/qty', message: expect.stringContaining('1') }] },
    });
    expect((await c.view()).requests).toHaveLength(1);
    await c.answer({ action: 'accept', values: { qty: 4 } });
    expect(await wentTo(c)).toEqual(['accepted']);
    expect(await c.state()).toEqual({ qty: 4 });
  });

  function twoHumanSteps() {
    const desk = defineGraph({
      name: 'steps',
      input: z.object({}),
      state: z.object({ seen: append(z.array(z.string())) }),
    });
    const seen = (name: string) => desk.transform({ update: { seen: `["${name}"]` } });
    const human = (title: string) =>
      desk.ask({ title, kind: 'confirmation', deadline: { after: '10m', onExpire: 'route' } });
    return desk.build({
      entry: 'h1',
      nodes: {
        h1: human('h1'),
        h1yes: seen('h1.yes'),
        h1no: seen('h1.no'),
        h1late: seen('h1.on_timeout'),
        h2: human('h2'),
        h2yes: seen('h2.yes'),
        h2no: seen('h2.no'),
        h2late: seen('h2.on_timeout'),
      },
      routes: {
        h1: [{ to: 'h1yes', on: ['approve', 'edit'] }, { to: 'h1late', on: 'expired' }, { to: 'h1no' }],
        h1yes: [{ to: 'h2' }],
        h2: [{ to: 'h2yes', on: ['approve', 'edit'] }, { to: 'h2late', on: 'expired' }, { to: 'h2no' }],
      },
    });
  }

  it('C07 a human step leaves by exactly one route, including the timeout route', async () => {
    const graph = twoHumanSteps();
    const lab = createLab(store);
    const box = lab.open();
    const fresh = async () => {
      const run = await box.start(graph, {});
      await run.settled();
      return run;
    };
    const silent = await fresh();
    await lab.clock.advance(10 * 60_000);
    await statusOf(silent, 'completed');
    expect(await silent.state()).toEqual({ seen: ['h1.on_timeout'] });

    const both = await fresh();
    await both.answer({ action: 'approve' });
    await both.settled();
    await both.answer({ action: 'reject' });
    await both.settled();
    expect(await both.state()).toEqual({ seen: ['h1.yes', 'h2.no'] });

    const justInTime = await fresh();
    await lab.clock.advance(10 * 60_000 - 1);
    await justInTime.answer({ action: 'reject' });
    await justInTime.settled();
    expect(await justInTime.state()).toEqual({ seen: ['h1.no'] });

    const tooLate = await fresh();
    await lab.clock.advance(10 * 60_000 + 1);
    const asked = (await all(tooLate.events())).find(event => event.type === 'request.opened')!;
    expect(await codeOf(box.answer(asked.data.request as string, { action: 'approve' }))).toBe('RequestExpired');
    await statusOf(tooLate, 'completed');
    expect(await tooLate.state()).toEqual({ seen: ['h1.on_timeout'] });
  });

  it('C08 the losing side of a race is closed at once', async () => {
    const desk = defineGraph({ name: 'pay', input: z.object({}) });
    const graph = desk.build({
      entry: 'wait',
      nodes: {
        wait: desk.wait({
          first: {
            paid: { signal: 'payment_ok' },
            human: { ask: { title: 'Override?', form: z.object({ override: z.boolean() }) } },
            late: { for: '1h' },
          },
        }),
      },
      routes: {},
    });
    const lab = createLab(store);
    const box = lab.open();
    const run = await box.start(graph, {});
    const [asked] = (await run.settled()).requests;
    await lab.clock.advance(5_000);
    await run.signal('payment_ok', { order: 88 });
    expect(await run.settled()).toMatchObject({
      status: 'completed',
      endedAt: '2026-03-02T08:00:05.000Z',
      output: { winner: 'paid', value: { order: 88 } },
    });
    expect((await box.inbox()).rows).toEqual([]);
    expect(await box.store.request(asked!.id)).toMatchObject({ status: 'superseded' });
    expect(await box.store.run(run.id)).toMatchObject({ dueAt: null });
    const before = await run.view();
    expect(await codeOf(box.answer(asked!.id, { values: { override: true } }))).toBe('RequestClosed');
    expect(await run.view()).toMatchObject({
      status: 'completed',
      ...('output' in before ? { output: before.output } : {}),
    });
    const openAt = async (at: string) => {
      const events = (await all(run.events())).filter(event => event.at <= at);
      return (
        events.filter(event => event.type === 'request.opened').length -
        events.filter(event => event.type === 'request.withdrawn').length
      );
    };
    expect(await openAt('2026-03-02T08:00:04.000Z')).toBe(1);
    expect(await openAt('2026-03-02T08:00:06.000Z')).toBe(0);
    const withdrawn = (await all(run.events())).find(event => event.type === 'request.withdrawn');
    expect(withdrawn?.data.reason).toBe('superseded');
  });
});

describe('C09 "wait until 09:00" means 09:00 in the declared zone, on any server', () => {
  const asked = [
    ['a', 'Asia/Taipei', { until: '2026-05-04T09:00:00' }, '2026-05-04T01:00:00.000Z'],
    ['b', 'Asia/Taipei', { until: '2026-05-04T09:00:00+02:00' }, '2026-05-04T07:00:00.000Z'],
    ['c', 'Asia/Taipei', { for: 'PT5M' }, '2026-03-02T08:05:00.000Z'],
    ['d', 'America/New_York', { until: '2026-03-08T02:30:00' }, '2026-03-08T07:30:00.000Z'],
    ['e', 'America/New_York', { until: '2026-11-01T01:30:00' }, '2026-11-01T05:30:00.000Z'],
  ] as const;

  it.each(['UTC', 'America/New_York', 'Pacific/Kiritimati'])('C09 on a server in %s', async zone => {
    const before = process.env.TZ;
    process.env.TZ = zone;
    try {
      for (const store of STORES) {
        const box = createLab(store).open();
        for (const [name, graphZone, wait, woken] of asked) {
          expect([name, await wakesAt(box, graphZone, wait)]).toEqual([name, Date.parse(woken)]);
        }
      }
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  async function wakesAt(box: Signalbox, zone: string, wait: { until: string } | { for: string }) {
    const desk = defineGraph({ name: `wait ${zone}`.replaceAll(/\W/g, '-'), input: z.object({}), zone });
    const graph = desk.build({ entry: 'wait', nodes: { wait: desk.wait(wait) }, routes: {} });
    const run = await box.start(graph, {});
    await run.settled();
    return (await box.store.run(run.id))?.dueAt;
  }
});

it('C07 a definition whose timeout label is unknown fails at load', async () => {
  const { loadGraph } = await import('signalbox');
  const { definition, faults } = loadGraph(`
name: late
entry: h1
nodes:
  h1: { type: ask, request: { kind: confirmation, title: Go on?, deadline: { after: 10m, onExpire: route } } }
routes:
  h1: [{ to: end, on: on_timeout }, { to: end }]
`);
  expect(definition).toBeUndefined();
  expect(faults.map(fault => fault.line)).toContain(7);
});
