import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import { done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const MINUTE = 60_000;

function ticking(goal: number, more: { form?: boolean; onLimit?: boolean } = {}): GraphDefinition {
  const { form = false, onLimit = true } = more;
  const ask: NodeDefinition = { type: 'ask', request: { kind: 'confirmation', title: 'Once more?' } };
  const exit = { to: ['won'], when: `state.count >= ${goal}` };
  const limit = onLimit ? [{ to: ['gaveUp'], on: ['limit' as const] }] : [];
  return graph({
    state: { count: { schema: { type: 'integer' }, reducer: 'sum' } },
    nodes: {
      tick: { ...step, update: { count: '1' }, limits: { maxVisits: 3 } },
      ...(form ? { ask } : {}),
      won: step,
      ...(onLimit ? { gaveUp: step } : {}),
    },
    routes: form
      ? { tick: [exit, { to: ['ask'] }], ask: [{ to: ['tick'] }, ...limit] }
      : { tick: [exit, { to: ['tick'] }, ...limit] },
  });
}

describe('C36: a limit of three means three, and the result is kept', () => {
  it('C36: goal 100 reaches the limit route after exactly three visits', () => {
    const s = new Scenario(ticking(100)).start();
    expect(s.started()).toEqual(['tick', 'tick', 'tick', 'gaveUp']);
    expect(s.state()).toEqual({ count: 3 });
    expect(s.status).toBe('completed');
    expect(s.of('limit.reached')).toMatchObject([{ node: 'tick', limit: 'maxVisits', value: 3 }]);
  });

  it('C36: goals 2 and 3 leave by the normal exit', () => {
    expect(new Scenario(ticking(2)).start().started()).toEqual(['tick', 'tick', 'won']);
    expect(new Scenario(ticking(3)).start().started()).toEqual(['tick', 'tick', 'tick', 'won']);
  });

  it('C36: a form in every round changes nothing: still three', () => {
    const s = new Scenario(ticking(100, { form: true })).start();
    for (let round = 0; round < 3; round += 1) {
      expect(s.status).toBe('suspended');
      s.advance(MINUTE).answer('ask', { action: 'approve' });
    }
    expect(s.started('tick')).toHaveLength(3);
    expect(s.started('gaveUp')).toHaveLength(1);
    expect(s.state()).toEqual({ count: 3 });
  });

  it('C36: without a limit route the run fails, naming node, limit and last nodes, with the count readable', () => {
    const s = new Scenario(ticking(100, { onLimit: false })).start();
    expect(s.run.error).toMatchObject({
      code: 'LimitReached',
      details: { limit: 'maxVisits', node: 'tick', value: 3, nodes: ['tick', 'tick', 'tick'] },
    });
    expect(s.run.error?.message).toContain('maxVisits = 3 of node "tick"');
    expect(s.state()).toEqual({ count: 3 });
  });
});

describe('limits', () => {
  const loop = (limits: GraphDefinition['limits'], onLimit = false) =>
    graph({
      limits: { maxVisits: 1000, noProgress: false, ...limits },
      nodes: { a: step, b: step, out: step },
      routes: {
        a: [{ to: ['b'] }, ...(onLimit ? [{ to: ['out'], on: ['limit' as const] }] : [])],
        b: [{ to: ['a'], when: 'run.step < 1000' }, { to: ['out'] }],
      },
    });

  it('maxSteps counts nodes along a token’s path, and has a limit route like the others', () => {
    const s = new Scenario(loop({ maxSteps: 5 })).start();
    expect(s.started()).toEqual(['a', 'b', 'a', 'b', 'a']);
    expect(s.run.error?.message).toContain('maxSteps = 5');
    expect(s.run.error?.details).toMatchObject({ limit: 'maxSteps', nodes: ['a', 'b', 'a', 'b', 'a'] });
    const routed = new Scenario(loop({ maxSteps: 5 }, true)).start();
    expect(routed.started()).toEqual(['a', 'b', 'a', 'b', 'a', 'out']);
    expect(routed.status).toBe('completed');
  });

  it('maxSteps goes on into branches, graphs and items', () => {
    const inner = graph({ name: 'inner', input: {}, nodes: { x: step, y: step }, routes: { x: [{ to: ['y'] }] } });
    const s = new Scenario(
      graph({
        limits: { maxSteps: 2 },
        nodes: { sub: { type: 'subgraph', graph: 'inner' }, z: step },
        routes: { sub: [{ to: ['z'] }] },
        graphs: { inner: { ...inner, limits: { maxSteps: 2 } } },
      }),
    ).start();
    expect(s.started()).toEqual(['sub', 'x']);
    expect(s.run.error?.code).toBe('LimitReached');
  });

  it('maxSuccessive counts visits of one node in a row', () => {
    const definition = graph({
      limits: { noProgress: false },
      nodes: { a: { ...step, limits: { maxSuccessive: 2 } }, b: step, out: step },
      routes: {
        a: [{ to: ['a'], when: 'run.step != 4' }, { to: ['b'] }, { to: ['out'], on: ['limit'] }],
        b: [{ to: ['a'] }],
      },
    });
    expect(new Scenario(definition).start().started()).toEqual(['a', 'a', 'out']);
  });

  it('no progress: the same output, no state change and no wait, three visits in a row', () => {
    const definition = (more: Partial<GraphDefinition> = {}) =>
      graph({
        nodes: { a: step, b: step, out: step },
        routes: { a: [{ to: ['b'], when: 'run.step < 12' }, { to: ['out'] }], b: [{ to: ['a'] }] },
        ...more,
      });
    const s = new Scenario(definition()).start();
    expect(s.started()).toEqual(['a', 'b', 'a', 'b', 'a']);
    expect(s.run.error?.message).toContain('noProgress = 3 of node "a"');
    expect(new Scenario(definition({ limits: { noProgress: false } })).start().status).toBe('completed');
    const changing: Script = { b: ({ visit }) => done('b', { n: visit }) };
    expect(new Scenario(definition({ state: { n: { schema: { type: 'integer' } } } }), changing).start().status).toBe(
      'completed',
    );
    const telling: Script = { a: ({ visit }) => done(visit), b: ({ visit }) => done(visit) };
    expect(new Scenario(definition(), telling).start().status).toBe('completed');
  });

  it('no progress: a wait anywhere in the loop is progress', () => {
    const waiting: NodeDefinition[] = [
      { type: 'wait', for: '1m' },
      { type: 'ask', request: { kind: 'confirmation', title: 'Again?' } },
    ];
    for (const wait of waiting) {
      const definition = graph({
        nodes: { a: step, w: wait, out: step },
        routes: { a: [{ to: ['w'], when: 'run.step < 9' }, { to: ['out'] }], w: [{ to: ['a'] }] },
      });
      const s = new Scenario(definition).start();
      for (let round = 0; round < 4; round += 1) {
        if (wait.type === 'wait') s.advance(MINUTE);
        else s.answer('w', { action: 'approve' });
      }
      expect(s.status).toBe('completed');
    }
  });

  it('timeout is executing time: waiting does not count, and a retry grants it anew', () => {
    const definition = graph({
      limits: { timeout: '10m' },
      nodes: { a: step, ask: { type: 'ask', request: { kind: 'confirmation', title: 'Go?' } }, b: step },
      routes: { a: [{ to: ['ask'] }], ask: [{ to: ['b'] }] },
    });
    const s = new Scenario(definition, { a: () => 'busy', b: () => 'busy' })
      .start()
      .advance(6 * MINUTE)
      .finish('a', done());
    s.advance(600 * MINUTE)
      .answer('ask', { action: 'approve' })
      .advance(3 * MINUTE);
    expect(s.status).toBe('running');
    s.advance(MINUTE);
    expect(s.status).toBe('failed');
    expect(s.run.error).toMatchObject({ code: 'LimitReached', details: { limit: 'timeout', nodes: ['b'] } });
    s.act({ type: 'retry', reason: 'more time' })
      .advance(9 * MINUTE)
      .finish('b', done());
    expect(s.status).toBe('completed');
  });

  it('timeout fails the whole run, whoever is at work in it', () => {
    const definition = graph({
      limits: { timeout: '10m' },
      nodes: {
        start: step,
        a: step,
        b: { type: 'ask', request: { kind: 'confirmation', title: 'Go?' } },
        J: { type: 'join', join: 'any' },
      },
      routes: { start: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['J'] }] },
    });
    const s = new Scenario(definition, { a: ({ visit }) => (visit === 1 ? 'busy' : done('a')) })
      .start()
      .advance(10 * MINUTE);
    expect(s.status).toBe('failed');
    expect(s.run.error?.details).toMatchObject({ limit: 'timeout' });
    s.act({ type: 'retry', reason: 'more time' });
    expect(s.status).toBe('completed');
  });

  it('maxChain bounds the questions that one visit asks in a row', () => {
    const definition = graph({ limits: { maxChain: 3 }, nodes: { a: step } });
    const request = { kind: 'confirmation' as const, title: 'And now?' };
    const s = new Scenario(definition, {
      a: ({ task }) => {
        const next = `ask#${task.execution!.journal.size + 1}`;
        return { ops: [{ type: 'ask', op: next, digest: '', request }], end: { type: 'suspended', ops: [next] } };
      },
    }).start();
    for (let round = 0; round < 3; round += 1) s.answer('a', { action: 'approve' });
    expect(s.of('request.opened')).toHaveLength(3);
    expect(s.of('limit.reached')).toMatchObject([{ limit: 'maxChain', value: 3 }]);
    expect(s.run.error?.code).toBe('LimitReached');
  });
});

