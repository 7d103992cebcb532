import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeCommon, NodeDefinition, RetryPolicy } from '../graph/definition.ts';
import { broken, done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };

function one(extra: Partial<NodeCommon>, more: Partial<GraphDefinition> = {}) {
  return graph({
    nodes: { a: { ...step, ...extra } as NodeDefinition, after: step, saved: step },
    routes: { a: [{ to: ['after'] }, { to: ['saved'], on: ['failed'] }] },
    ...more,
  });
}

function failing(times: number, code = 'E', extra = {}): Script[string] {
  return ({ attempt }) => (attempt <= times ? broken(code, extra) : done(`attempt ${attempt}`));
}

describe('a retry', () => {
  const retry: RetryPolicy = { attempts: 3, backoff: '100ms', jitter: 0 };

  it('tries again after the back-off, up to its attempts, and reads what the first attempt read', () => {
    const reads: unknown[] = [];
    const definition = one({ retry }, { state: { n: { schema: { type: 'integer', default: 0 } } } });
    const s = new Scenario(definition, {
      a: call => {
        reads.push(call.state.n);
        return failing(2)!(call);
      },
    }).start();
    s.act({ type: 'edit', set: { n: 7 }, reason: 'test' });
    expect(s.status).toBe('running');
    s.advance(1000);
    expect(reads).toEqual([0, 0, 0]);
    expect(s.started()).toEqual(['a', 'after']);
    expect(s.of('node.retryScheduled').map(({ attempt, durable }) => [attempt, durable])).toEqual([
      [2, false],
      [3, false],
    ]);
    expect(s.of('node.succeeded')[0]?.output).toBe('attempt 3');
  });

  it('gives up after its attempts: the error is readable by the on: failed target', () => {
    const definition = one({ retry });
    const nodes = { ...definition.nodes, saved: { ...step, input: { code: 'run.error.code' } } as NodeDefinition };
    const s = new Scenario({ ...definition, nodes }, { a: failing(9), saved: ({ input }) => done(input) })
      .start()
      .advance(10_000);
    expect(s.of('node.failed')).toMatchObject([{ attempt: 3, error: { code: 'E' } }]);
    expect(s.run.output).toEqual({ code: 'E' });
  });

  it('grows by its factor up to its ceiling, varied by a jitter that is the same after a crash', () => {
    const waits = (policy: RetryPolicy) => {
      const s = new Scenario(one({ retry: policy }), { a: failing(9) }).start().advance(600_000);
      const seen = s.steps.flatMap(({ at, events }) =>
        events.flatMap(event => (event.type === 'node.retryScheduled' ? [event.data.at - at] : [])),
      );
      return seen;
    };
    expect(waits({ attempts: 5, backoff: '1s', maxBackoff: '5s', jitter: 0 })).toEqual([1000, 2000, 4000, 5000]);
    const varied = waits({ attempts: 4, backoff: '1s', jitter: 0.5 });
    expect(waits({ attempts: 4, backoff: '1s', jitter: 0.5 })).toEqual(varied);
    for (const [index, wait] of varied.entries()) {
      expect(wait).toBeLessThanOrEqual(1000 * 2 ** index);
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index);
    }
    expect(varied).not.toEqual([1000, 2000, 4000]);
  });

  it('of a second and more is a durable timer, and the run is suspended meanwhile', () => {
    const s = new Scenario(one({ retry: { attempts: 2, backoff: '1s', jitter: 0 } }), { a: failing(1) }).start();
    expect(s.status).toBe('suspended');
    s.advance(1000);
    expect(s.status).toBe('completed');
  });

  it('does not happen for permanent errors, for others than it names, nor for a returned failure', () => {
    const attempts = (policy: RetryPolicy, script: Script[string]) => {
      const s = new Scenario(one({ retry: policy }), { a: script! }).start().advance(10_000);
      return s.calls.filter(call => call === 'a#1').length;
    };
    expect(attempts(retry, failing(9, 'E', { permanent: true }))).toBe(1);
    expect(attempts({ ...retry, on: ['OTHER'] }, failing(9))).toBe(1);
    expect(attempts({ ...retry, on: ['E'] }, failing(9))).toBe(3);
    expect(attempts(retry, failing(9, 'E', { retry: false }))).toBe(1);
  });

  it('keeps what was recorded, and does again only what failed', () => {
    const s = new Scenario(one({ retry }), {
      a: ({ attempt, task }) => {
        const fetched = task.execution!.journal.get('fetch#1');
        if (attempt === 1)
          return { ops: [{ type: 'record', op: 'fetch#1', kind: 'run', digest: '', value: 5 }], ...broken('E') };
        return done(fetched?.value ?? 'lost');
      },
    })
      .start()
      .advance(1000);
    expect(s.of('node.succeeded')[0]?.output).toBe(5);
  });

  it('that a handler asks for happens within its policy, or up to three times without one', () => {
    const again: Script = { a: () => ({ end: { type: 'retry', after: 50, reason: 'not yet' } }) };
    const without = new Scenario(one({}), again).start().advance(1000);
    expect(without.calls.filter(call => call === 'a#1')).toHaveLength(3);
    expect(without.of('node.failed')[0]?.error.code).toBe('RetryAsked');
    const within = new Scenario(one({ retry: { attempts: 5 } }), again).start().advance(1000);
    expect(within.calls.filter(call => call === 'a#1')).toHaveLength(5);
  });
});

