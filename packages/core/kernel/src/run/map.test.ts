import { describe, expect, it } from 'vitest';
import type { GraphDefinition, MapNode, NodeDefinition } from '../graph/definition.ts';
import type { JsonValue } from '../json/value.ts';
import { broken, done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const ask: NodeDefinition = {
  type: 'ask',
  request: { kind: 'form', title: 'Sure?', fields: [{ name: 'ok', type: 'boolean', label: 'OK', required: true }] },
};
const input = { type: 'object', required: ['items'], properties: { items: { type: 'array' } } };
const LOG = { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' as const };

function mapping(map: Partial<MapNode> = {}, more: Partial<GraphDefinition> = {}): GraphDefinition {
  return graph({
    input,
    nodes: { each: { type: 'map', items: 'input.items', body: { node: step }, ...map }, report: step },
    routes: { each: [{ to: ['report'] }] },
    ...more,
  });
}

const double: Script = {
  body: ({ input: item }) => done((item as number) * 2),
  report: ({ input: list }) => done(list),
};

describe('a map', () => {
  it('C12: results line up with their items; an empty map gives an empty list', () => {
    for (const order of ['first', 'last'] as const)
      for (const concurrency of [1, 3]) {
        const s = new Scenario(mapping({ concurrency }), double, order).start({ items: [30, 10, 20] });
        expect(s.run.output).toEqual([60, 20, 40]);
      }
    const small: Script = {
      ...double,
      body: ({ input: item }) => (item === 10 ? broken('E_SMALL') : done((item as number) * 2)),
    };
    const collected = new Scenario(mapping({ onError: 'collect' }), small).start({ items: [30, 10, 20] });
    expect(collected.run.output).toEqual([60, { error: { code: 'E_SMALL', message: 'E_SMALL happened' } }, 40]);
    const empty = new Scenario(mapping({ onError: 'collect' }), double).start({ items: [] });
    expect(empty.run.output).toEqual([]);
    expect(empty.started('report')).toHaveLength(1);
  });

  it('fixes its items when it starts', () => {
    const definition = mapping(
      { items: 'state.todo', body: { node: { ...step, update: { todo: "['more']" } } } },
      { state: { todo: { ...LOG, schema: { ...LOG.schema, default: ['a', 'b'] } } } },
    );
    const s = new Scenario(definition).start({ items: [] });
    expect(s.started('body')).toHaveLength(2);
    expect(s.state()).toEqual({ todo: ['a', 'b', 'more', 'more'] });
  });

  it('counts items that execute: a suspended one frees its place', () => {
    const s = new Scenario(mapping({ concurrency: 1, body: { node: ask } })).start({ items: [1, 2, 3] });
    expect(s.open).toEqual(['each#1*.0/body', 'each#1*.1/body', 'each#1*.2/body']);
    const busy = new Scenario(mapping({ concurrency: 2 }), { body: () => 'busy' }).start({ items: [1, 2, 3] });
    expect(busy.started('body')).toHaveLength(2);
    busy.finish('body', done());
    expect(busy.started('body')).toHaveLength(3);
  });

  it('C03: an answer that names no question is refused when several are open', () => {
    const inner = graph({
      name: 'inner',
      input,
      nodes: { each: { type: 'map', items: 'input.items', body: { node: ask } } },
    });
    const around = graph({
      input,
      nodes: { sub: { type: 'subgraph', graph: 'inner', input: { items: 'input.items' } } },
      graphs: { inner },
    });
    for (const definition of [mapping({ body: { node: ask } }), around]) {
      const s = new Scenario(definition).start({ items: ['Oslo', 'Quito', '臺北'] });
      const ids = [...s.run.requests.keys()];
      const refused = s.tryAnswer(undefined, { values: { ok: true } });
      expect(refused.refusal?.code).toBe('AmbiguousTarget');
      expect(refused.refusal?.details.open).toEqual(ids);
      expect(refused.events).toEqual([]);
      expect(s.run.requests.size).toBe(3);
      expect(s.status).toBe('suspended');
      s.answer(ids[1], { values: { ok: true } });
      expect([...s.run.requests.keys()]).toEqual([ids[0], ids[2]]);
      s.answer(ids[0], { values: { ok: true } });
      s.answer(undefined, { values: { ok: true } });
      expect(s.status).toBe('completed');
    }
  });

  it('merges the writes of its items at its end, in index order', () => {
    const definition = mapping(
      { body: { node: { ...step, update: { log: '[string(item)]' } } } },
      { state: { log: LOG } },
    );
    for (const order of ['first', 'last'] as const) {
      const s = new Scenario(definition, {}, order).start({ items: ['x', 'y', 'z'] });
      expect(s.state()).toEqual({ log: ['x', 'y', 'z'] });
      expect(s.of('state.changed')).toHaveLength(4);
    }
  });

  it('drops the writes of items that failed, under collect', () => {
    const definition = mapping(
      { onError: 'collect', body: { node: { ...step, update: { log: '[string(item)]' } } } },
      { state: { log: LOG } },
    );
    const s = new Scenario(definition, { body: ({ input: item }) => (item === 'y' ? broken('E') : done(item)) });
    expect(s.start({ items: ['x', 'y', 'z'] }).state()).toEqual({ log: ['x', 'z'] });
  });

  it('names key and writers when two items wrote one plain key', () => {
    const byHandler = mapping({}, { state: { only: { schema: { type: 'string', default: 'as it was' } } } });
    const s = new Scenario(byHandler, { body: ({ input: item }) => done(item, { only: String(item) }) }).start({
      items: ['x', 'y'],
    });
    expect(s.run.error).toMatchObject({
      code: 'StateConflictError',
      details: { key: 'only', writers: ['body', 'body'] },
    });
    expect(s.state()).toEqual({ only: 'as it was' });
    expect(s.send({ type: 'retry', reason: 'again' }).refusal?.code).toBe('CannotRetry');
  });

  it('fails by default with the first item that fails: the others park, and a retry runs only what failed', () => {
    let fails = true;
    const s = new Scenario(mapping({ concurrency: 2 }), {
      ...double,
      body: ({ input: item }) => (item === 10 && fails ? broken('E_SMALL') : done((item as number) * 2)),
    }).start({ items: [30, 10, 20] });
    expect(s.status).toBe('failed');
    expect(s.run.error?.code).toBe('E_SMALL');
    expect(s.started('body')).toHaveLength(3);
    fails = false;
    s.act({ type: 'retry', reason: 'mended' });
    expect(s.run.output).toEqual([60, 20, 40]);
    expect(s.started('body')).toHaveLength(4);
    expect(s.started('each')).toHaveLength(1);
  });

  it('hands its failure to its own on: failed route, which withdraws what the items still ask', () => {
    const definition = mapping(
      { body: { node: ask } },
      { routes: { each: [{ to: ['report'], on: ['failed'] }, { to: ['end'] }] } },
    );
    const s = new Scenario(definition).start({ items: [1, 2] });
    s.act({ type: 'jump', token: 'each#1*.0', to: 'body', reason: 'anew' });
    expect(s.run.requests.size).toBe(2);
    const bodies = mapping(
      {
        body: {
          node: {
            ...ask,
            request: { ...(ask as { request: object }).request, deadline: { after: '1h', onExpire: 'fail' } },
          } as NodeDefinition,
        },
      },
      { routes: { each: [{ to: ['report'], on: ['failed'] }, { to: ['end'] }] } },
    );
    const late = new Scenario(bodies).start({ items: [1, 2] });
    late.answer('each#1*.0/body', { values: { ok: true } }).advance(3_600_000);
    expect(late.status).toBe('completed');
    expect(late.started('report')).toHaveLength(1);
    expect(late.run.requests.size).toBe(0);
  });

  it('gives each item of a graph body its own state and its own visits', () => {
    const item = graph({
      name: 'item',
      input: {},
      state: { n: { schema: { type: 'integer' }, reducer: 'sum' } },
      nodes: { tick: { ...step, update: { n: '1' } } },
      routes: { tick: [{ to: ['tick'], when: 'state.n < 8' }, { to: ['end'] }] },
      output: { n: 'state.n' },
    });
    const s = new Scenario(mapping({ body: { graph: 'item' } }, { graphs: { item } }), {
      report: ({ input: list }) => done(list),
    }).start({ items: [1, 2, 3] });
    expect(s.run.output).toEqual([{ n: 8 }, { n: 8 }, { n: 8 }]);
  });

  it('closes what a failed item of a graph body left open, under collect', () => {
    const item = graph({
      name: 'item',
      input: {},
      nodes: { split: step, a: ask, b: step, J: { ...step, join: 'all' } },
      routes: { split: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['J'] }] },
    });
    const s = new Scenario(mapping({ onError: 'collect', body: { graph: 'item' } }, { graphs: { item } }), {
      b: () => broken('E_B'),
      report: ({ input: list }) => done(list),
    }).start({ items: [1, 2] });
    const error = { error: { code: 'E_B', message: 'E_B happened' } };
    expect(s.run.output).toEqual([error, error]);
    expect(s.run.requests.size).toBe(0);
    expect(s.run.scopes.size).toBe(1);
  });

  it('maps inside a map, each with its own index', () => {
    const rows: NodeDefinition = {
      type: 'map',
      items: 'input.items',
      body: {
        node: { type: 'map', items: 'item', body: { node: { type: 'transform', output: { v: 'item', i: 'index' } } } },
      },
    };
    const s = new Scenario(graph({ input, nodes: { rows } })).start({ items: [['a', 'b'], [], ['c']] });
    expect(s.run.output).toEqual([
      [
        { v: 'a', i: 0 },
        { v: 'b', i: 1 },
      ],
      [],
      [{ v: 'c', i: 0 }],
    ]);
  });

  it('shows item and index in the whole of a graph body, forks in it included, and not in graphs further in', () => {
    const inner = graph({
      name: 'inner',
      input: {},
      nodes: { x: { type: 'transform', output: { has: "'nothing'" } } },
    });
    const item = graph({
      name: 'item',
      input: {},
      nodes: {
        split: { type: 'transform', output: { v: 'item' } },
        l: { type: 'transform', output: { l: 'item' } },
        r: { type: 'transform', output: { r: 'index' } },
        deep: { type: 'subgraph', graph: 'inner' },
        J: { type: 'join' },
      },
      routes: { split: [{ to: ['l', 'r', 'deep'] }], l: [{ to: ['J'] }], r: [{ to: ['J'] }], deep: [{ to: ['J'] }] },
      graphs: { inner },
    });
    const s = new Scenario(mapping({ body: { graph: 'item' } }, { graphs: { item } }), {
      report: ({ input: list }) => done(list),
    }).start({ items: ['a', 'b'] });
    expect(s.run.error).toBeUndefined();
    const lists = s.run.output as { output: unknown }[][];
    expect(lists.map(list => list.map(({ output }) => output))).toEqual([
      [{ l: 'a' }, { r: 0 }, { has: 'nothing' }],
      [{ l: 'b' }, { r: 1 }, { has: 'nothing' }],
    ]);
  });

  it('refuses more items than maxItems, naming the limit', () => {
    const s = new Scenario(mapping({ maxItems: 2 })).start({ items: [1, 2, 3] });
    expect(s.run.error).toMatchObject({ code: 'LimitReached' });
    expect(s.run.error?.message).toContain('maxItems = 2');
    expect(s.of('limit.reached')).toMatchObject([{ limit: 'maxItems', value: 2 }]);
    expect(s.started('body')).toEqual([]);
  });

  it('holds tokens of items at work only', () => {
    const items: JsonValue[] = Array.from({ length: 60 }, (_, index) => index);
    let most = 0;
    const s = new Scenario(mapping({ concurrency: 5 }), {
      ...double,
      body: ({ input: item }) => {
        most = Math.max(most, s.run.tokens.size);
        return done((item as number) * 2);
      },
    });
    s.start({ items });
    expect(s.run.output).toEqual(items.map(item => (item as number) * 2));
    expect(most).toBeLessThanOrEqual(6);
  });
});
