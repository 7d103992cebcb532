import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition, OnReached } from '../graph/definition.ts';
import type { CommandBody } from './command.ts';
import { broken, done, graph, Scenario, T0, USER } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const HOUR = 3_600_000;

/** Counts up in a loop until `goal`; at most three visits are allowed at a time. */
function counting(goal: number, onReached: OnReached = 'ask', more: Partial<GraphDefinition> = {}): GraphDefinition {
  return graph({
    state: { count: { schema: { type: 'integer' }, reducer: 'sum' } },
    nodes: { tick: { ...step, update: { count: '1' }, limits: { maxVisits: 3, onReached } }, won: step },
    routes: { tick: [{ to: ['won'], when: `state.count >= ${goal}` }, { to: ['tick'] }] },
    ...more,
  });
}

const question = (s: Scenario) => [...s.run.requests.values()][0]!;

describe('a limit at which a person is asked', () => {
  it('stands where it is reached, and the question says which limit, what was reached and the last nodes', () => {
    const s = new Scenario(counting(5)).start();
    expect(s.status).toBe('suspended');
    expect(s.started()).toEqual(['tick', 'tick', 'tick']);
    expect(question(s)).toMatchObject({
      about: 'limit',
      kind: 'confirmation',
      title: 'Limit maxVisits = 3 of node "tick" is reached. Go on?',
      definition: {
        context: { limit: 'maxVisits', node: 'tick', value: 3, reached: 3, nodes: ['tick', 'tick', 'tick'] },
      },
    });
  });

  it('goes on with the same allowance again when that is approved, and says who let it', () => {
    const s = new Scenario(counting(5)).start().answer('tick', { action: 'approve', note: 'nearly there' });
    expect(s.status).toBe('completed');
    expect(s.started('tick')).toHaveLength(5);
    expect(s.of('decision.made')).toMatchObject([
      { point: 'limit:maxVisits', chosen: 'goOn', reason: 'nearly there', decidedBy: `human:${USER.id}` },
    ]);
    expect(s.of('limit.extended')).toMatchObject([{ node: 'tick', limit: 'maxVisits', value: 3 }]);
  });

  it('asks anew when the allowance is used up again', () => {
    const s = new Scenario(counting(8)).start().answer('tick', { action: 'approve' });
    expect(s.started('tick')).toHaveLength(6);
    expect(question(s).definition?.context).toMatchObject({ value: 3, reached: 6 });
    s.answer('tick', { action: 'approve' });
    expect(s.status).toBe('completed');
    expect(new Set(s.of('request.opened').map(({ request }) => request)).size).toBe(2);
  });

  it('fails with the error of the limit when that is rejected', () => {
    const s = new Scenario(counting(5)).start().answer('tick', { action: 'reject' });
    expect(s.run.error).toMatchObject({
      code: 'LimitReached',
      details: { limit: 'maxVisits', node: 'tick', value: 3 },
    });
    expect(s.of('decision.made')).toMatchObject([{ chosen: 'fail' }]);
    s.act({ type: 'retry', reason: 'ask again' }).answer('tick', { action: 'approve' });
    expect(s.status).toBe('completed');
  });

  it('fails when nobody answers in time, or when the run may not ask', () => {
    const late = new Scenario(counting(5, { ask: { deadline: { after: '2h' } } })).start().advance(2 * HOUR);
    expect(late.run.error?.code).toBe('LimitReached');
    expect(late.of('request.expired')).toMatchObject([{ onExpire: 'fail' }]);
    for (const decisions of ['off', 'unattended'] as const)
      expect(new Scenario(counting(5)).start({}, { decisions }).run.error?.code).toBe('LimitReached');
  });

  it('is asked in its own words, of those named, and of the next when nobody answers', () => {
    const deadline = { after: '1h', onExpire: 'escalate' as const, to: ['role:lead'] };
    const s = new Scenario(
      counting(5, { ask: { title: 'Once more?', message: 'It counts.', assignees: ['user:finn'], deadline } }),
    ).start();
    expect(question(s)).toMatchObject({
      title: 'Once more?',
      definition: { message: 'It counts.' },
      assignees: ['user:finn'],
    });
    s.advance(HOUR);
    expect(question(s).assignees).toEqual(['role:lead']);
    s.advance(HOUR);
    expect(s.run.error?.code).toBe('LimitReached');
  });

  it('is not asked where a route stands for the limit', () => {
    const base = counting(5);
    const s = new Scenario({
      ...base,
      routes: { tick: [...base.routes.tick!, { to: ['won'], on: ['limit'] }] },
    }).start();
    expect(s.started()).toEqual(['tick', 'tick', 'tick', 'won']);
    expect(s.of('request.opened')).toEqual([]);
  });

  it('is the graph’s where the node says nothing, and not where the node says `fail`', () => {
    const limits = { maxVisits: 3, onReached: 'ask' as const };
    const nodes = (own?: 'fail') => ({
      tick: { ...step, update: { count: '1' }, ...(own === undefined ? {} : { limits: { onReached: own } }) },
      won: step,
    });
    expect(new Scenario(counting(5, 'ask', { limits, nodes: nodes() })).start().status).toBe('suspended');
    expect(new Scenario(counting(5, 'ask', { limits, nodes: nodes('fail') })).start().status).toBe('failed');
  });
});

