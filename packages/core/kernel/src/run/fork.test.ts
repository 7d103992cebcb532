import { describe, expect, it } from 'vitest';
import type { GraphDefinition, JoinMode, NodeDefinition } from '../graph/definition.ts';
import { broken, done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const ask: NodeDefinition = {
  type: 'ask',
  request: { kind: 'form', title: 'Sure?', fields: [{ name: 'ok', type: 'boolean', label: 'OK', required: true }] },
};
const YES = { values: { ok: true } };

/** start → a, b, c → J → after */
function triple(join: JoinMode, nodes: Record<string, NodeDefinition> = {}, more: Partial<GraphDefinition> = {}) {
  const { routes, ...rest } = more;
  return graph({
    nodes: { start: step, a: step, b: step, c: step, J: { ...step, join }, after: step, ...nodes },
    ...rest,
    routes: {
      start: [{ to: ['a', 'b', 'c'] }],
      a: [{ to: ['J'] }],
      b: [{ to: ['J'] }],
      c: [{ to: ['J'] }],
      J: [{ to: ['after'] }],
      ...routes,
    },
  });
}

describe('a fork and its join', () => {
  it('runs each branch once and the join once, whatever the order in which they end', () => {
    for (const order of ['first', 'last'] as const) {
      const s = new Scenario(triple('all'), {}, order).start();
      expect(s.status).toBe('completed');
      expect([...s.started()].sort()).toEqual(['J', 'a', 'after', 'b', 'c', 'start']);
      expect(s.run.output).toBe('after');
    }
  });

  it('gives the join a list in branch order, and keeps it readable under its name', () => {
    const seen: unknown[] = [];
    const J: NodeDefinition = {
      ...step,
      join: 'all',
      input: { all: 'nodes.J.branches', first: "has(output[0].output) ? output[0].output : ''" },
    };
    const script: Script = {
      c: () => ({ end: { type: 'skipped' } }),
      J: ({ input }) => {
        seen.push(input);
        return done('joined');
      },
    };
    const routes = { b: [{ to: ['end'] }] };
    const out = { branches: 'has(nodes.J) ? nodes.J.branches : []', last: 'output' };
    const s = new Scenario(triple('all', { J }, { routes, output: out }), script, 'last').start();
    const branches = [
      { status: 'arrived', output: 'a' },
      { status: 'ended', output: 'b' },
      { status: 'arrived', output: 'start' },
    ];
    expect(s.run.error).toBeUndefined();
    expect(seen).toEqual([{ all: branches, first: 'a' }]);
    expect(s.run.output).toEqual({ branches, last: 'after' });
  });

  it('gives out the list by itself as a node of type join', () => {
    const s = new Scenario(triple('all', { J: { type: 'join' } }), { after: ({ input }) => done(input) }).start();
    expect(s.run.output).toEqual(['a', 'b', 'c'].map(output => ({ status: 'arrived', output })));
  });

  it('waits under all for every branch that is still alive', () => {
    const s = new Scenario(triple('all'), { b: () => 'busy' }).start();
    expect(s.started()).not.toContain('J');
    expect(s.status).toBe('running');
    expect(s.finish('b', done()).status).toBe('completed');
  });

  it('fires any with the first to arrive and cancels the rest, whose writes are dropped', () => {
    const state = { seen: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' as const } };
    const script: Script = { a: () => 'busy', b: () => done('b', { seen: ['b'] }), c: () => 'busy' };
    const s = new Scenario(triple('any', {}, { state }), script).start();
    expect(s.status).toBe('completed');
    expect(s.state()).toEqual({ seen: ['b'] });
    expect(s.of('node.cancelled').map(({ node }) => node)).toEqual(['a', 'c']);
    expect(s.of('scope.closed')).toHaveLength(1);
  });

  it('withdraws under any the questions of those that came too late', () => {
    const s = new Scenario(triple('any', { a: ask }), { b: () => 'busy', c: () => 'busy' }).start();
    const late = s.asked('a')!;
    s.finish('c', done());
    expect(s.status).toBe('completed');
    expect(s.of('request.withdrawn')).toEqual([{ request: late, reason: 'superseded' }]);
    expect(s.tryAnswer(late, YES).refusal?.code).toBe('RequestClosed');
  });

  it('does not mind under any and count a branch that failed while the number can be met', () => {
    for (const join of ['any', { count: 2 }] as const) {
      const s = new Scenario(triple(join), { a: () => broken('E_A') }).start();
      expect(s.status).toBe('completed');
    }
  });

  it('fails the scope as JoinUnmet, with the causes, once the number is out of reach', () => {
    const s = new Scenario(triple({ count: 2 }), { a: () => broken('E_A'), b: () => broken('E_B') }).start();
    expect(s.run.error?.code).toBe('JoinUnmet');
    expect(JSON.stringify(s.run.error?.details)).toContain('E_A');
    expect(s.started()).not.toContain('J');
  });

  it('counts ended branches as out of reach too, but only once somebody arrived', () => {
    const routes = { a: [{ to: ['end'] }], b: [{ to: ['end'] }] };
    const unmet = new Scenario(triple({ count: 2 }, {}, { routes })).start();
    expect(unmet.run.error?.code).toBe('JoinUnmet');
    const nobody = new Scenario(
      triple({ count: 2 }, {}, { routes: { ...routes, c: [{ to: ['J'], when: 'false' }, { to: ['end'] }] } }),
    ).start();
    expect(nobody.status).toBe('completed');
    expect(nobody.run.completion).toBe('noArrival');
  });

  it('does not run the join when none arrived and none failed: the run completes as noArrival', () => {
    const never = [{ to: ['J'], when: 'false' }, { to: ['end'] }];
    const s = new Scenario(triple('all', {}, { routes: { a: never, b: never, c: never } })).start();
    expect(s.status).toBe('completed');
    expect(s.run.completion).toBe('noArrival');
    expect(s.started()).not.toContain('J');
    expect(s.run.output).toBe('c');
  });

  it('ends a fork without a join when its last branch ends, and merges what the branches wrote', () => {
    const definition = graph({
      state: { n: { schema: { type: 'integer' }, reducer: 'sum' } },
      nodes: { start: step, a: step, b: step },
      routes: { start: [{ to: ['a', 'b'] }] },
    });
    const script: Script = { a: () => done('a', { n: 2 }), b: () => done('b', { n: 3 }) };
    for (const order of ['first', 'last'] as const) {
      const s = new Scenario(definition, script, order).start();
      expect(s.status).toBe('completed');
      expect(s.run.completion).toBeUndefined();
      expect(s.state()).toEqual({ n: 5 });
      expect(s.run.output).toBe('b');
    }
  });

  it('C13: a merge node runs once, whichever of its inputs were active', () => {
    const definition = graph({
      input: { type: 'object', required: ['x', 'y'], properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
      nodes: { start: step, if1: step, if2: step, a: step, b: step, J: { ...step, join: 'all' } },
      routes: {
        start: [{ to: ['if1', 'if2'] }],
        if1: [{ to: ['a'], when: 'input.x > 0' }, { to: ['end'] }],
        if2: [{ to: ['b'], when: 'input.y > 0' }, { to: ['end'] }],
        a: [{ to: ['J'] }],
        b: [{ to: ['J'] }],
      },
    });
    for (const order of ['first', 'last'] as const)
      for (const [x, y, joins] of [
        [1, 1, 1],
        [1, 0, 1],
        [0, 1, 1],
        [0, 0, 0],
      ] as const) {
        const s = new Scenario(definition, {}, order).start({ x, y });
        expect(s.started('J')).toHaveLength(joins);
        expect(s.status).toBe('completed');
        expect(s.run.completion).toBe(joins === 0 ? 'noArrival' : undefined);
      }
    const diamond = graph({
      input: { type: 'object', required: ['c'], properties: { c: { type: 'boolean' } } },
      nodes: { cond: step, u: step, m: step },
      routes: { cond: [{ to: ['u'], when: 'input.c' }, { to: ['m'] }], u: [{ to: ['m'] }] },
    });
    expect(new Scenario(diamond).start({ c: true }).started()).toEqual(['cond', 'u', 'm']);
    expect(new Scenario(diamond).start({ c: false }).started()).toEqual(['cond', 'm']);
  });

  it('C04: a join waits for every suspended branch', () => {
    const hours: NodeDefinition = {
      type: 'ask',
      request: {
        kind: 'form',
        title: 'Hours?',
        fields: [{ name: 'hours', type: 'number', label: 'Hours', required: true }],
      },
    };
    const pay: NodeDefinition = { type: 'transform', output: { pay: 'state.wage * output.values.hours' } };
    const pays = (index: number) => `(has(output[${index}].output) ? output[${index}].output.pay : 0.0)`;
    const total = `${pays(0)} + ${pays(1)}`;
    const definition = graph({
      state: { wage: { schema: { type: 'number', default: 80 } } },
      nodes: {
        start: step,
        A: hours,
        B: hours,
        payA: pay,
        payB: pay,
        sum: { type: 'transform', join: 'all', output: { total: total } },
      },
      routes: {
        start: [{ to: ['A', 'B'] }],
        A: [{ to: ['payA'] }],
        B: [{ to: ['payB'] }],
        payA: [{ to: ['sum'] }],
        payB: [{ to: ['sum'] }],
      },
    });
    const s = new Scenario(definition).start().answer('A', { values: { hours: 3 } });
    expect(s.run.tokens.get('start#1.0')?.at).toMatchObject({ kind: 'arrived', output: { pay: 240 } });
    expect(s.started()).not.toContain('sum');
    expect(s.status).toBe('suspended');
    expect(s.open).toEqual(['start#1.1/B']);
    s.answer('B', { values: { hours: 5 } });
    expect(s.started('sum')).toHaveLength(1);
    expect(s.run.output).toEqual({ total: 640 });
  });
});

describe('nested forks and loops', () => {
  const nested = graph({
    state: { log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' } },
    nodes: {
      start: step,
      a: step,
      a1: step,
      a2: step,
      inner: { ...step, join: 'all' },
      b: step,
      outer: { ...step, join: 'all' },
    },
    routes: {
      start: [{ to: ['a', 'b'] }],
      a: [{ to: ['a1', 'a2'] }],
      a1: [{ to: ['inner'] }],
      a2: [{ to: ['inner'] }],
      inner: [{ to: ['outer'] }],
      b: [{ to: ['outer'] }],
    },
  });
  const writes: Script = Object.fromEntries(
    ['a', 'a1', 'a2', 'inner', 'b', 'outer'].map(name => [name, () => done(name, { log: [name] })]),
  );

  it('merges from the inside out, in branch order whatever the speed', () => {
    for (const order of ['first', 'last'] as const) {
      const s = new Scenario(nested, writes, order).start();
      expect(s.state()).toEqual({ log: ['a', 'a1', 'a2', 'inner', 'b', 'outer'] });
      expect(s.status).toBe('completed');
      expect(s.run.scopes.size).toBe(1);
      expect(s.run.tokens.size).toBe(1);
    }
  });

  it('shows a branch the state as of its fork with its own writes, never those of a sibling', () => {
    const seen: Record<string, unknown> = {};
    const look: Script = Object.fromEntries(
      Object.entries(writes).map(([name, script]) => [
        name,
        call => {
          seen[name] = call.state.log;
          return script(call);
        },
      ]),
    );
    new Scenario(nested, look).start();
    expect(seen).toEqual({
      a: [],
      a1: ['a'],
      a2: ['a'],
      inner: ['a', 'a1', 'a2'],
      b: [],
      outer: ['a', 'a1', 'a2', 'inner', 'b'],
    });
  });

  it('lets a branch loop, and counts visits in its own scope', () => {
    const definition = graph({
      state: { n: { schema: { type: 'integer' }, reducer: 'sum' } },
      nodes: { start: step, a: { ...step, update: { n: '1' } }, b: step, J: { ...step, join: 'all' } },
      routes: {
        start: [{ to: ['a', 'b'] }],
        a: [{ to: ['a'], when: 'state.n < 4' }, { to: ['J'] }],
        b: [{ to: ['J'] }],
        J: [{ to: ['start'], when: 'state.n < 8' }, { to: ['end'] }],
      },
    });
    const s = new Scenario(definition).start();
    expect(s.status).toBe('completed');
    expect(s.state()).toEqual({ n: 8 });
    expect(s.of('scope.opened').map(({ scope }) => scope)).toEqual([
      'start#1',
      'start#2',
      'start#3',
      'start#4',
      'start#5',
    ]);
  });
});

describe('a failure under all', () => {
  const definition = triple('all', { b: ask });

  it('lets siblings finish their node, then parks them: questions stay open, answers are recorded, nothing is driven', () => {
    const script: Script = { a: ({ attempt }) => (attempt === 1 ? broken('E_A') : done()), c: () => 'busy' };
    const more = triple(
      'all',
      { b: ask, c: step, c2: step, b2: step },
      { routes: { b: [{ to: ['b2'] }], b2: [{ to: ['J'] }], c: [{ to: ['c2'] }], c2: [{ to: ['J'] }] } },
    );
    const s = new Scenario(more, script).start();
    expect(s.status).toBe('running');
    expect(s.of('scope.failing')).toHaveLength(1);
    expect(s.of('scope.failed')).toHaveLength(0);
    s.finish('c', done('c'));
    expect(s.started()).not.toContain('c2');
    expect(s.status).toBe('failed');
    expect(s.run.error?.code).toBe('E_A');
    expect(s.open).toEqual(['start#1.1/b']);
    s.answer('b', YES);
    expect(s.of('request.answered')).toHaveLength(1);
    expect(s.started()).not.toContain('b2');
    expect(s.status).toBe('failed');
  });

  it('is un-parked by retry, and nothing that finished runs again', () => {
    let fails = true;
    const s = new Scenario(definition, { a: () => (fails ? broken('E_A') : done('a')) }).start();
    expect(s.status).toBe('failed');
    s.answer('b', YES);
    fails = false;
    s.act({ type: 'retry', reason: 'mended' });
    expect(s.status).toBe('completed');
    expect(s.started('c')).toHaveLength(1);
    expect(s.started('b')).toHaveLength(1);
    expect(s.started('a')).toHaveLength(2);
    expect(s.started('J')).toHaveLength(1);
  });

  it('goes to the on: failed route of the node that forked, which cancels the parked siblings', () => {
    const routes = { start: [{ to: ['a', 'b', 'c'] }, { to: ['after'], on: ['failed' as const] }] };
    const seen: unknown[] = [];
    const after: NodeDefinition = { ...step, input: { code: 'run.error.code' } };
    const s = new Scenario(triple('all', { b: ask, after }, { routes }), {
      a: () => broken('E_A'),
      after: ({ input }) => {
        seen.push(input);
        return done('handled');
      },
    }).start();
    expect(s.status).toBe('completed');
    expect(seen).toEqual([{ code: 'E_A' }]);
    expect(s.run.output).toBe('handled');
    expect(s.of('request.withdrawn')).toHaveLength(1);
    expect(s.run.tokens.size).toBe(1);
  });

  it('goes further out when the inner owner has no such route, at last to the run', () => {
    const nested = graph({
      nodes: {
        start: step,
        a: step,
        a1: step,
        a2: step,
        inner: { ...step, join: 'all' },
        b: ask,
        outer: { ...step, join: 'all' },
        saved: step,
      },
      routes: {
        start: [{ to: ['a', 'b'] }, { to: ['saved'], on: ['failed'] }],
        a: [{ to: ['a1', 'a2'] }],
        a1: [{ to: ['inner'] }],
        a2: [{ to: ['inner'] }],
        inner: [{ to: ['outer'] }],
        b: [{ to: ['outer'] }],
      },
    });
    const s = new Scenario(nested, { a1: () => broken('E_IN') }).start();
    expect(s.status).toBe('completed');
    expect(s.started('saved')).toHaveLength(1);
    expect(s.of('scope.failed').map(({ scope }) => scope)).toEqual(['start#1.0/a#1', 'start#1']);
  });

  it('of a nested fork is un-parked by retry all the way', () => {
    let fails = true;
    const nested = graph({
      nodes: {
        start: step,
        a: step,
        a1: step,
        a2: step,
        inner: { ...step, join: 'all' },
        b: step,
        outer: { ...step, join: 'all' },
      },
      routes: {
        start: [{ to: ['a', 'b'] }],
        a: [{ to: ['a1', 'a2'] }],
        a1: [{ to: ['inner'] }],
        a2: [{ to: ['inner'] }],
        inner: [{ to: ['outer'] }],
        b: [{ to: ['outer'] }],
      },
    });
    const s = new Scenario(nested, { a1: () => (fails ? broken('E_IN') : done()) }).start();
    expect(s.status).toBe('failed');
    fails = false;
    s.act({ type: 'retry', reason: 'again' });
    expect(s.status).toBe('completed');
    expect(s.started('a2')).toHaveLength(1);
    expect(s.started('b')).toHaveLength(1);
  });

  it('does not drive a handler that waited, when its answer comes to a parked branch', () => {
    const request = { kind: 'confirmation' as const, title: 'Go on?' };
    let fails = true;
    const s = new Scenario(triple('all'), {
      a: () => 'busy',
      b: ({ task }) =>
        task.execution!.journal.get('ask#1')?.status === 'recorded'
          ? done('b')
          : { ops: [{ type: 'ask', op: 'ask#1', digest: 'd', request }], end: { type: 'suspended', ops: ['ask#1'] } },
    }).start();
    s.finish('a', broken('E_A'));
    expect(s.status).toBe('failed');
    const calls = s.calls.length;
    s.answer('b', { action: 'approve' });
    expect(s.calls).toHaveLength(calls);
    expect(s.status).toBe('failed');
    fails = false;
    expect(fails).toBe(false);
    s.act({ type: 'retry', reason: 'again' });
    s.finish('a', done());
    expect(s.status).toBe('completed');
    expect(s.started('b')).toHaveLength(1);
  });
});
