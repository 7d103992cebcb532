import { describe, expect, it } from 'vitest';
import type { NodeDefinition } from '../graph/definition.ts';
import type { OpReport } from './command.ts';
import { broken, done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const undoable: NodeDefinition = { ...step, compensate: { handler: 'undo' } };
const ask: NodeDefinition = { type: 'ask', request: { kind: 'confirmation', title: 'Go on?' } };

const line = graph({
  nodes: { a: undoable, b: undoable, c: step },
  routes: { a: [{ to: ['b'] }], b: [{ to: ['c'] }] },
});
const fails: Script = { c: () => broken('E') };

/** The compensations carried out, as `token/node#visit`. */
function undone(s: Scenario): string[] {
  return s
    .of('compensation.finished')
    .filter(({ error }) => error === undefined)
    .map(({ token, node, visit }) => `${token}/${node}#${visit}`);
}

describe('compensation', () => {
  it('undoes what succeeded, last first, before a failed run ends; the run says complete', () => {
    const s = new Scenario(line, fails).start();
    expect(undone(s)).toEqual(['/b#1', '/a#1']);
    expect(s.status).toBe('failed');
    expect(s.run.error?.code).toBe('E');
    expect(s.run.compensation).toBe('complete');
    expect(s.send({ type: 'retry', reason: 'x' }).refusal?.code).toBe('CannotRetry');
  });

  it('is one at a time, each visit by itself with its own input and output', () => {
    const loop = graph({
      state: { n: { schema: { type: 'integer' }, reducer: 'sum' } },
      nodes: { a: { ...undoable, input: { n: 'state.n' }, update: { n: '1' } }, c: step },
      routes: { a: [{ to: ['a'], when: 'state.n < 3' }, { to: ['c'] }] },
    });
    const s = new Scenario(loop, { a: ({ visit }) => done(`out ${visit}`), c: () => 'busy' }).start();
    expect(s.run.compensations.map(({ visit, input, output }) => [visit, input, output])).toEqual([
      [1, { n: 0 }, 'out 1'],
      [2, { n: 1 }, 'out 2'],
      [3, { n: 2 }, 'out 3'],
    ]);
    s.finish('c', broken('E'));
    expect(undone(s)).toEqual(['/a#3', '/a#2', '/a#1']);
    const order = s.events.map(({ type }) => type).filter(type => type.startsWith('compensation'));
    expect(order).toEqual(Array.from({ length: 3 }, () => ['compensation.started', 'compensation.finished']).flat());
  });

  it('goes across branches and items in falling order of success', () => {
    const forked = graph({
      nodes: {
        start: step,
        a: undoable,
        each: { type: 'map', items: '[1, 2]', body: { node: undoable } },
        J: { ...step, join: 'all' },
        c: step,
      },
      routes: { start: [{ to: ['a', 'each'] }], a: [{ to: ['J'] }], each: [{ to: ['J'] }], J: [{ to: ['c'] }] },
    });
    const s = new Scenario(forked, fails, 'last').start();
    expect(undone(s)).toEqual(['start#1.0/a#1', 'start#1.1/each#1*.0/body#1', 'start#1.1/each#1*.1/body#1']);
    expect(s.run.compensation).toBe('complete');
  });

  it('that fails is tried again; one that fails for good holds up nothing and ends as one request listing all', () => {
    let tries = 0;
    const s = new Scenario(line, {
      ...fails,
      'undo b': () => {
        tries += 1;
        return broken('E_UNDO');
      },
      'undo a': ({ attempt }) => (attempt === 1 ? broken('E_ONCE') : done()),
    }).start();
    expect(tries).toBe(3);
    expect(undone(s)).toEqual(['/a#1']);
    expect(s.status).toBe('failed');
    expect(s.run.compensation).toBe('incomplete');
    const requests = [...s.run.requests.values()];
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      about: 'compensation',
      definition: { context: [{ node: 'b', visit: 1, error: { code: 'E_UNDO' } }] },
    });
    s.answer(requests[0]!.id, { action: 'approve' });
    expect(s.open).toEqual([]);
    expect(s.status).toBe('failed');
  });

  it('that fails as permanent is not tried again', () => {
    let tries = 0;
    const undo = () => {
      tries += 1;
      return broken('E_UNDO', { permanent: true });
    };
    new Scenario(line, { ...fails, 'undo b': undo }).start();
    expect(tries).toBe(1);
  });

  it('does not happen where the failure is handled', () => {
    const handled = {
      ...line,
      nodes: { ...line.nodes, saved: step },
      routes: { ...line.routes, c: [{ to: ['saved'], on: ['failed' as const] }, { to: ['end'] }] },
    };
    const s = new Scenario(handled, fails).start();
    expect(s.status).toBe('completed');
    expect(undone(s)).toEqual([]);
  });

  it('leaves alone a node that only its fallback stood in for', () => {
    const degraded = {
      ...line,
      nodes: { ...line.nodes, b: { ...undoable, fallback: { node: 'spare' } } as NodeDefinition, spare: step },
    };
    const s = new Scenario(degraded, { ...fails, b: () => broken('E_B') }).start();
    expect(undone(s)).toEqual(['/a#1']);
  });

  it('undoes a node that its fallback stood in for when its own handler had done something once, or may have', () => {
    const node = (fallback: object): NodeDefinition => ({ ...undoable, ...fallback, timeout: '5s' });
    const intent = { type: 'intend', op: 'pay#1', kind: 'run', digest: '', class: 'once' } as const;
    const record = { type: 'record', op: 'pay#1', kind: 'run', digest: '' } as const;
    const undoneAfter = (ops: readonly OpReport[], fallback: object = { fallback: { node: 'spare' } }) => {
      const degraded = { ...line, nodes: { ...line.nodes, b: node(fallback), spare: step } };
      return undone(new Scenario(degraded, { ...fails, b: () => ({ ops, ...broken('E_B') }) }).start());
    };
    expect(undoneAfter([intent, { ...record, value: 'paid' }])).toEqual(['/b#1', '/a#1']);
    expect(undoneAfter([intent])).toEqual(['/b#1', '/a#1']);
    expect(undoneAfter([intent, { ...record, error: { code: 'E', message: 'refused' } }])).toEqual(['/a#1']);
  });

  it('closes the questions of parked branches first, since what they would lead to is undone', () => {
    const forked = graph({
      nodes: { a: undoable, start: step, b: ask, c: step, J: { ...step, join: 'all' } },
      routes: { a: [{ to: ['start'] }], start: [{ to: ['b', 'c'] }], b: [{ to: ['J'] }], c: [{ to: ['J'] }] },
    });
    const s = new Scenario(forked, fails).start();
    expect(s.status).toBe('failed');
    expect(s.open).toEqual([]);
    expect(undone(s)).toEqual(['/a#1']);
  });

  it('of a cancelled run happens if asked for', () => {
    const asks = { ...line, nodes: { ...line.nodes, c: ask } };
    const without = new Scenario(asks).start().act({ type: 'cancel', reason: 'x' });
    expect(without.status).toBe('cancelled');
    expect(undone(without)).toEqual([]);
    const s = new Scenario(asks).start().act({ type: 'cancel', reason: 'x', compensate: true });
    expect(s.status).toBe('cancelled');
    expect(s.run.compensation).toBe('complete');
    expect(undone(s)).toEqual(['/b#1', '/a#1']);
  });

  it('of a cancelled run takes in a node that ends well while the run is being cancelled', () => {
    const nodes = { ...line.nodes, c: { ...undoable, update: { n: '1' } } as NodeDefinition };
    const late = { ...line, nodes, state: { n: { schema: { type: 'integer' }, reducer: 'sum' as const } } };
    const paying = (compensate: boolean) => {
      const s = new Scenario(late, { c: () => 'busy' }).start();
      const intent = { type: 'intend', op: 'pay#1', kind: 'run', digest: '', class: 'once' } as const;
      s.report({ token: '', node: 'c', visit: 1 }, { ops: [intent] });
      s.act({ type: 'cancel', reason: 'x', compensate });
      expect(s.status).toBe('cancelling');
      const record = { type: 'record', op: 'pay#1', kind: 'run', digest: '', value: 'paid' } as const;
      return s.finish('c', { ops: [record], ...done('paid') });
    };
    const s = paying(true);
    expect(s.of('op.recorded')).toMatchObject([{ op: 'pay#1', value: 'paid' }]);
    expect(s.of('node.cancelled')).toMatchObject([{ node: 'c', done: { output: 'paid' } }]);
    expect(undone(s)).toEqual(['/c#1', '/b#1', '/a#1']);
    expect(s.state()).toEqual({ n: 0 });
    expect(s.run).toMatchObject({ status: 'cancelled', compensation: 'complete' });
    expect(undone(paying(false))).toEqual([]);
  });

  it('of a cancelled run leaves alone what fails, or gives out nothing that fits, while the run is being cancelled', () => {
    const late = {
      ...line,
      nodes: { ...line.nodes, c: { ...undoable, output: { type: 'string' } } as NodeDefinition },
    };
    for (const end of [broken('E'), done(5)]) {
      const s = new Scenario(late, { c: () => 'busy' }).start().act({ type: 'cancel', reason: 'x', compensate: true });
      expect(undone(s.finish('c', end))).toEqual(['/b#1', '/a#1']);
    }
  });

  it('goes on when the run is cancelled meanwhile; then the run is cancelled, not failed', () => {
    const s = new Scenario(line, { ...fails, 'undo b': () => 'busy' }).start();
    expect(s.status).toBe('compensating');
    s.act({ type: 'cancel', reason: 'enough' }).act({ type: 'cancel', reason: 'again' });
    expect(s.status).toBe('compensating');
    const { token, node, visit } = s.run.compensating!.running!;
    s.act({ type: 'compensated', term: s.run.term, ref: { token, node, visit } });
    expect(undone(s)).toEqual(['/b#1', '/a#1']);
    expect(s.run).toMatchObject({ status: 'cancelled', compensation: 'complete' });
    expect(s.of('run.cancelled')).toMatchObject([{ reason: 'enough' }]);
    expect(s.send({ type: 'reopen', reason: 'x' }).refusal?.code).toBe('WrongStatus');
  });
});
