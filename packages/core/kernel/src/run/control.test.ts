import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import type { CommandBody } from './command.ts';
import { broken, done, graph, Scenario, type Script, USER } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const ask: NodeDefinition = { type: 'ask', request: { kind: 'confirmation', title: 'Go on?' } };
const line = graph({
  state: {
    n: { schema: { type: 'integer', maximum: 10, default: 0 } },
    log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
  },
  nodes: { a: step, b: step, c: step },
  routes: { a: [{ to: ['b'] }], b: [{ to: ['c'] }] },
});
const asks = { ...line, nodes: { ...line.nodes, b: ask } };
const forked = graph({
  nodes: { start: step, a: step, a2: step, b: ask, J: { ...step, join: 'all' }, after: step },
  routes: {
    start: [{ to: ['a', 'b'] }],
    a: [{ to: ['a2'] }],
    a2: [{ to: ['J'] }],
    b: [{ to: ['J'] }],
    J: [{ to: ['after'] }],
  },
});
const reason = 'test';

/** A handler that waits for a signal once, then ends. */
const waits: Script[string] = ({ task }) =>
  task.execution!.journal.get('signal#1')?.status === 'recorded'
    ? done('woken')
    : {
        ops: [{ type: 'signal', op: 'signal#1', digest: '', name: 'go' }],
        end: { type: 'suspended', ops: ['signal#1'] },
      };

describe('pause, step and resume', () => {
  it('starts nothing while paused; what is at work ends, and its end is recorded', () => {
    const s = new Scenario(line, { a: () => 'busy' }).start().act({ type: 'pause', reason });
    s.finish('a', done());
    expect(s.started()).toEqual(['a']);
    expect(s.status).toBe('paused');
    s.act({ type: 'resume', reason });
    expect(s.started()).toEqual(['a', 'b', 'c']);
    expect(s.status).toBe('completed');
  });

  it('lets one node start for each step', () => {
    const s = new Scenario(line, { a: () => 'busy' }).start().act({ type: 'pause', reason }).finish('a', done());
    s.act({ type: 'step', reason });
    expect(s.started()).toEqual(['a', 'b']);
    expect(s.status).toBe('paused');
    s.act({ type: 'step', reason });
    expect(s.started()).toEqual(['a', 'b', 'c']);
    expect(s.status).toBe('completed');
  });

  it('records answers, signals and times while paused, and drives nothing', () => {
    const s = new Scenario(asks).start().act({ type: 'pause', reason }).answer('b', { action: 'approve' });
    expect(s.status).toBe('paused');
    expect(s.started()).toEqual(['a', 'b']);
    s.act({ type: 'resume', reason });
    expect(s.status).toBe('completed');
    const handler = new Scenario(line, { b: waits })
      .start()
      .act({ type: 'pause', reason })
      .act({ type: 'signal', name: 'go', value: 1 });
    expect(handler.calls).toEqual(['a#1', 'b#1']);
    handler.act({ type: 'step', reason });
    expect(handler.calls).toEqual(['a#1', 'b#1', 'b#1']);
    expect(handler.started()).toEqual(['a', 'b']);
    expect(handler.act({ type: 'resume', reason }).status).toBe('completed');
  });

  it('holds a durable back-off that is over, and a short one is part of the work in hand', () => {
    const retry = (backoff: string): GraphDefinition => ({
      ...line,
      nodes: { ...line.nodes, a: { ...step, retry: { attempts: 2, backoff, jitter: 0 } } },
    });
    const script: Script = { a: ({ attempt }) => (attempt === 1 ? broken('E') : done()) };
    const long = new Scenario(retry('5s'), script).start().act({ type: 'pause', reason }).advance(5000);
    expect(long.calls).toEqual(['a#1']);
    expect(long.act({ type: 'resume', reason }).status).toBe('completed');
    const short = new Scenario(retry('500ms'), script).start().act({ type: 'pause', reason }).advance(500);
    expect(short.calls).toEqual(['a#1', 'a#1']);
  });

  it('is suspended again after resume when it waits', () => {
    const s = new Scenario(asks).start().act({ type: 'pause', reason }).act({ type: 'resume', reason });
    expect(s.status).toBe('suspended');
  });

  it('is recorded with actor and reason, and refused where the status does not allow it', () => {
    const s = new Scenario(asks).start();
    expect(s.send({ type: 'resume', reason }).refusal?.code).toBe('WrongStatus');
    expect(s.send({ type: 'step', reason }).refusal?.code).toBe('WrongStatus');
    s.act({ type: 'pause', reason: 'lunch' });
    expect(s.of('run.paused')).toEqual([{ reason: 'lunch' }]);
    s.act({ type: 'resume', reason }).answer('b', { action: 'approve' });
    const after: CommandBody[] = [
      { type: 'pause', reason },
      { type: 'retry', reason },
      { type: 'jump', to: 'a', reason },
      { type: 'cancel', reason },
      { type: 'edit', set: { n: 1 }, reason },
    ];
    for (const command of after) {
      const { refusal, events } = s.send(command);
      expect([command.type, refusal?.code, events.length]).toEqual([
        command.type,
        command.type === 'retry' ? 'CannotRetry' : 'WrongStatus',
        0,
      ]);
    }
  });
});