describe('each limit can ask', () => {
  const back = { to: ['a'] };
  const looping = (limits: GraphDefinition['limits'], until: number) =>
    graph({
      limits: { maxVisits: 100, noProgress: false, ...limits, onReached: 'ask' },
      nodes: { a: step, b: step, out: step },
      routes: { a: [{ to: ['b'] }], b: [{ to: ['out'], when: `run.step >= ${until}` }, back] },
    });

  it('maxSteps, of the whole path, and `run.step` goes on counting', () => {
    const s = new Scenario(looping({ maxSteps: 3 }, 4)).start();
    expect(question(s)).toMatchObject({ node: 'a', title: 'Limit maxSteps = 3 before node "b" is reached. Go on?' });
    s.answer('a', { action: 'approve' });
    expect(s.started()).toEqual(['a', 'b', 'a', 'b', 'out']);
    expect(s.status).toBe('completed');
  });

  it('maxSteps before a node that no route leads to: the first of a branch', () => {
    const s = new Scenario(
      graph({
        limits: { maxSteps: 1, onReached: 'ask' },
        nodes: { sub: { type: 'subgraph', graph: 'inner' } },
        graphs: {
          inner: graph({ name: 'inner', limits: { maxSteps: 1, onReached: 'ask' }, nodes: { x: step } }),
        },
      }),
    ).start();
    expect(s.open).toEqual(['sub#1*.0/x']);
    s.answer('x', { action: 'approve' });
    expect(s.started()).toEqual(['sub', 'x']);
    expect(s.status).toBe('completed');
  });

  it('maxSuccessive', () => {
    const s = new Scenario(
      graph({
        limits: { noProgress: false },
        nodes: { a: { ...step, limits: { maxSuccessive: 2, onReached: 'ask' } }, out: step },
        routes: { a: [{ to: ['out'], when: 'run.step >= 4' }, back] },
      }),
    ).start();
    expect(s.started()).toEqual(['a', 'a']);
    s.answer('a', { action: 'approve' });
    expect(s.started()).toEqual(['a', 'a', 'a', 'a', 'out']);
  });

  it('no progress', () => {
    const s = new Scenario(looping({ noProgress: 3 }, 9)).start();
    expect(question(s).title).toContain('noProgress = 3 of node "a"');
    s.answer('a', { action: 'approve' });
    expect(question(s).title).toContain('noProgress = 3 of node "b"');
    s.answer('b', { action: 'approve' });
    expect(s.status).toBe('completed');
  });

  it('the run’s timeout: what is at work ends, and nothing starts until somebody has said', () => {
    const timed = graph({
      limits: { timeout: '10m', onReached: 'ask' },
      nodes: { a: step, b: step },
      routes: { a: [{ to: ['b'] }] },
    });
    const s = new Scenario(timed, { a: ({ visit }) => (visit === 1 ? 'busy' : done()) }).start().advance(10 * 60_000);
    expect(question(s)).toMatchObject({ about: 'limit', definition: { context: { nodes: ['a'], reached: 600_000 } } });
    expect(s.status).toBe('running');
    s.finish('a', done('a'));
    expect(s.started()).toEqual(['a']);
    expect(s.status).toBe('suspended');
    s.advance(HOUR).answer(question(s).id, { action: 'approve' });
    expect(s.status).toBe('completed');
  });

  it('the run’s timeout, rejected: it fails as without a question, and a retry takes up what was at work', () => {
    const timed = graph({ limits: { timeout: '10m', onReached: 'ask' }, nodes: { a: step } });
    const s = new Scenario(timed, { a: ({ visit }) => (visit === 1 ? 'busy' : done()) }).start().advance(10 * 60_000);
    s.answer(question(s).id, { action: 'reject' });
    expect(s.run.error).toMatchObject({ code: 'LimitReached', details: { limit: 'timeout', nodes: ['a'] } });
    s.act({ type: 'retry', reason: 'more time' });
    expect(s.status).toBe('completed');
  });

  it('the run’s timeout, approved while a node is at work: it has the whole time again', () => {
    const timed = graph({ limits: { timeout: '10m', onReached: 'ask' }, nodes: { a: step } });
    const s = new Scenario(timed, { a: () => 'busy' }).start().advance(10 * 60_000);
    s.answer(question(s).id, { action: 'approve' }).advance(10 * 60_000 - 1);
    expect(s.open).toEqual([]);
    expect(s.advance(1).open).toHaveLength(1);
    s.finish('a', done());
    expect(s.status).toBe('completed');
    expect(s.open).toEqual([]);
  });
});