describe('a limit on the visits of a join', () => {
  const rounds = (limits: object, onLimit = false) =>
    graph({
      limits: { maxVisits: 100, noProgress: false },
      state: { count: { schema: { type: 'integer' }, reducer: 'sum' } },
      nodes: {
        fork: step,
        a: { ...step, update: { count: '1' } },
        b: step,
        J: { type: 'join', limits },
        out: step,
      },
      routes: {
        fork: [{ to: ['a', 'b'] }, ...(onLimit ? [{ to: ['out'], on: ['limit' as const] }] : [])],
        a: [{ to: ['J'] }],
        b: [{ to: ['J'] }],
        J: [{ to: ['out'], when: 'state.count >= 4' }, { to: ['fork'] }],
      },
    });

  it('is met when its scope has closed: the run fails, and what the branches did is kept', () => {
    const s = new Scenario(rounds({ maxVisits: 2 })).start();
    expect(s.started('J')).toHaveLength(2);
    expect(s.run.error).toMatchObject({ code: 'LimitReached', details: { limit: 'maxVisits', node: 'J', value: 2 } });
    expect(s.state()).toEqual({ count: 3 });
  });

  it('takes the `on: limit` route of the node that forked', () => {
    const inputs: unknown[] = [];
    const s = new Scenario(rounds({ maxVisits: 2 }, true), {
      out: ({ input }) => {
        inputs.push(input);
        return done();
      },
    }).start();
    expect(s.status).toBe('completed');
    expect(s.state()).toEqual({ count: 3 });
    expect(inputs).toEqual(['fork']);
  });

  it('asks where that is declared, and the join then starts with its branches', () => {
    const s = new Scenario(rounds({ maxVisits: 2, onReached: 'ask' })).start();
    expect(s.open).toEqual(['J']);
    s.answer('J', { action: 'approve' });
    expect(s.started('J')).toHaveLength(4);
    expect(s.started('fork')).toHaveLength(4);
    expect(s.status).toBe('completed');
    expect(s.of('node.started').filter(({ node }) => node === 'J')[2]?.input).toHaveLength(2);
  });
});