describe('edit', () => {
  it('sets keys as they are, whatever the reducer, validated, and refused whole', () => {
    const s = new Scenario(asks, { a: () => done(null, { log: ['x'] }) }).start();
    s.act({ type: 'edit', set: { n: 3, log: ['y', 'z'] }, reason });
    expect(s.state()).toEqual({ n: 3, log: ['y', 'z'] });
    for (const [set, code] of [
      [{ log: ['w'], n: 11 }, 'InvalidState'],
      [{ nope: 1 }, 'UnknownStateKey'],
    ] as const)
      expect(s.send({ type: 'edit', set, reason }).refusal?.code).toBe(code);
    expect(s.state()).toEqual({ n: 3, log: ['y', 'z'] });
    expect(s.of('run.edited')).toHaveLength(1);
  });

  it('removes what need not be there, and refuses to remove what was there from the start', () => {
    const state = { n: { schema: { type: 'integer', default: 0 } }, note: { schema: { type: 'string' } } };
    const s = new Scenario({ ...asks, state }, { a: () => done(null, { note: 'x' }) }).start();
    expect(s.send({ type: 'edit', set: {}, remove: ['n'], reason }, USER).refusal?.code).toBe('InvalidState');
    expect(s.send({ type: 'edit', set: {}, remove: ['nope'], reason }, USER).refusal?.code).toBe('UnknownStateKey');
    expect(s.state()).toEqual({ n: 0, note: 'x' });
    s.act({ type: 'edit', set: {}, remove: ['note'], reason });
    expect(s.state()).toEqual({ n: 0 });
    expect(s.of('state.changed').at(-1)?.changes[0]).toMatchObject({ key: 'note', op: 'remove', source: 'edit:finn' });
  });

  it('names a scope by its token: a branch alone sees it until the join', () => {
    const definition = {
      ...forked,
      state: { n: { schema: { type: 'integer', default: 0 } } },
      output: { n: 'state.n' },
    };
    const s = new Scenario(definition).start();
    s.act({ type: 'edit', token: 'start#1.1', set: { n: 5 }, reason });
    expect(s.state()).toEqual({ n: 0 });
    expect(s.answer('b', { action: 'approve' }).run.output).toEqual({ n: 5 });
    expect(
      new Scenario(definition).start().send({ type: 'edit', token: 'nowhere', set: {}, reason }).refusal?.code,
    ).toBe('UnknownToken');
  });
});

describe('jump', () => {
  it('moves a token to another node of its scope, and closes what it had open', () => {
    const s = new Scenario(asks).start().act({ type: 'jump', to: 'c', reason });
    expect(s.started()).toEqual(['a', 'b', 'c']);
    expect(s.status).toBe('completed');
    expect(s.of('run.jumped')).toEqual([{ token: '', from: 'b', to: 'c', reason }]);
    expect(s.of('request.withdrawn')).toHaveLength(1);
  });

  it('does not go into a scope, nor out of one, nor to a node that is not there', () => {
    const s = new Scenario(forked).start();
    expect(s.send({ type: 'jump', to: 'a2', reason }).refusal?.code).toBe('JumpIntoScope');
    expect(s.send({ type: 'jump', token: 'start#1.1', to: 'after', reason }).refusal?.code).toBe('JumpIntoScope');
    expect(s.send({ type: 'jump', to: 'nowhere', reason }).refusal?.code).toBe('UnknownNode');
    s.act({ type: 'jump', token: 'start#1.1', to: 'a2', reason });
    expect(s.status).toBe('completed');
  });

  it('of the token that forked cancels the branches', () => {
    const s = new Scenario(forked).start().act({ type: 'jump', to: 'after', reason });
    expect(s.status).toBe('completed');
    expect(s.started('J')).toEqual([]);
    expect(s.run.requests.size).toBe(0);
    expect(s.run.scopes.size).toBe(1);
  });

  it('takes a failed run on from elsewhere', () => {
    const s = new Scenario(line, { b: () => broken('E') }).start().act({ type: 'jump', to: 'c', reason });
    expect(s.status).toBe('completed');
    expect(s.run.error).toBeUndefined();
    expect(s.run.endedAt).toBe(s.at);
    const inBranch = new Scenario(forked, { a: () => broken('E') }).start();
    expect(inBranch.status).toBe('failed');
    inBranch.act({ type: 'jump', token: 'start#1.0', to: 'a2', reason }).answer('b', { action: 'approve' });
    expect(inBranch.status).toBe('completed');
  });
});

