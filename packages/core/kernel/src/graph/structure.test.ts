import { describe, expect, it } from 'vitest';
import type { GraphDefinition, JoinMode, RouteDefinition } from './definition.ts';
import { analyzeStructure } from './structure.ts';

type Ways = Record<string, (string | string[] | RouteDefinition)[]>;

/** A graph of transforms; the first node is the entry, `joins` close scopes. */
function graph(ways: Ways, joins: Record<string, JoinMode> = {}): GraphDefinition {
  const targets = Object.values(ways).flatMap(list => list.flatMap(way => toRoute(way).to));
  const names = new Set([...Object.keys(ways), ...targets, ...Object.keys(joins)].filter(name => name !== 'end'));
  return {
    name: 'g',
    input: {},
    state: {},
    entry: Object.keys(ways)[0]!,
    nodes: Object.fromEntries(
      [...names].map(name => [name, { type: 'transform', ...(joins[name] ? { join: joins[name] } : {}) }]),
    ),
    routes: Object.fromEntries(Object.entries(ways).map(([name, list]) => [name, list.map(toRoute)])),
  };
}

function toRoute(way: string | string[] | RouteDefinition): RouteDefinition {
  if (typeof way === 'string') return { to: [way] };
  return Array.isArray(way) ? { to: way } : way;
}

function codes(definition: GraphDefinition): string[] {
  return analyzeStructure(definition).faults.map(({ code, pointer, severity }) => `${severity} ${code} ${pointer}`);
}

