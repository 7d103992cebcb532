import { describe, expect, it } from 'vitest';
import type { NodeDefinition } from '../graph/definition.ts';
import { broken, graph, type Played, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const request = { kind: 'confirmation' as const, title: 'Well?' };

/** One node of each type that the kernel runs itself, one after the other. */
const every = graph({
  nodes: {
    shape: { type: 'transform', output: { n: '1' } },
    ask: { type: 'ask', request },
    hold: { type: 'wait', for: '1h' },
    each: { type: 'map', items: '[1, 2]', body: { node: { type: 'transform', output: { got: 'item' } } } },
    inner: { type: 'subgraph', graph: 'inner', input: {} },
    fork: step,
    a: { type: 'transform' },
    b: { type: 'transform' },
    meet: { type: 'join' },
    stop: { type: 'fail', code: 'Stopped' },
  },
  routes: {
    shape: [{ to: ['ask'] }],
    ask: [{ to: ['hold'] }],
    hold: [{ to: ['each'] }],
    each: [{ to: ['inner'] }],
    inner: [{ to: ['fork'] }],
    fork: [{ to: ['a', 'b'] }],
    a: [{ to: ['meet'] }],
    b: [{ to: ['meet'] }],
    meet: [{ to: ['stop'] }],
  },
  graphs: { inner: graph({ name: 'inner', nodes: { x: { type: 'transform', output: { y: '2' } } } }) },
});

function checked(definition = every, script: Script = {}): Scenario {
  const s = new Scenario(definition, script);
  s.checks = true;
  return s.start();
}

describe('checks before nodes that the kernel runs itself', () => {
  it('are asked before each of them, and each does what it does without checks', () => {
    const s = checked();
    s.answer('ask', { action: 'approve' }).advance(3_600_000);
    const plain = new Scenario(every).start().answer('ask', { action: 'approve' }).advance(3_600_000);
    expect(s.of('node.passed').map(({ node }) => node)).toEqual([
      ...['shape', 'ask', 'hold', 'each', 'body', 'body', 'inner', 'x', 'a', 'b', 'meet', 'stop'],
    ]);
    const essence = (run: Scenario) =>
      run.events
        .filter(({ type }) => type === 'node.succeeded' || type === 'node.failed' || type === 'route.decided')
        .map(({ type, data }) => JSON.stringify({ type, data }))
        .sort();
    expect(essence(s)).toEqual(essence(plain));
    expect(s.run.error).toMatchObject({ code: 'Stopped' });
  });

  it('leave nothing behind where nobody asks them', () => {
    const s = new Scenario(every).start();
    expect(s.of('node.passed')).toEqual([]);
    expect(s.of('node.started').some(({ as }) => as === 'check')).toBe(false);
  });

  it('that deny fail the node before it does anything', () => {
    const s = checked(every, { 'check ask': () => broken('Denied', { permanent: true }) });
    expect(s.of('request.opened')).toEqual([]);
    expect(s.run.error?.code).toBe('Denied');
  });

  it('that ask before an `ask` node are answered by themselves: its own question comes after', () => {
    const op = 'check:policy#1';
    const before: Script[string] = ({ task }): Played =>
      task.execution?.journal.get(op)?.status === 'recorded'
        ? { end: { type: 'passed' } }
        : { ops: [{ type: 'ask', op, digest: '', request }], end: { type: 'suspended', ops: [op] } };
    const s = checked(every, { 'check ask': before });
    expect(s.status).toBe('suspended');
    s.answer('ask', { action: 'approve' });
    expect(s.of('node.succeeded').map(({ node }) => node)).toEqual(['shape']);
    s.answer('ask', { action: 'reject' });
    expect(s.of('node.succeeded')[1]).toMatchObject({ node: 'ask', outcome: 'reject' });
  });

  it('that ask before an `ask` node read for themselves that their question was withdrawn: the node does not pass by that', () => {
    const op = 'check:policy#1';
    const before: Script[string] = ({ task }): Played =>
      task.execution?.journal.get(op)?.status === 'recorded'
        ? broken('Denied', { permanent: true })
        : { ops: [{ type: 'ask', op, digest: '', request }], end: { type: 'suspended', ops: [op] } };
    const s = checked(every, { 'check ask': before });
    const id = [...s.run.requests.keys()][0]!;
    s.act({ type: 'withdrawRequest', request: id, reason: 'nobody decides' });
    expect(s.run.error?.code).toBe('Denied');
    expect(s.of('node.succeeded').map(({ node }) => node)).toEqual(['shape']);
  });

  it('hold a node of a paused run until that goes on', () => {
    let asked = 0;
    const s = checked(every, {
      'check shape': () => {
        asked += 1;
        return asked === 1 ? 'busy' : { end: { type: 'passed' } };
      },
    });
    s.act({ type: 'pause', reason: 'policy' });
    s.report({ token: '', node: 'shape', visit: 1 }, { end: { type: 'suspended', ops: [] } });
    expect(s.drive().of('node.passed')).toEqual([]);
    s.act({ type: 'resume', reason: 'seen' }).turn('shape').drive();
    expect(s.of('node.passed').map(({ node }) => node)).toEqual(['shape', 'ask']);
  });

  it('are asked of a fallback without a handler as well', () => {
    const definition = graph({
      nodes: { a: { ...step, fallback: { node: 'spare' } }, spare: { type: 'transform', output: { spared: 'true' } } },
      entry: 'a',
    });
    const s = checked(definition, { a: () => broken('E') });
    expect(s.of('node.passed')).toHaveLength(1);
    expect(s.run.output).toEqual({ spared: true });
    const denied = checked(definition, {
      a: () => broken('E'),
      'check spare': () => broken('Denied', { permanent: true }),
    });
    expect(denied.run.error?.code).toBe('Denied');
  });

  it('that are asked no more when the run goes on elsewhere let it pass', () => {
    const s = checked(every, { 'check shape': () => 'busy' });
    s.checks = false;
    s.report({ token: '', node: 'shape', visit: 1 }, { end: { type: 'passed' } });
    expect(s.open).toEqual(['ask']);
  });
});