describe('retry', () => {
  it('of a join that failed begins it anew with its branches', () => {
    const inputs: unknown[] = [];
    const J: Script[string] = ({ input, visit }) => {
      inputs.push(input);
      return visit === 1 ? broken('E') : done();
    };
    const s = new Scenario({ ...forked, nodes: { ...forked.nodes, b: step } }, { J }).start();
    s.act({ type: 'retry', reason });
    expect(s.status).toBe('completed');
    expect(inputs[0]).toHaveLength(2);
    expect(inputs[1]).toEqual(inputs[0]);
  });

  it('is a new visit that reads anew, and takes over recorded operations', () => {
    const reads: unknown[] = [];
    const s = new Scenario(line, {
      b: ({ visit, state, task }) => {
        reads.push(state.n);
        if (visit === 1)
          return { ops: [{ type: 'record', op: 'x#1', kind: 'run', digest: 'd', value: 9 }], ...broken('E') };
        const { value = null, adopted = false } = task.execution!.journal.get('x#1') ?? {};
        return done({ value, adopted });
      },
    }).start();
    s.act({ type: 'edit', set: { n: 4 }, reason }).act({ type: 'retry', reason });
    expect(reads).toEqual([0, 4]);
    expect(s.of('node.started').filter(({ node }) => node === 'b')).toMatchObject([
      { visit: 1 },
      { visit: 2, adopt: 1 },
    ]);
    expect(s.of('node.succeeded').find(({ node }) => node === 'b')?.output).toMatchObject({ value: 9, adopted: true });
  });

  it('of a paused run leaves it paused', () => {
    let fails = true;
    const definition = { ...forked, nodes: { ...forked.nodes, J: { ...step, join: 'any' } as NodeDefinition } };
    const s = new Scenario(definition, { a: () => (fails ? broken('E') : done()) })
      .start()
      .act({ type: 'pause', reason });
    fails = false;
    s.act({ type: 'retry', reason });
    expect(s.status).toBe('paused');
    expect(s.started('a')).toHaveLength(1);
    s.act({ type: 'resume', reason });
    expect(s.started('a')).toHaveLength(2);
    expect(s.status).toBe('completed');
  });

  it('does anew what was taken over when its arguments are others now', () => {
    const s = new Scenario(line, {
      b: ({ visit, task }) => {
        const known = task.execution!.journal.get('x#1');
        const digest = `d${visit}`;
        if (known?.digest === digest) return done(known.value ?? null);
        const ops = [{ type: 'record' as const, op: 'x#1', kind: 'run' as const, digest, value: visit }];
        return visit === 1 ? { ops, ...broken('E') } : { ops, ...done(visit) };
      },
    }).start();
    s.act({ type: 'retry', reason });
    expect(s.of('op.recorded').map(({ value, visit }) => [visit, value])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('names a node: one at work or waiting begins anew, a failed one with all that failed because of it', () => {
    const s = new Scenario(asks).start();
    const first = s.asked('b')!;
    s.act({ type: 'retry', node: 'b', reason });
    expect(s.asked('b')).not.toBe(first);
    expect(s.run.closedRequests.get(first)?.status).toBe('withdrawn');
    let fails = true;
    const branch = new Scenario(forked, { a: () => (fails ? broken('E') : done()) }).start();
    fails = false;
    branch.act({ type: 'retry', node: 'a', reason }).answer('b', { action: 'approve' });
    expect(branch.status).toBe('completed');
    expect(s.send({ type: 'retry', node: 'zz', reason }).refusal?.code).toBe('CannotRetry');
  });
});

describe('cancel', () => {
  it('C24: a cancelled run stops retrying', () => {
    const definition = {
      ...line,
      nodes: {
        ...line.nodes,
        a: { ...step, retry: { attempts: 10, backoff: '100ms' }, deadline: '10s' },
      } as GraphDefinition['nodes'],
    };
    for (const end of [broken('E'), done('late', { n: 3 })]) {
      const s = new Scenario(definition, { a: () => 'busy' }).start().advance(1000).act({ type: 'cancel', reason });
      expect(s.status).toBe('cancelling');
      s.advance(1000).finish('a', end).advance(30_000);
      expect(s.status).toBe('cancelled');
      expect(s.calls).toEqual(['a#1']);
      expect(s.run.timers.size).toBe(0);
      expect(s.state().n).toBe(0);
      expect(s.of('node.cancelled')).toHaveLength(1);
    }
    const waiting = new Scenario(asks).start();
    const id = waiting.asked('b')!;
    waiting.act({ type: 'cancel', reason });
    expect(waiting.status).toBe('cancelled');
    expect(waiting.open).toEqual([]);
    expect(waiting.tryAnswer(id, { action: 'approve' }).refusal?.code).toBe('RequestClosed');
    const backoff = new Scenario(definition, { a: () => broken('E') }).start().act({ type: 'cancel', reason });
    expect(backoff.status).toBe('cancelled');
    expect(backoff.advance(30_000).calls).toEqual(['a#1']);
  });

  it('C24: still records the outcome of an operation in flight, and begins no other', () => {
    const s = new Scenario(line, { a: () => 'busy' }).start();
    const ref = { token: '', node: 'a', visit: 1 };
    s.report(ref, { ops: [{ type: 'intend', op: 'pay#1', kind: 'run', digest: '', class: 'once' }] });
    s.act({ type: 'cancel', reason });
    s.report(ref, {
      ops: [
        { type: 'record', op: 'pay#1', kind: 'run', digest: '', value: 'paid' },
        { type: 'intend', op: 'mail#1', kind: 'run', digest: '', class: 'once' },
        { type: 'ask', op: 'ask#1', digest: '', request: { kind: 'confirmation', title: 'Now?' } },
      ],
    });
    s.finish('a', done());
    expect(s.of('op.recorded')).toMatchObject([{ op: 'pay#1', value: 'paid' }]);
    expect(s.of('op.intended')).toHaveLength(1);
    expect(s.of('request.opened')).toEqual([]);
    expect(s.status).toBe('cancelled');
  });

  it('is final: nothing is done to it any more, and cancelling it again changes nothing', () => {
    const s = new Scenario(asks).start().act({ type: 'cancel', reason });
    expect(s.send({ type: 'cancel', reason })).toEqual({ events: [] });
    for (const type of ['reopen', 'pause', 'resume'] as const)
      expect(s.send({ type, reason }).refusal?.code).toBe('WrongStatus');
    expect(s.send({ type: 'signal', name: 'x', value: 1 }).refusal?.code).toBe('WrongStatus');
    expect(s.send({ type: 'tick' })).toEqual({ events: [] });
  });
});

describe('reopen', () => {
  it('lets a completed or failed run be sent on; left alone it ends again', () => {
    const s = new Scenario(line).start().act({ type: 'reopen', reason });
    expect(s.status).toBe('paused');
    s.act({ type: 'jump', to: 'b', reason }).act({ type: 'resume', reason });
    expect(s.started()).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect(s.status).toBe('completed');
    expect(new Scenario(line).start().act({ type: 'reopen', reason }).act({ type: 'resume', reason }).status).toBe(
      'completed',
    );
    const failed = new Scenario(line, { b: () => broken('E') }).start().act({ type: 'reopen', reason });
    expect(failed.status).toBe('paused');
    expect(failed.act({ type: 'resume', reason }).status).toBe('failed');
  });
});

describe('the driver’s term', () => {
  it('an older one is refused whole, and a run that has ended is done, which is no error', () => {
    const s = new Scenario(line, { a: () => 'busy' }).start().act({ type: 'claim', owner: 'other', build: 'b2' });
    const report = (term: number) =>
      s.send({
        type: 'report',
        term,
        token: '',
        node: 'a',
        visit: 1,
        ops: [],
        end: { type: 'success', output: 1, updates: [] },
      });
    const old = report(1);
    expect(old.refusal?.code).toBe('TermLost');
    expect(old.events).toEqual([]);
    expect(report(2).refusal).toBeUndefined();
    s.drive();
    expect(s.status).toBe('completed');
    expect(report(2)).toEqual({ events: [] });
  });

  it('a run that was never started is unknown, and one that was is not started again', () => {
    expect(new Scenario(line).send({ type: 'tick' }).refusal?.code).toBe('UnknownRun');
    const s = new Scenario(line).start();
    expect(s.send({ type: 'start', runId: 'x', tenant: 't', input: {}, requestId: 'r' }).refusal?.code).toBe(
      'AlreadyStarted',
    );
  });

  it('an input that does not fit starts nothing', () => {
    const strict = { ...line, input: { type: 'object', required: ['x'] } };
    const { refusal, events } = new Scenario(strict).send(
      { type: 'start', runId: 'x', tenant: 't', input: {}, requestId: 'r' },
      USER,
    );
    expect(refusal?.code).toBe('InvalidInput');
    expect(events).toEqual([]);
  });
});