describe('the executing time of a run', () => {
  const definition = graph({ nodes: { a: step }, limits: { timeout: '10m' } });
  const started = () => new Scenario(definition, { a: () => 'busy' }).start();
  const reached = (s: Scenario) => s.of('limit.reached').map(({ limit }) => limit);

  it('ends with the last event of a driver that died: how long nobody was there does not count', () => {
    const s = started().advance(60_000);
    s.send({ type: 'note', text: 'still there' });
    s.at += 3_600_000;
    expect(s.send({ type: 'tick', unclaimed: true }).events).toEqual([]);
    s.send({ type: 'claim', owner: 'other', build: 'b1' });
    expect(s.of('run.claimed').at(-1)).toMatchObject({ idle: 3_600_000 });
    s.advance(9 * 60_000 - 1);
    expect(reached(s)).toEqual([]);
    s.advance(1);
    expect(reached(s)).toEqual(['timeout']);
    expect(s.run.executed).toBe(600_000);
  });

  it('goes on where its next driver takes it up, whatever comes at the same time as that', () => {
    const s = started();
    const lastAt = s.at;
    s.at += 3_600_000;
    s.send({ type: 'note', text: 'Is anybody there?' });
    s.send({ type: 'claim', owner: 'other', build: 'b1', lastAt });
    s.advance(600_000 - 1);
    expect(reached(s)).toEqual([]);
  });

  const acts = [
    ['pauses it', { type: 'pause', reason: 'nobody is there' }],
    ['cancels it', { type: 'cancel', reason: 'nobody is there' }],
    ['says something to it', { type: 'note', text: 'Is anybody there?' }],
    ['sends it a signal', { type: 'signal', name: 'ping', value: null }],
    ['gives an answer that is refused', { type: 'answer', request: 'req_none', action: 'approve' }],
  ] as const;
  it.each(acts)('ends with the last event of a driver that died also where somebody %s later', (_, act) => {
    const s = started().advance(60_000);
    s.send({ type: 'note', text: 'still there' });
    s.at += 3_600_000;
    s.send({ type: 'idle' });
    s.send(act);
    expect(s.of('run.idled')).toEqual([{ idle: 3_600_000 }]);
    if (act.type === 'cancel') return;
    s.at += 3_600_000;
    if (act.type === 'pause') s.send({ type: 'resume', reason: 'go on' });
    s.send({ type: 'claim', owner: 'other', build: 'b1' });
    s.advance(9 * 60_000 - 1);
    expect(reached(s)).toEqual([]);
    s.advance(1);
    expect(reached(s)).toEqual(['timeout']);
    expect(s.run.executed).toBe(600_000);
  });

  it('knows of no such time where the run does not execute', () => {
    const s = started().advance(60_000);
    s.send({ type: 'pause', reason: 'wait' });
    s.at += 3_600_000;
    expect(s.send({ type: 'idle' }).events).toEqual([]);
  });

  it('goes on to the pause of a run that is driven', () => {
    const s = started().advance(60_000);
    s.send({ type: 'pause', reason: 'wait' });
    expect(s.of('run.paused')).toEqual([{ reason: 'wait' }]);
    expect(s.run.executed).toBe(60_000);
  });

  it('of a fork begins with what was executed up to its point, however long ago that was', () => {
    const s = started().advance(60_000);
    s.send({ type: 'note', text: 'here' });
    const child = s.forkAt(s.run.seq);
    child.at += 86_400_000;
    child.act({ type: 'fork', parent: 'run_1', atSeq: s.run.seq, effects: 'ask', reason: 'again' });
    child.advance(9 * 60_000 - 1);
    expect(reached(child)).toEqual([]);
    child.advance(1);
    expect(reached(child)).toEqual(['timeout']);
  });
});