describe('a deadline of a node', () => {
  it('is wall time from its start: a wait, a retry and a handler at work end with it', () => {
    const wait = one({});
    const waits = {
      ...wait,
      nodes: { ...wait.nodes, a: { type: 'wait', signal: 'x', deadline: '1h' } as NodeDefinition },
    };
    const retrying = one({ retry: { attempts: 9, backoff: '40m', maxBackoff: '40m', jitter: 0 }, deadline: '1h' });
    for (const [definition, script] of [
      [waits, {}],
      [retrying, { a: failing(9) }],
      [one({ deadline: '1h' }), { a: () => 'busy' as const }],
    ] as const) {
      const s = new Scenario(definition, script).start().advance(3_600_000);
      expect(s.of('node.failed')).toMatchObject([{ node: 'a', error: { code: 'DeadlineExceeded' } }]);
      expect(s.status).toBe('completed');
      expect(s.started()).toEqual(['a', 'saved']);
      expect(s.run.timers.size).toBe(0);
    }
  });

  it('withdraws the question of the node', () => {
    const asks = one({});
    const ask: NodeDefinition = { type: 'ask', deadline: '1h', request: { kind: 'confirmation', title: 'Yes?' } };
    const s = new Scenario({ ...asks, nodes: { ...asks.nodes, a: ask } }).start().advance(3_600_000);
    expect(s.of('request.withdrawn')).toMatchObject([{ reason: 'failed' }]);
    expect(s.started()).toEqual(['a', 'saved']);
  });

  it('is a report of the driver where it is executing time: a timeout is retried like any error', () => {
    const s = new Scenario(one({ retry: { attempts: 2, backoff: '10ms' }, timeout: '1s' }), {
      a: failing(1, 'Timeout'),
    })
      .start()
      .advance(100);
    expect(s.of('node.succeeded')[0]?.output).toBe('attempt 2');
  });
});

