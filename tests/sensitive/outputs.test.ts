import { exportRun } from '@signalbox/runtime';
import { createWorld, scriptedModel, Testbox } from '@signalbox/testkit';
import { createMemoryStore, defineGraph, type RunHandle } from 'signalbox';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { plainText } from '../simulation/sim/plain.ts';

const sensitive = { sensitive: true };
const TOKEN = 'tok-5up3r-s3cr3t';
const Access = z.object({ user: z.string(), token: z.string().meta(sensitive), level: z.number().meta(sensitive) });

/** A box, and all that it told or kept. */
function deskOf(options: object = {}) {
  const world = createWorld({ chain: true });
  const told: string[] = [];
  const observer = {
    committed: (commit: unknown, run: object) => void told.push(JSON.stringify(commit), plainText(run as never)),
    onError: (error: unknown) => void told.push(String(error), JSON.stringify(error)),
    text: (_: unknown, delta: string) => void told.push(delta),
  };
  const box = new Testbox({ ...options, observer }, world);
  const leaks = async (run: RunHandle<unknown>, ...values: string[]): Promise<string[]> => {
    const kept: string[] = [];
    const store = createMemoryStore({ shared: world.data });
    for await (const line of exportRun(store, run.id, { madeAt: '2026-01-01T00:00:00.000Z' })) kept.push(line);
    for await (const event of run.events()) kept.push(JSON.stringify(event));
    for (const view of [await run.view(), await run.state()]) kept.push(JSON.stringify(view));
    return values.flatMap(value => sightings([...told, ...kept].join('\n'), value));
  };
  return { box, told, leaks };
}

/** Where a value stands, with what is around it. */
function sightings(text: string, value: string): string[] {
  const at = text.indexOf(value);
  return at < 0 ? [] : [text.slice(Math.max(0, at - 200), at + 200)];
}

async function dataOf(run: { events(): AsyncIterable<{ type: string; data: object }> }, type: string) {
  const found: object[] = [];
  for await (const event of run.events()) if (event.type === type) found.push(event.data);
  return found;
}

/** Logs in, and goes on with what that gave. */
function entry(seen: unknown[] = []) {
  const builder = defineGraph({
    name: 'entry',
    input: z.object({}),
    state: z.object({ header: z.string().optional() }),
  });
  const login = builder.step(
    {
      output: Access,
      update: { header: 'output.token' },
      decides: { point: 'level', chosen: 'output.level', options: ['none'] },
    },
    async ctx => {
      const got = await ctx.run('log in', () => ({ session: { id: 'ses-of-ada', key: TOKEN }, level: 7 }));
      seen.push(got);
      return { user: 'ada', token: got.session.key, level: got.level };
    },
  );
  const use = builder.step(({ input: _, given, state }) => {
    seen.push(given, state.header);
    return { with: state.header };
  });
  return builder.build({
    entry: 'login',
    nodes: { login, use },
    routes: { login: [{ to: 'use', when: 'output.level > 3 && size(output.token) > 3' }, { to: 'end' }] },
  });
}

