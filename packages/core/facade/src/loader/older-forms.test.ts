import { describe, expect, it } from 'vitest';
import { loadGraph } from './load-graph.ts';

const TYPES = { work: {}, check: {} };

function load(text: string) {
  const { definition, faults } = loadGraph(text, { types: TYPES });
  const errors = faults.filter(fault => fault.severity === 'error');
  return { definition, faults: errors.map(({ code, line, column }) => `${code} ${line}:${column}`) };
}

describe('older forms', () => {
  it('nodes in a list, with params and route_to; the first is the entry', () => {
    const { definition, faults } = load(`name: x
nodes:
  - { name: a, type: work, params: { depth: 2 }, route_to: b }
  - { name: b, type: check }
`);
    expect(faults).toEqual([]);
    expect(definition).toEqual({
      name: 'x',
      entry: 'a',
      input: {},
      state: {},
      nodes: { a: { type: 'step', handler: 'work@1', with: { depth: 2 } }, b: { type: 'step', handler: 'check@1' } },
      routes: { a: [{ to: ['b'] }] },
    });
  });

  it('params of built-in types are keys of the node, of a question its request', () => {
    const { definition, faults } = load(`name: x
nodes:
  - { name: a, type: wait, params: { for: 2h }, route_to: b }
  - { name: b, type: decision, params: { title: Go on?, kind: confirmation }, next: { approve: c } }
  - { name: c, type: ask, params: { request: { title: Sure?, kind: confirmation } } }
`);
    expect(faults).toEqual([]);
    expect(definition?.nodes).toMatchObject({
      a: { type: 'wait', for: '2h' },
      b: { type: 'ask', request: { title: 'Go on?' } },
      c: { type: 'ask', request: { title: 'Sure?' } },
    });
  });

  it('params are read in a map of nodes as well', () => {
    const { definition, faults } = load('name: x\nentry: a\nnodes: { a: { type: work, params: { depth: 2 } } }\n');
    expect(faults).toEqual([]);
    expect(definition?.nodes.a).toMatchObject({ with: { depth: 2 } });
  });

  it('edges that are no list bring no fault of nodes out of reach', () => {
    expect(
      load('name: x\nnodes: [{ name: a, type: work }, { name: b, type: work }]\nedges: { a: b }\n').faults,
    ).toEqual(['WrongType 3:1']);
  });

  it('edges with conditions and outcomes', () => {
    const { definition, faults } = load(`name: x
nodes: [{ name: a, type: work }, { name: b, type: work }, { name: c, type: work }]
edges:
  - { from: a, to: b, condition: output.ok == true }
  - { from: a, to: c, condition: failed }
  - { from: a, to: c, condition: default }
  - { from: b, to: end }
`);
    expect(faults).toEqual([]);
    expect(definition?.routes).toEqual({
      a: [{ to: ['b'], when: 'output.ok == true' }, { to: ['c'], on: ['failed'] }, { to: ['c'] }],
      b: [{ to: ['end'] }],
    });
  });

  it('next as a target, by outcome and by condition, default last wherever it stands', () => {
    const { definition, faults } = load(`name: x
entry: a
nodes:
  a: { type: work, next: b }
  b: { type: work, next: { success: c, failed: d } }
  c: { type: work, next: { default: d, "output.n > 3": a } }
  d: { type: work }
`);
    expect(faults).toEqual([]);
    expect(definition?.routes).toEqual({
      a: [{ to: ['b'] }],
      b: [
        { to: ['c'], on: ['success'] },
        { to: ['d'], on: ['failed'] },
      ],
      c: [{ to: ['a'], when: 'output.n > 3' }, { to: ['d'] }],
    });
  });

  it('a list under next stays the list of targets that a handler may wish for', () => {
    const { definition } = load(
      'name: x\nentry: a\nnodes: { a: { type: work, next: [b] }, b: { type: work } }\nroutes: { a: { to: b } }\n',
    );
    expect(definition?.nodes.a).toMatchObject({ next: ['b'] });
    expect(definition?.routes).toEqual({ a: [{ to: ['b'] }] });
  });

  it('routes may be one route, a target or a map of conditions', () => {
    const { definition, faults } = load(`name: x
entry: a
nodes: { a: { type: work }, b: { type: work }, c: { type: work } }
routes:
  a: { to: b, because: always }
  b: { output.ok: a, default: c }
  c: end
`);
    expect(faults).toEqual([]);
    expect(definition?.routes).toEqual({
      a: [{ to: ['b'], because: 'always' }],
      b: [{ to: ['a'], when: 'output.ok' }, { to: ['c'] }],
      c: [{ to: ['end'] }],
    });
  });

  it('forms may be mixed and may say the same twice, but not two things', () => {
    const mixed = (edge: string) => `name: x
nodes: [{ name: a, type: work, next: b }, { name: b, type: work }, { name: c, type: work }]
routes: { b: c }
edges: [{ from: a, to: ${edge} }]
`;
    expect(load(mixed('b')).faults).toEqual([]);
    expect(load(mixed('c')).faults).toEqual(['ContradictoryRoutes 2:32']);
  });

  it('several targets without a condition are refused: a fork or a choice?', () => {
    expect(
      load(
        'name: x\nnodes: [{ name: a, type: work, route_to: [b, c] }, { name: b, type: work }, { name: c, type: work }]\n',
      ).faults,
    ).toEqual(['AmbiguousRoutes 2:42']);
    const edges = 'edges: [{ from: a, to: b }, { from: a, to: c }]\n';
    expect(
      load(`name: x\nnodes: [{ name: a, type: work }, { name: b, type: work }, { name: c, type: work }]\n${edges}`)
        .faults,
    ).toContain('AmbiguousRoutes 3:29');
  });

  it('faults in them have their place', () => {
    expect(
      load(`name: x
nodes:
  - { type: work }
  - { name: 3, type: work }
  - { name: a, type: work, params: { x: 1 }, with: { x: 2 } }
  - work
edges:
  - { to: a }
  - { from: a, to: nowhere }
`).faults,
    ).toEqual(['MissingKey 3:5', 'TextWanted 4:13', 'KeyTwice 5:28', 'WrongType 6:5', 'WrongType 8:5']);
  });

  it('a nested graph may be in the older form too', () => {
    const { definition, faults } = load(`name: x
nodes: [{ name: a, type: subgraph, params: { graph: inner } }]
graphs: { inner: { nodes: [{ name: b, type: work }] } }
`);
    expect(faults).toEqual([]);
    expect(definition?.graphs?.inner).toMatchObject({ name: 'inner', entry: 'b', routes: {} });
  });
});