describe('a fallback', () => {
  it('node: its output stands as the node’s own, marked degraded, and the routes of the node go on', () => {
    const definition = one(
      { fallback: { node: 'spare' }, update: { got: 'output' } },
      { state: { got: { schema: {} } } },
    );
    const nodes = { ...definition.nodes, spare: step };
    const s = new Scenario({ ...definition, nodes }, { a: () => broken('E'), spare: () => done('spare') }).start();
    expect(s.started()).toEqual(['a', 'after']);
    expect(s.of('node.succeeded')[0]).toMatchObject({
      node: 'a',
      output: 'spare',
      degraded: { by: 'spare', error: { code: 'E' } },
    });
    expect(s.state()).toEqual({ got: 'spare' });
    expect(s.run.tokens.get('')?.nodes.a).toMatchObject({ status: 'success', degraded: true });
  });

  it('comes after the last attempt; only when it fails too is the node failed', () => {
    const definition = one({ fallback: { node: 'spare' }, retry: { attempts: 2, backoff: '10ms' } });
    const nodes = { ...definition.nodes, spare: step };
    const s = new Scenario({ ...definition, nodes }, { a: () => broken('E'), spare: () => broken('E_SPARE') })
      .start()
      .advance(100);
    expect(s.calls.filter(call => call === 'a#1')).toHaveLength(3);
    expect(s.of('node.failed')).toMatchObject([{ node: 'a', error: { code: 'E_SPARE' } }]);
    expect(s.started()).toEqual(['a', 'saved']);
  });

  it('node closes what the first handler had open, and finds nothing of it but what it had recorded', () => {
    const request = {
      kind: 'confirmation' as const,
      title: 'Yes?',
      deadline: { after: '1m', onExpire: 'fail' as const },
    };
    const definition = one({ fallback: { node: 'spare' } });
    const nodes = { ...definition.nodes, spare: step };
    const journals: unknown[] = [];
    const s = new Scenario(
      { ...definition, nodes },
      {
        a: () => ({
          ops: [
            { type: 'record', op: 'x#1', kind: 'run', digest: '', value: 1 },
            { type: 'ask', op: 'ask#1', digest: '', request },
            {
              type: 'ask',
              op: 'ask#2',
              digest: '',
              request: { ...request, deadline: { after: '2m', onExpire: 'fail' } },
            },
          ],
          end: { type: 'suspended', ops: ['ask#1', 'ask#2'] },
        }),
        spare: ({ task }) => {
          journals.push([...task.execution!.journal.values()].map(({ op, left }) => ({ op, left })));
          return done('spare');
        },
      },
    )
      .start()
      .advance(60_000);
    expect(journals).toEqual([[{ op: 'x#1', left: true }]]);
    expect(s.run.requests.size + s.run.timers.size).toBe(0);
    expect(s.started()).toEqual(['a', 'after']);
  });

  it('transform: stands in without any handler', () => {
    const definition = one({ fallback: { node: 'spare' } });
    const nodes = {
      ...definition.nodes,
      spare: { type: 'transform', output: { by: "'default'", code: 'run.error.code' } } as NodeDefinition,
    };
    const s = new Scenario({ ...definition, nodes }, { a: () => broken('E') }).start();
    expect(s.of('node.succeeded')[0]).toMatchObject({
      output: { by: 'default', code: 'E' },
      degraded: { by: 'spare' },
    });
  });

  it('lastGood: the last good output of this node, as long as it is not too old', () => {
    const definition = graph({
      nodes: { a: { ...step, fallback: { lastGood: { maxAge: '1h' } } }, again: { type: 'wait', for: '50m' } },
      routes: { a: [{ to: ['again'] }], again: [{ to: ['a'], when: 'run.step < 6' }, { to: ['end'] }] },
    });
    const s = new Scenario(definition, { a: ({ visit }) => (visit === 1 ? done('good') : broken('E')) })
      .start()
      .advance(50 * 60_000);
    expect(
      s
        .of('node.succeeded')
        .filter(({ node }) => node === 'a')
        .at(-1),
    ).toMatchObject({ output: 'good', degraded: { by: 'lastGood' } });
    s.advance(50 * 60_000);
    expect(s.status).toBe('failed');
    const handed = one({ fallback: { lastGood: { maxAge: '1h' } } });
    const lastGood = { output: 'from another run', at: Date.UTC(2026, 2, 2, 8, 30) };
    const other = new Scenario(handed, {
      a: () => ({ end: { type: 'failed', error: { code: 'E', message: 'e' }, lastGood } }),
    }).start();
    expect(other.of('node.succeeded')[0]?.output).toBe('from another run');
  });

  it('lastGood: is remembered over a fork, and not taken for a node of that name in another graph', () => {
    const good: NodeDefinition = { ...step, fallback: { lastGood: { maxAge: '1h' } } };
    const looped = graph({
      nodes: { start: step, a: good, b: step, J: { type: 'join' } },
      routes: {
        start: [{ to: ['a', 'b'] }],
        a: [{ to: ['J'] }],
        b: [{ to: ['J'] }],
        J: [{ to: ['start'], when: 'run.visits.start < 2' }, { to: ['end'] }],
      },
      limits: { noProgress: false },
    });
    let calls = 0;
    const once: Script = {
      a: () => {
        calls += 1;
        return calls === 1 ? done('good') : broken('E');
      },
    };
    const s = new Scenario(looped, once).start();
    expect(s.status).toBe('completed');
    expect(s.run.output).toMatchObject([{ output: 'good' }, { output: 'b' }]);
    calls = 0;
    const inner = graph({ name: 'inner', input: {}, nodes: { a: good } });
    const nested = graph({
      nodes: { a: step, sub: { type: 'subgraph', graph: 'inner', input: {} } },
      routes: { a: [{ to: ['sub'] }] },
      graphs: { inner },
    });
    expect(new Scenario(nested, once).start().run.error?.code).toBe('E');
  });

  it('of a map ends what its items had open', () => {
    const map: NodeDefinition = {
      type: 'map',
      items: '[1, 2]',
      fallback: { node: 'spare' },
      body: {
        node: {
          type: 'ask',
          request: { kind: 'confirmation', title: 'Yes?', deadline: { after: '1m', onExpire: 'fail' } },
        },
      },
    };
    const s = new Scenario(graph({ nodes: { each: map, spare: step } }), { spare: () => done('spare') }).start();
    s.advance(60_000);
    expect(s.status).toBe('completed');
    expect(s.run.output).toBe('spare');
    expect(s.run.requests.size + s.run.scopes.size).toBe(1);
  });
});