describe('what an output schema marks', () => {
  it('is sealed where the node, its operations, routes, decisions and state say it, and clear for handlers and guards', async () => {
    const seen: unknown[] = [];
    const { box, leaks } = deskOf({ graphs: [entry(seen)] });
    const run = await box.start('entry', {});
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { with: '***' } });
    const access = { user: 'ada', token: TOKEN, level: 7 };
    expect(seen).toEqual([{ session: { id: 'ses-of-ada', key: TOKEN }, level: 7 }, access, TOKEN]);
    expect(await dataOf(run, 'node.succeeded')).toMatchObject([
      { output: { user: 'ada', token: '***', level: '***' } },
      { output: { with: '***' } },
    ]);
    expect((await dataOf(run, 'op.recorded'))[0]).toMatchObject({ value: '***' });
    expect((await dataOf(run, 'decision.made'))[0]).toMatchObject({ chosen: '***', options: ['none'] });
    expect((await dataOf(run, 'route.decided'))[0]).toMatchObject({
      looked: [{ held: true, values: { 'output.level': '***', 'output.token': '***' } }],
    });
    expect(await run.state()).toEqual({ header: '***' });
    expect(await leaks(run, TOKEN)).toEqual([]);
  });

  it('is there for whoever takes the run over, and what was recorded before the output is', async () => {
    const seen: unknown[] = [];
    const builder = defineGraph({ name: 'waits', input: z.object({}) });
    const login = builder.step({ output: Access }, async ctx => {
      const token = await ctx.run('log in', () => TOKEN);
      const { action } = (await ctx.ask('sure', { kind: 'confirmation', title: 'Sure?' })) as { action: string };
      seen.push(token, action);
      return { user: 'ada', token, level: 1 };
    });
    const { box, leaks } = deskOf({ graphs: [builder.build({ entry: 'login', nodes: { login }, routes: {} })] });
    const run = await box.start('waits', {});
    await run.settled();
    expect(await leaks(run, TOKEN)).toEqual([]);
    const again = await box.restart();
    const same = again.get(run.id);
    const opened = (await dataOf(same, 'request.opened')).length;
    expect(opened).toBe(1);
    await same.answer({ action: 'approve' });
    expect(await same.settled()).toMatchObject({ output: { user: 'ada', token: '***', level: '***' } });
    expect(seen).toEqual([TOKEN, 'approve']);
    expect(await leaks(same, TOKEN)).toEqual([]);
  });

  it('stays sealed in forks and rollbacks that come before it, with all that was done beyond their point', async () => {
    const builder = defineGraph({ name: 'pays', input: z.object({}) });
    const login = builder.step({ output: Access }, async ctx => {
      const first = await ctx.run('look', () => ({ of: TOKEN }));
      await ctx.ask('sure', { kind: 'confirmation', title: 'Sure?' });
      const token = await ctx.run('log in', () => TOKEN, { once: true });
      await ctx.ask('really', { kind: 'confirmation', title: 'Really?' });
      return { user: 'ada', token: first.of === token ? token : '', level: 1 };
    });
    const { box, leaks } = deskOf({ graphs: [builder.build({ entry: 'login', nodes: { login }, routes: {} })] });
    const run = await box.start('pays', {});
    await run.settled();
    const at = (await run.view()).seq;
    await run.answer({ action: 'approve' });
    await run.settled();
    const fork = await run.fork({ at, effects: 'ask' });
    await fork.settled();
    await fork.answer({ action: 'approve' });
    await fork.settled();
    expect(JSON.stringify(await dataOf(fork, 'request.opened'))).toContain('"about":"doubt"');
    await run.rollback(at, { effects: 'ask' });
    expect(await run.settled()).toMatchObject({ status: 'suspended' });
    expect(await leaks(fork, TOKEN)).toEqual([]);
    expect(await leaks(run, TOKEN)).toEqual([]);
  });

  it('is sealed in what subgraphs, maps and fallbacks give, and in the output of the graph', async () => {
    const inner = defineGraph({ name: 'inner', input: z.object({}) });
    const make = inner.step({ output: Access }, () => ({ user: 'ada', token: TOKEN, level: 7 }));
    const child = inner.build({
      entry: 'make',
      nodes: { make },
      routes: {},
      output: { access: 'output', token: 'output.token' },
    });
    const builder = defineGraph({ name: 'outer', input: z.object({}) });
    const sub = builder.subgraph(child, { input: {} });
    const body = builder.step({ output: z.number().meta(sensitive) }, ({ given }) => 40 + Number(given));
    const all = builder.map({ items: '[1, 2]', body });
    const fails = builder.step({ fallback: 'other' }, () => {
      throw new Error('no');
    });
    const other = builder.step({ output: z.object({ code: z.string().meta(sensitive) }) }, () => ({ code: 'x7' }));
    const graph = builder.build({
      entry: 'sub',
      nodes: { sub, all, fails, other },
      routes: { sub: [{ to: 'all' }], all: [{ to: 'fails', when: 'size(output) == 2' }, { to: 'other' }] },
      output: { code: 'output.code' },
    });
    const { box, leaks } = deskOf({ graphs: [graph] });
    const run = await box.start(graph, {});
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { code: '***' } });
    const outputs = (await dataOf(run, 'node.succeeded')) as { node: string; output: unknown }[];
    expect(outputs.map(({ node, output }) => [node, output])).toMatchObject([
      ['make', { user: 'ada', token: '***', level: '***' }],
      ['sub', { access: { user: 'ada', token: '***', level: '***' }, token: '***' }],
      [expect.any(String), '***'],
      [expect.any(String), '***'],
      ['all', ['***', '***']],
      ['fails', { code: '***' }],
    ]);
    expect(await leaks(run, TOKEN)).toEqual([]);
  });

  it('is sealed in what a signal carries, for a node and for a handler that waits', async () => {
    const seen: unknown[] = [];
    const builder = defineGraph({ name: 'signals', input: z.object({}) });
    const pin = builder.wait({ signal: 'pin', schema: z.object({ pin: z.number().meta(sensitive) }) });
    const code = builder.step(async ctx => {
      const value = await ctx.signal('code', z.object({ code: z.string().meta(sensitive), of: z.string() }));
      seen.push(ctx.given, value);
      return value;
    });
    const graph = builder.build({ entry: 'pin', nodes: { pin, code }, routes: { pin: [{ to: 'code' }] } });
    const { box, leaks } = deskOf({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    await run.signal('pin', { pin: 42 });
    await vi.waitFor(async () => expect(await dataOf(run, 'op.intended')).toHaveLength(2));
    const again = await box.restart();
    await again.get(run.id).signal('code', { code: TOKEN, of: 'ada' });
    expect(await again.get(run.id).settled()).toMatchObject({ output: { code: '***', of: 'ada' } });
    expect(seen).toEqual([{ pin: 42 }, { code: TOKEN, of: 'ada' }]);
    expect(await dataOf(again.get(run.id), 'signal.received')).toMatchObject([
      { value: { pin: '***' } },
      { value: { code: '***', of: 'ada' } },
    ]);
    expect((await dataOf(again.get(run.id), 'node.succeeded'))[0]).toMatchObject({ output: { pin: '***' } });
    expect(await leaks(again.get(run.id), TOKEN)).toEqual([]);
  });
});

