import { describe, expect, it } from 'vitest';
import type { NodeRef } from '../event/run-event.ts';
import type { NodeDefinition } from '../graph/definition.ts';
import { nodeKey } from './keys.ts';
import { broken, done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const LIST = { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' as const };
const add = (text: string): NodeDefinition => ({ ...step, update: { log: `['${text}']` } });

describe('a subgraph', () => {
  it('C11: a shared appended list is not doubled, however deep it is shared', () => {
    const s1 = graph({ name: 's', input: {}, state: { log: LIST }, nodes: { s: add('s1') } });
    const flat = graph({
      state: { log: LIST },
      nodes: { p: add('p1'), sub: { type: 'subgraph', graph: 's', share: ['log'] }, q: add('p2') },
      routes: { p: [{ to: ['sub'] }], sub: [{ to: ['q'] }] },
      graphs: { s: s1 },
    });
    expect(new Scenario(flat).start().state()).toEqual({ log: ['p1', 's1', 'p2'] });
    const t = graph({
      name: 't',
      input: {},
      state: { log: LIST },
      nodes: { inner: { type: 'subgraph', graph: 's', share: ['log'] } },
      graphs: { s: s1 },
    });
    const deep = {
      ...flat,
      nodes: { ...flat.nodes, sub: { type: 'subgraph', graph: 't', share: ['log'] } as NodeDefinition },
      graphs: { t },
    };
    const nested = new Scenario(deep).start();
    expect(nested.state()).toEqual({ log: ['p1', 's1', 'p2'] });
    const silent = { ...flat, graphs: { s: { ...s1, nodes: { s: step } } } };
    expect(new Scenario(silent).start().state()).toEqual({ log: ['p1', 'p2'] });
  });

  it('never shares a path with the branches of a fork at its end: keys made of paths are used once', () => {
    const charge = graph({ name: 'inner', input: {}, nodes: { charge: step } });
    const paths = new Scenario(
      graph({
        nodes: { sub: { type: 'subgraph', graph: 'inner' }, charge: step, other: step, meet: { type: 'join' } },
        routes: { sub: [{ to: ['charge', 'other'] }], charge: [{ to: ['meet'] }], other: [{ to: ['meet'] }] },
        graphs: { inner: charge },
      }),
    )
      .start()
      .events.filter(event => event.type === 'node.started')
      .map(({ data }) => nodeKey(data as NodeRef));
    expect(paths).toHaveLength(5);
    expect(new Set(paths).size).toBe(5);
  });

  it('has its own path, state and node names; what is not shared stays inside', () => {
    const inner = graph({
      name: 'inner',
      input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      state: { log: LIST, own: { schema: { type: 'integer', default: 1 } } },
      nodes: { p: { ...step, update: { log: "['inside']", own: 'input.n' } } },
      output: { got: 'state.own', log: 'state.log' },
    });
    const s = new Scenario(
      graph({
        state: { log: LIST },
        nodes: { p: add('p1'), sub: { type: 'subgraph', graph: 'inner', input: { n: '7' } } },
        routes: { p: [{ to: ['sub'] }] },
        graphs: { inner },
      }),
    ).start();
    expect(s.run.output).toEqual({ got: 7, log: ['inside'] });
    expect(s.state()).toEqual({ log: ['p1'] });
    expect(s.of('node.started').map(({ token, node, visit }) => `${token}/${node}#${visit}`)).toEqual([
      '/p#1',
      '/sub#1',
      'sub#1*.0/p#1',
    ]);
  });

  it('refuses an input that does not fit, and the node fails', () => {
    const inner = graph({
      name: 'inner',
      input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      nodes: { p: step },
    });
    const s = new Scenario(
      graph({
        nodes: { first: step, sub: { type: 'subgraph', graph: 'inner' }, saved: step },
        routes: { first: [{ to: ['sub'] }], sub: [{ to: ['saved'], on: ['failed'] }, { to: ['end'] }] },
        graphs: { inner },
      }),
    ).start();
    expect(s.of('node.failed')).toMatchObject([{ node: 'sub', error: { code: 'InvalidInput' } }]);
    expect(s.started('saved')).toHaveLength(1);
  });

  it('hands a failure inside to the node that runs it; retry goes on inside', () => {
    let fails = true;
    const inner = graph({ name: 'inner', input: {}, nodes: { a: step, b: step }, routes: { a: [{ to: ['b'] }] } });
    const script: Script = { b: () => (fails ? broken('E_B') : done('b')) };
    const s = new Scenario(
      graph({ nodes: { sub: { type: 'subgraph', graph: 'inner' } }, graphs: { inner } }),
      script,
    ).start();
    expect(s.status).toBe('failed');
    expect(s.run.error?.code).toBe('E_B');
    fails = false;
    s.act({ type: 'retry', reason: 'mended' });
    expect(s.status).toBe('completed');
    expect(s.started()).toEqual(['sub', 'a', 'b', 'b']);
  });

  it('fails when its output cannot be made, and a retry makes it after an edit', () => {
    const inner = graph({
      name: 'inner',
      input: {},
      state: { n: { schema: { type: 'integer', default: 0 } } },
      nodes: { a: step },
      output: { share: '10 / state.n' },
    });
    const s = new Scenario(graph({ nodes: { sub: { type: 'subgraph', graph: 'inner' } }, graphs: { inner } })).start();
    expect(s.run.error?.code).toBe('ConditionError');
    s.act({ type: 'edit', token: 'sub#1*.0', set: { n: 5 }, reason: 'no division by zero' });
    s.act({ type: 'retry', reason: 'edited' });
    expect(s.run.output).toEqual({ share: 2 });
    expect(s.started('a')).toHaveLength(1);
  });
});

describe('the output of a run', () => {
  it('that cannot be made fails the run, and a retry makes it after an edit', () => {
    const s = new Scenario(
      graph({
        state: { n: { schema: { type: 'integer', default: 0 } } },
        nodes: { a: step },
        output: { share: '10 / state.n' },
      }),
    ).start();
    expect(s.status).toBe('failed');
    s.act({ type: 'edit', set: { n: 2 }, reason: 'no division by zero' });
    s.act({ type: 'retry', reason: 'edited' });
    expect(s.status).toBe('completed');
    expect(s.run.output).toEqual({ share: 5 });
    expect(s.started('a')).toHaveLength(1);
  });
});