describe('a question at a limit, wherever it is asked', () => {
  const inner = (goal: number) => ({ ...counting(goal), name: 'inner' });

  it('in a branch: the sibling goes on, and the join waits', () => {
    const base = counting(5);
    const s = new Scenario({
      ...base,
      nodes: { fork: step, other: step, both: { type: 'join', join: 'all' }, ...base.nodes },
      entry: 'fork',
      routes: {
        fork: [{ to: ['tick', 'other'] }],
        tick: [{ to: ['both'], when: 'state.count >= 5' }, { to: ['tick'] }],
        other: [{ to: ['both'] }],
        both: [{ to: ['won'] }],
      },
    }).start();
    expect(s.started('other')).toHaveLength(1);
    expect(s.open).toEqual(['fork#1.0/tick']);
    s.answer('tick', { action: 'approve' });
    expect(s.status).toBe('completed');
  });

  it('in an item: it frees its place, and its rejection is collected', () => {
    const s = new Scenario(
      graph({
        nodes: { each: { type: 'map', items: '[1, 2]', body: { graph: 'inner' }, concurrency: 1, onError: 'collect' } },
        graphs: { inner: inner(5) },
      }),
    ).start();
    expect(s.open).toHaveLength(2);
    s.answer(s.open[0]!, { action: 'reject' }).answer(s.open[0]!, { action: 'approve' });
    expect(s.run.output).toMatchObject([{ error: { code: 'LimitReached' } }, 'won']);
  });

  it('of a failure that is routed: what was parked below is over', () => {
    const s = new Scenario(
      graph({
        nodes: {
          fork: step,
          asks: { type: 'ask', request: { kind: 'confirmation', title: 'Well?' } },
          breaks: step,
          both: { type: 'join' },
          mend: { ...step, limits: { maxVisits: 1, onReached: 'ask' } },
        },
        entry: 'mend',
        routes: {
          mend: [{ to: ['fork'] }],
          fork: [{ to: ['mend'], on: ['failed'] }, { to: ['asks', 'breaks'] }],
          asks: [{ to: ['both'] }],
          breaks: [{ to: ['both'] }],
        },
      }),
      { breaks: ({ visit, token }) => (token.id.startsWith('fork#1') && visit === 1 ? broken('E') : done()) },
    ).start();
    expect(s.open).toEqual(['fork']);
    expect(s.of('request.withdrawn')).toHaveLength(1);
    s.answer('fork', { action: 'approve' }).answer('asks', { action: 'approve' });
    expect(s.status).toBe('completed');
  });

  it('is a refusal when it is withdrawn from outside: nothing stands for ever without a question', () => {
    const s = new Scenario(counting(5)).start();
    s.act({ type: 'withdrawRequest', request: question(s).id, reason: 'nobody is there' });
    expect(s.status).toBe('failed');
    expect(s.run.error).toMatchObject({ code: 'LimitReached' });
    expect(s.of('decision.made')).toMatchObject([{ chosen: 'fail', reason: 'nobody is there' }]);
  });

  it('is withdrawn by a jump and by a cancel', () => {
    const jumped = new Scenario(counting(5)).start().act({ type: 'jump', to: 'won', reason: 'enough' });
    expect(jumped.status).toBe('completed');
    expect(jumped.of('request.withdrawn')).toHaveLength(1);
    const cancelled = new Scenario(counting(5)).start().act({ type: 'cancel', reason: 'enough' });
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled.open).toEqual([]);
  });

  it('is asked anew after a rollback and in a fork, under another id', () => {
    const s = new Scenario(counting(5)).start();
    const { id } = question(s);
    s.act({ type: 'rollback', to: s.run.seq, past: s.until(s.run.seq).run, effects: 'ask', reason: 'again' });
    expect(s.open).toEqual(['tick']);
    expect(question(s).id).not.toBe(id);
    const child = new Scenario(counting(5)).start();
    const forked = child.forkAt(child.run.seq);
    const fork: CommandBody = { type: 'fork', parent: 'run_1', atSeq: child.run.seq, effects: 'ask', reason: 'x' };
    forked.act(fork);
    expect(forked.open).toEqual(['tick']);
    forked.answer('tick', { action: 'approve' });
    expect(forked.status).toBe('completed');
  });

  it('is recorded while the run is paused, and acted on when it goes on', () => {
    const s = new Scenario(counting(5)).start().act({ type: 'pause', reason: 'look' });
    s.answer('tick', { action: 'approve' });
    expect(s.started('tick')).toHaveLength(3);
    s.act({ type: 'resume', reason: 'seen' });
    expect(s.status).toBe('completed');
    expect(s.at).toBe(T0);
  });
});