describe('what the schemas of a contract mark', () => {
  const Reply = z.object({ user: z.string(), token: z.string().meta(sensitive), pin: z.number().meta(sensitive) });
  const reply = { user: 'ada', token: TOKEN, pin: 42 };

  it('is sealed in the reply of an agent, whose text is shown when it is there', async () => {
    const contract = { version: '1.0', agent_name: 'clerk', allowed_tools: [] };
    const stricter = { ...contract, output_schema: z.toJSONSchema(Reply) as never };
    for (const declared of ['node', 'contract']) {
      const builder = defineGraph({ name: 'agent', input: z.object({}) });
      const common = { model: 'test/one', prompt: 'Go.' };
      const work =
        declared === 'node'
          ? builder.agent({ ...common, contract, output: Reply })
          : builder.agent({ ...common, contract: stricter });
      const seen: unknown[] = [];
      const last = builder.step(({ given }) => void seen.push(given));
      const graph = builder.build({ entry: 'work', nodes: { work, last }, routes: { work: [{ to: 'last' }] } });
      const models = scriptedModel(['It is tok-5up3r-s3cr3t, I think.', JSON.stringify(reply)]);
      const { box, told, leaks } = deskOf({ graphs: [graph], models });
      const run = await box.start(graph, {});
      expect(await run.settled()).toMatchObject({ status: 'completed' });
      expect(seen).toEqual([reply]);
      expect((await dataOf(run, 'node.succeeded'))[0]).toMatchObject({
        output: { user: 'ada', token: '***', pin: '***' },
      });
      expect(await leaks(run, TOKEN)).toEqual([]);
      expect(told.join('\n')).not.toContain(':42');
    }
  });

  it('is sealed in arguments and results of tools, also inside lists, and in the question whether one may be called', async () => {
    const seen: unknown[] = [];
    const card = z.object({ cards: z.array(z.object({ number: z.string().meta(sensitive) })) });
    const given = z.object({ keys: z.array(z.string()).meta(sensitive), of: z.string() });
    const builder = defineGraph({ name: 'tools', input: z.object({}) });
    const work = builder.agent({
      model: 'test/one',
      prompt: 'Go.',
      contract: {
        version: '1.0',
        agent_name: 'clerk',
        allowed_tools: [
          {
            name: 'pay',
            effect: 'once',
            approval: true,
            input_schema: z.toJSONSchema(card) as never,
            output_schema: z.toJSONSchema(given) as never,
          },
        ],
      },
      tools: {
        pay: args => {
          seen.push(args);
          return { keys: [TOKEN], of: 'ada' };
        },
      },
    });
    const graph = builder.build({ entry: 'work', nodes: { work }, routes: {} });
    const args = { cards: [{ number: 'card 4711 0815' }] };
    const models = scriptedModel([{ calls: [{ tool: 'pay', arguments: args }] }, `Paid with ${TOKEN}.`]);
    const { box, leaks } = deskOf({ graphs: [graph], models });
    const run = await box.start(graph, {});
    await run.settled();
    expect(JSON.stringify(await box.inbox())).not.toContain('card 4711');
    await run.answer({ action: 'approve' });
    expect(await run.settled()).toMatchObject({ output: 'Paid with ***.' });
    expect(seen).toEqual([args]);
    expect(JSON.stringify(await dataOf(run, 'op.recorded'))).toContain('"keys":["***"],"of":"ada"');
    expect(await leaks(run, TOKEN, 'card 4711')).toEqual([]);
  });
});

describe('a value that is known to be sensitive', () => {
  it('is masked in what an operation gives that no schema describes', async () => {
    const builder = defineGraph({ name: 'echo', input: z.object({ word: z.string().meta(sensitive) }) });
    const step = builder.step(async ctx => {
      const echo = await ctx.run('echo', () => ({ said: `it is ${ctx.input.word}`, list: [ctx.input.word], n: 1 }));
      return echo.n;
    });
    const { box, leaks } = deskOf({ graphs: [builder.build({ entry: 'step', nodes: { step }, routes: {} })] });
    const run = await box.start('echo', { word: TOKEN });
    await run.settled();
    expect((await dataOf(run, 'op.recorded'))[0]).toMatchObject({
      value: { said: 'it is ***', list: ['***'], n: 1 },
    });
    expect(await leaks(run, TOKEN)).toEqual([]);
  });
});