describe('an ending that the handler chooses', () => {
  it('skipped: the outcome is readable, and routes without on stand for it', () => {
    const definition = one({});
    const s = new Scenario(definition, { a: () => ({ end: { type: 'skipped', reason: 'nothing to do' } }) }).start();
    expect(s.started()).toEqual(['a', 'after']);
    expect(s.run.tokens.get('')?.nodes.a?.status).toBe('skipped');
    const routes = { a: [{ to: ['saved'], on: ['skipped' as const] }, { to: ['after'] }] };
    expect(
      new Scenario({ ...definition, routes }, { a: () => ({ end: { type: 'skipped' } }) }).start().started(),
    ).toEqual(['a', 'saved']);
  });

  it('an output that does not fit its schema fails the node, and is not tried again', () => {
    const typed = one({ output: { type: 'object', required: ['n'] }, retry: { attempts: 3 } } as Partial<NodeCommon>);
    const s = new Scenario(typed, { a: () => done({}) }).start().advance(10_000);
    expect(s.of('node.failed')).toMatchObject([{ attempt: 1, error: { code: 'InvalidOutput' } }]);
    expect(s.started()).toEqual(['a', 'saved']);
  });

  it('broken off outside a cancellation fails the node: no token is lost', () => {
    const s = new Scenario(one({}), { a: () => ({ end: { type: 'cancelled' } }) }).start();
    expect(s.of('node.failed')).toMatchObject([{ error: { code: 'Cancelled' } }]);
    expect(s.started()).toEqual(['a', 'saved']);
  });

  it('a changed code suspends the run, and does not fail it; resume tries again', () => {
    let changed = true;
    const error = { code: 'NonDeterminismError', message: 'both sides' };
    const s = new Scenario(one({}), { a: () => (changed ? { end: { type: 'mismatch', error } } : done()) }).start();
    expect(s.status).toBe('suspended');
    expect(s.run.suspend).toMatchObject({ reason: 'codeChanged' });
    changed = false;
    s.act({ type: 'resume', reason: 'deployed' });
    expect(s.status).toBe('completed');
  });

  it('fail: a node that fails on purpose, with its code and message', () => {
    const s = new Scenario(
      graph({ nodes: { a: { type: 'fail', code: 'TooLate', message: { cel: "'at step ' + string(run.step)" } } } }),
    ).start();
    expect(s.run.error).toMatchObject({ code: 'TooLate', message: 'at step 1' });
  });
});
