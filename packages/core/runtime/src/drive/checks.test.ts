import { describe, expect, it } from 'vitest';
import { codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld } from '../journal/testing/world.ts';
import type { Check, CheckVerdict } from './driver-deps.ts';

const policy = (before: Check['before']): Check => ({ name: 'policy', before });
const ask: CheckVerdict = { verdict: 'ask', title: 'May it?' };
const breaks = () => {
  throw Object.assign(new Error('no'), { code: 'E_NO' });
};

describe('a check', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a verdict nobody knows', { verdict: 'perhaps' }],
    ['a text', 'allow'],
  ])('that says %s denies', async (_, said) => {
    const world = await startWorld(codeGraph({ a: () => 1 }), { checks: [policy(() => said as never)] });
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { code: 'Denied', permanent: true } });
  });

  it('is asked about the node whose handler runs, also when that is a fallback', async () => {
    const asked: string[] = [];
    const graph = codeGraph(
      { a: breaks, spare: () => 'spare' },
      { nodes: { a: { fallback: { node: 'spare' } } }, routes: {} },
    );
    const check = policy(({ node }) => {
      asked.push(node);
      return node === 'spare' ? ask : { verdict: 'allow' };
    });
    const world = await startWorld(graph, { checks: [check] });
    expect((await world.settled()).status).toBe('suspended');
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toBe('spare');
    expect(asked).toEqual(['a', 'spare']);
  });

  it('denies a fallback by itself', async () => {
    const graph = codeGraph(
      { a: breaks, spare: () => 'spare' },
      { nodes: { a: { fallback: { node: 'spare' } } }, routes: {} },
    );
    const check = policy(({ node }) =>
      node === 'spare' ? { verdict: 'deny', reason: 'no spares' } : { verdict: 'allow' },
    );
    const world = await startWorld(graph, { checks: [check] });
    expect((await world.settled()).error).toMatchObject({
      code: 'Denied',
      message: expect.stringContaining('"spare"'),
    });
  });
});

describe('an approval', () => {
  it.each([
    ['approve', 'E_NO'],
    ['reject', 'Denied'],
  ])('to which somebody said %s serves once: a retry by hand asks anew', async (first, code) => {
    const world = await startWorld(codeGraph({ a: breaks }), { checks: [policy(() => ask)] });
    await world.answer(first);
    expect((await world.settled()).error).toMatchObject({ code });
    await world.run.retry();
    expect(await world.settled()).toMatchObject({ status: 'suspended', requests: [{ title: 'May it?' }] });
    await world.answer();
    expect((await world.settled()).error).toMatchObject({ code: 'E_NO' });
  });

  it('holds for the attempts of its visit, which read what it was given for', async () => {
    let asked = 0;
    const graph = codeGraph({ a: breaks }, { nodes: { a: { retry: { attempts: 3, backoff: '10ms' } } } });
    const check = policy(() => {
      asked += 1;
      return ask;
    });
    const world = await startWorld(graph, { checks: [check] });
    await world.answer();
    await world.box.advance('5s');
    expect((await world.settled()).error).toMatchObject({ code: 'E_NO' });
    expect(asked).toBe(1);
  });

  it('cannot be made by a handler under the name of a check', async () => {
    const graph = codeGraph({ a: ctx => ctx.ask('check:policy', { kind: 'confirmation', title: 'Me' }) });
    const world = await startWorld(graph);
    expect((await world.settled()).error).toMatchObject({ code: 'InvalidValue' });
  });
});

describe('a check before a node that the engine runs itself', () => {
  const graph = () =>
    codeGraph(
      { a: () => 1 },
      {
        nodes: {
          shape: { type: 'transform', output: { n: 'output' } },
          sure: { type: 'ask', request: { kind: 'confirmation', title: 'Sure?' } },
        } as never,
        routes: { a: [{ to: ['shape'] }], shape: [{ to: ['sure'] }] },
      },
    );

  it('is told its type, and denies it', async () => {
    const asked: unknown[] = [];
    const check = policy(({ node, type, input }) => {
      asked.push({ node, type, input });
      return node === 'sure' ? { verdict: 'deny', reason: 'nobody is to be bothered' } : { verdict: 'allow' };
    });
    const world = await startWorld(graph(), { checks: [check] });
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { code: 'Denied' }, requests: [] });
    expect(asked).toMatchObject([
      { node: 'a', type: 'step' },
      { node: 'shape', type: 'transform', input: 1 },
      { node: 'sure', type: 'ask', input: { n: 1 } },
    ]);
    expect(await world.events('decision.made')).toMatchObject([
      { data: { node: 'sure', point: 'check:policy', chosen: 'deny', decidedBy: 'service:policy' } },
    ]);
  });

  it('asks first, and after its approval the node asks its own', async () => {
    const check = policy(({ node }) => (node === 'sure' ? ask : { verdict: 'allow' }));
    const world = await startWorld(graph(), { checks: [check] });
    expect((await world.settled()).requests).toMatchObject([{ title: 'May it?' }]);
    await world.restart();
    await world.answer();
    expect((await world.settled()).requests).toMatchObject([{ title: 'Sure?' }]);
    await world.answer();
    expect(await world.settled()).toMatchObject({ status: 'completed', output: { action: 'approve' } });
  });

  it('pauses the run there, and it goes on when that is resumed', async () => {
    let asked = 0;
    const check = policy(({ node }) => {
      if (node !== 'shape') return { verdict: 'allow' };
      asked += 1;
      return { verdict: 'pause', reason: 'look at it' };
    });
    const world = await startWorld(graph(), { checks: [check] });
    expect(await world.settled()).toMatchObject({ status: 'paused' });
    await world.restart();
    await world.run.resume();
    expect((await world.settled()).requests).toMatchObject([{ title: 'Sure?' }]);
    expect(asked).toBe(1);
  });

  it('is asked by the process that goes on with the run, also when the one before had none', async () => {
    const world = await startWorld(graph());
    expect((await world.settled()).requests).toMatchObject([{ title: 'Sure?' }]);
    const asked: string[] = [];
    world.box = await world.box.restart({
      checks: [
        policy(({ node }) => {
          asked.push(node);
          return { verdict: 'allow' };
        }),
      ],
    });
    await world.run.retry({ node: 'sure' });
    await world.settled();
    await world.answer();
    expect((await world.settled()).status).toBe('completed');
    expect(asked).toEqual(['sure']);
  });
});