describe('the structure of a graph', () => {
  it('C13 (1): gives start the join J, whichever branches end before it', () => {
    const definition = graph(
      { start: [['if1', 'if2']], if1: ['a', 'end'], if2: ['b', 'end'], a: ['J'], b: ['J'], J: ['end'] },
      { J: 'all' },
    );
    const structure = analyzeStructure(definition);
    expect(structure.faults).toEqual([]);
    expect(structure.joinOf('start', 0)).toBe('J');
    expect(Object.fromEntries(structure.scopeOf)).toEqual({
      start: '',
      if1: 'start#0',
      if2: 'start#0',
      a: 'start#0',
      b: 'start#0',
      J: '',
    });
  });

  it('C13 (2): asks for no join where a diamond has no fork', () => {
    const definition = graph({ cond: ['u', 'm'], u: ['m'], m: ['end'] });
    const structure = analyzeStructure(definition);
    expect(structure.faults).toEqual([]);
    expect(structure.joinOf('cond', 0)).toBeUndefined();
    expect([...structure.scopeOf.values()]).toEqual(['', '', '']);
  });

  it('nests forks, each with its own join', () => {
    const definition = graph(
      { f: [['a', 'b']], a: [['c', 'd']], c: ['k'], d: ['k'], k: ['j'], b: ['j'], j: [] },
      { k: 'all', j: 'any' },
    );
    const structure = analyzeStructure(definition);
    expect(structure.faults).toEqual([]);
    expect([structure.joinOf('f', 0), structure.joinOf('a', 0)]).toEqual(['j', 'k']);
    expect([structure.scopeOf.get('c'), structure.scopeOf.get('k'), structure.scopeOf.get('j')]).toEqual([
      'a#0',
      'f#0',
      '',
    ]);
    expect([structure.encloses('f#0', 'a#0'), structure.encloses('a#0', 'f#0'), structure.encloses('', 'a#0')]).toEqual(
      [true, false, true],
    );
  });

  it('lets a branch loop, a join be a branch itself, and the graph go round after the join', () => {
    const definition = graph({ f: [['a', 'j']], a: ['b'], b: ['a', 'j'], j: ['f', 'end'] }, { j: { count: 1 } });
    expect(codes(definition)).toEqual([]);
  });

  it('knows a fork whose branches can only end by having no join', () => {
    const structure = analyzeStructure(graph({ f: [['a', 'b']], a: ['x'], b: ['end'] }));
    expect(structure.faults).toEqual([]);
    expect(structure.joinOf('f', 0)).toBeUndefined();
    expect(structure.scopeOf.get('x')).toBe('f#0');
  });

  it('lets two routes of one fork share branches and the join', () => {
    const structure = analyzeStructure(
      graph(
        {
          f: [
            ['a', 'b'],
            ['a', 'c'],
          ],
          a: ['j'],
          b: ['j'],
          c: ['j'],
          j: [],
        },
        { j: 'all' },
      ),
    );
    expect(structure.faults).toEqual([]);
    expect([structure.joinOf('f', 0), structure.joinOf('f', 1)]).toEqual(['j', 'j']);
    expect(structure.scopes.size).toBe(1);
  });

  it('lets two routes of one fork have a join each, and a third open no scope', () => {
    const structure = analyzeStructure(
      graph(
        { f: [['a', 'b'], ['c', 'd'], 'z'], a: ['j'], b: ['j'], c: ['k'], d: ['k'], j: ['z'], k: ['z'], z: [] },
        { j: 'all', k: 'any' },
      ),
    );
    expect(structure.faults).toEqual([]);
    expect([0, 1, 2].map(route => structure.joinOf('f', route))).toEqual(['j', 'k', undefined]);
    expect(structure.scopeOf.get('z')).toBe('');
  });

  it('keeps the way of a failed scope outside of it', () => {
    const definition = graph(
      { f: [['a', 'b'], { to: ['sorry'], on: ['failed'] }], a: ['j'], b: ['j'], j: [], sorry: [] },
      { j: 'all' },
    );
    expect(codes(definition)).toEqual([]);
    expect(analyzeStructure(definition).scopeOf.get('sorry')).toBe('');
  });

  it.each<[string, GraphDefinition, string[]]>([
    [
      'branches that meet at a node that is no join',
      graph({ f: [['a', 'b']], a: ['m'], b: ['m'], m: ['end'] }),
      ['error ForkWithoutJoin /routes/f/0/to'],
    ],
    [
      'some branches that meet, which may be meant',
      graph({ f: [['a', 'b', 'c']], a: ['m'], b: ['m'], c: ['end'], m: ['end'] }),
      ['warning ForkWithoutJoin /routes/f/0/to'],
    ],
    [
      'branches that meet outside',
      graph({ s: ['f', 'm'], f: [['a', 'b']], a: ['m'], b: ['m'], m: ['end'] }),
      ['error ForkWithoutJoin /routes/f/0/to'],
    ],
    ['a join that no fork leads to', graph({ a: ['j'], j: [] }, { j: 'all' }), ['error JoinWithoutFork /nodes/j']],
    [
      'a join to start at',
      graph({ j: ['f'], f: [['a', 'b']], a: ['j'], b: ['end'] }, { j: 'all' }),
      ['error JoinWithoutFork /entry'],
    ],
    [
      'a join inside of what it closes',
      graph({ s: ['a'], a: [['b', 'c']], b: [['a', 'd']], c: ['end'], d: ['end'] }, { a: 'all' }),
      ['error RouteIntoScope /routes/s/0/to', 'error RouteOutOfScope /routes/b/0/to/0'],
    ],
    [
      'one join for two forks',
      graph({ s: ['f', 'g'], f: [['a', 'b']], g: [['c', 'd']], a: ['j'], b: ['j'], c: ['j'], d: ['j'] }, { j: 'all' }),
      ['error JoinShared /nodes/j'],
    ],
    [
      'an inner fork that leans on the join of the outer',
      graph({ f: [['a', 'b']], a: [['c', 'd']], c: ['j'], d: ['j'], b: ['j'] }, { j: 'all' }),
      ['error JoinShared /nodes/j'],
    ],
    [
      'a route from outside to a node of a branch',
      graph({ s: ['f', 'a2'], f: [['a', 'b']], a: ['a2'], a2: ['j'], b: ['j'], j: [] }, { j: 'all' }),
      ['error RouteIntoScope /routes/s/1/to'],
    ],
    [
      'a route from outside to a join',
      graph({ f: [['a', 'b'], 'j'], a: ['j'], b: ['j'], j: [] }, { j: 'all' }),
      ['error RouteIntoScope /routes/f/1/to'],
    ],
    [
      'a single route to a node that is a branch as well',
      graph({ f: [['a', 'b'], 'a'], a: ['j'], b: ['j'], j: [] }, { j: 'all' }),
      ['error RouteIntoScope /routes/f/1/to'],
    ],
    [
      'a route from one scope into another',
      graph(
        { s: ['f', 'g'], f: [['a', 'b']], g: [['c', 'd']], a: ['j', 'c'], b: ['j'], c: ['k'], d: ['k'], j: [], k: [] },
        { j: 'all', k: 'all' },
      ),
      ['error RouteIntoScope /routes/a/1/to'],
    ],
    [
      'a branch that goes past the join',
      graph({ f: [['a', 'b']], a: ['j', 'z'], b: ['j'], j: ['z'], z: [] }, { j: 'all' }),
      ['error RouteOutOfScope /routes/a/1/to'],
    ],
    [
      'a long branch that goes past the join',
      graph({ f: [['a', 'b']], a: ['z', 'j'], b: ['b2'], b2: ['b3'], b3: ['j'], j: ['z'], z: [] }, { j: 'all' }),
      ['error RouteOutOfScope /routes/a/0/to'],
    ],
    [
      'a branch that goes back before the fork',
      graph({ s: ['f'], f: [['a', 'b']], a: ['j', 's'], b: ['j'], j: [] }, { j: 'all' }),
      ['error RouteOutOfScope /routes/a/1/to'],
    ],
    [
      'an inner branch that jumps to the outer join',
      graph(
        { f: [['a', 'b']], a: [['c', 'd']], c: ['k', 'j'], d: ['k'], k: ['j'], b: ['j'], j: [] },
        { j: 'all', k: 'all' },
      ),
      ['error RouteOutOfScope /routes/c/1/to'],
    ],
    [
      'a fork with two joins',
      graph({ f: [['a', 'b']], a: ['j'], b: ['k'], j: ['end'], k: ['end'] }, { j: 'all', k: 'all' }),
      ['error ForkWithTwoJoins /routes/b/0/to'],
    ],
    [
      'a join that waits for more than come',
      graph({ f: [['a', 'b']], a: ['j'], b: ['j'], j: [] }, { j: { count: 3 } }),
      ['error JoinOutOfReach /nodes/j/join/count'],
    ],
    [
      'a fork that is its own branch',
      graph({ f: [['f', 'b'], 'end'], b: ['end'] }),
      ['error RouteOutOfScope /routes/f/0/to/0'],
    ],
  ])('refuses %s', (_, definition, expected) => {
    expect(codes(definition)).toEqual(expected);
  });

  it('tells of two ways into the same branches that a node before them is to fork', () => {
    const { faults } = analyzeStructure(
      graph({ s: [['a', 'b'], 'q'], q: [['a', 'b']], a: ['j'], b: ['j'], j: [] }, { j: 'all' }),
    );
    expect(faults.map(({ code }) => code)).toEqual(['RouteIntoScope', 'RouteIntoScope']);
    expect(faults[0]!.hint).toMatch(/give both ways one node that forks, and route to that/);
  });
});
