import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import type { JsonValue } from '../json/value.ts';
import { done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const state: GraphDefinition['state'] = {
  plain: { schema: { type: 'string', default: 'old' } },
  list: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
  map: { schema: { type: 'object', additionalProperties: { type: 'integer' } }, reducer: 'merge' },
  sum: { schema: { type: 'integer' }, reducer: 'sum' },
  low: { schema: { type: 'number' }, reducer: 'min' },
  high: { schema: { type: 'number' }, reducer: 'max' },
};
const forked = graph({
  state,
  nodes: { start: step, a: step, b: step, J: { ...step, join: 'all' } },
  routes: { start: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['J'] }] },
});

describe('the state', () => {
  it('starts with the default of its schema, else empty under append, merge and sum, else absent', () => {
    expect(new Scenario(graph({ state, nodes: { a: step } })).start().state()).toEqual({
      plain: 'old',
      list: [],
      map: {},
      sum: 0,
    });
  });

  it('takes writes by the reducer of each key, as deltas', () => {
    const script: Script = {
      start: () => done(null, { plain: 'p', list: ['s'], map: { s: 1, x: 1 }, sum: 1, low: 5, high: 5 }),
      a: () => done(null, { list: ['a'], map: { a: 1, x: 2 }, sum: 2, low: 3, high: 7 }),
      b: () => done(null, { list: ['b'], map: { b: 1, x: 3 }, sum: 3, low: 4, high: 6 }),
    };
    for (const order of ['first', 'last'] as const) {
      const s = new Scenario(forked, script, order).start();
      expect(s.state()).toEqual({
        plain: 'p',
        list: ['s', 'a', 'b'],
        map: { s: 1, a: 1, b: 1, x: 3 },
        sum: 6,
        low: 3,
        high: 7,
      });
      const merged = s
        .of('state.changed')
        .filter(({ token }) => token === '')
        .at(-1)!;
      expect(merged.changes.filter(({ key }) => key === 'list').map(({ value }) => value)).toEqual([['a'], ['b']]);
    }
  });

  it('C10: two branches writing one plain key is an error that names key and writers, not a race', () => {
    const script: Script = {
      a: () => done(null, { plain: 'ok', list: ['A'] }),
      b: () => done(null, { plain: 'late', list: ['B'] }),
    };
    for (let round = 0; round < 20; round += 1) {
      const s = new Scenario(forked, script, round % 2 === 0 ? 'first' : 'last').start();
      expect(s.run.error).toMatchObject({ code: 'StateConflictError', details: { key: 'plain', writers: ['a', 'b'] } });
      expect(s.run.error?.message).toContain('"plain"');
      expect(s.state()).toMatchObject({ plain: 'old', list: [] });
      expect(s.of('node.failed').map(({ node }) => node)).toEqual(['J']);
    }
    const without: Script = { a: () => done(null, { list: ['A'] }), b: () => done(null, { list: ['B'] }) };
    for (const order of ['first', 'last'] as const)
      expect(new Scenario(forked, without, order).start().state().list).toEqual(['A', 'B']);
  });

  it('C10: the conflict can be handled by the on: failed route of the join', () => {
    const definition = {
      ...forked,
      nodes: { ...forked.nodes, saved: step },
      routes: { ...forked.routes, J: [{ to: ['saved'], on: ['failed' as const] }, { to: ['end'] }] },
    };
    const same: Script = { a: () => done(null, { plain: 'x' }), b: () => done(null, { plain: 'x' }) };
    const s = new Scenario(definition, same).start();
    expect(s.status).toBe('completed');
    expect(s.started('saved')).toHaveLength(1);
    expect(s.state().plain).toBe('old');
  });

  it('keeps the fold small: an event holds what was added, not the list', () => {
    const definition = graph({
      state: { list: state.list! },
      nodes: { a: { ...step, update: { list: "['x']" } } },
      routes: { a: [{ to: ['a'], when: 'run.step < 8' }, { to: ['end'] }] },
    });
    const s = new Scenario(definition).start();
    expect(s.state().list).toHaveLength(8);
    for (const { changes } of s.of('state.changed')) expect(changes).toMatchObject([{ op: 'append', value: ['x'] }]);
  });

  it('refuses unknown and dangerous keys and invalid values: the node fails and nothing is written', () => {
    const writes: [JsonValue, string][] = [
      [{ list: ['ok'], nope: 1 }, 'UnknownStateKey'],
      [JSON.parse('{"__proto__": 1}') as JsonValue, 'UnknownStateKey'],
      [{ constructor: 1 }, 'UnknownStateKey'],
      [{ map: JSON.parse('{"__proto__": 1}') as JsonValue }, 'InvalidState'],
      [{ list: ['ok', 3] }, 'InvalidState'],
      [{ list: 'ok' }, 'InvalidState'],
      [{ sum: 1.5 }, 'InvalidState'],
      [{ plain: 7 }, 'InvalidState'],
    ];
    for (const [write, code] of writes) {
      const s = new Scenario(graph({ state, nodes: { a: step } }), {
        a: () => done(null, write as Record<string, JsonValue>),
      }).start();
      expect([write, s.run.error?.code]).toEqual([write, code]);
      expect(s.of('state.changed')).toEqual([]);
    }
  });

  it('is frozen for a handler when its node starts; refresh is a journaled read of what it is now', () => {
    const seen: JsonValue[] = [];
    const s = new Scenario(graph({ state, nodes: { a: step } }), {
      a: ({ state: now, task }) => {
        seen.push(now.plain!);
        const refreshed = task.execution!.journal.get('refresh#1')?.value as { plain: string } | undefined;
        return refreshed === undefined ? 'busy' : done(refreshed.plain);
      },
    }).start();
    s.act({ type: 'edit', set: { plain: 'edited' }, reason: 'test' });
    s.report({ token: '', node: 'a', visit: 1 }, { ops: [{ type: 'refresh', op: 'refresh#1' }] });
    s.turn('a');
    expect(seen).toEqual(['old', 'old']);
    expect(s.run.output).toBe('edited');
  });

  it('C05: false, 0, empty text and empty lists are real answers and real state', () => {
    const definition = graph({
      state: {
        subscribe: { schema: { type: 'boolean' } },
        discount: { schema: { type: 'number' } },
        note: { schema: { type: 'string' } },
        tags: { schema: { type: 'array', items: { type: 'string' } } },
      },
      nodes: {
        ask: {
          type: 'ask',
          request: {
            kind: 'form',
            title: 'Subscribe?',
            fields: [
              { name: 'subscribe', type: 'boolean', label: 'Subscribe', default: true },
              { name: 'discount', type: 'number', label: 'Discount', default: 10, min: 0, max: 50 },
              { name: 'note', type: 'text', label: 'Note', default: 'n/a' },
              { name: 'tags', type: 'multiselect', label: 'Tags', default: ['x'], options: ['x', 'y'], min: 0 },
            ],
          },
          update: Object.fromEntries(
            ['subscribe', 'discount', 'note', 'tags'].map(key => [key, `output.values.${key}`]),
          ),
        },
        quiet: step,
        loud: step,
      },
      routes: { ask: [{ to: ['quiet'], when: 'output.values.subscribe == false' }, { to: ['loud'] }] },
    });
    const falsy = { subscribe: false, discount: 0, note: '', tags: [] };
    const one = new Scenario(definition).start().answer('ask', { values: falsy });
    expect(one.state()).toEqual(falsy);
    expect(one.started()).toEqual(['ask', 'quiet']);
    expect(one.open).toEqual([]);
    const two = new Scenario(definition).start().answer('ask', { values: { subscribe: true } });
    expect(two.state()).toEqual({ subscribe: true, discount: 10, note: 'n/a', tags: ['x'] });
    const three = new Scenario(definition).start();
    const refused = three.tryAnswer('ask', { values: { subscribe: null } });
    expect(refused.refusal?.code).toBe('InvalidAnswer');
    expect(refused.refusal?.details.issues).toMatchObject([{ pointer: '/subscribe' }]);
    expect(three.open).toEqual(['ask']);
  });
});
