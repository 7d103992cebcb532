import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGraph, loadProgram } from './compile.ts';
import type { GraphDefinition, JoinMode, NodeDefinition, RouteDefinition } from './definition.ts';
import { analyzeStructure } from './structure.ts';

/** A graph as a tree of parts that nest by construction. */
type Part =
  | { kind: 'node' }
  | { kind: 'row'; parts: Part[] }
  | { kind: 'choice'; ways: Part[]; skip: boolean }
  | { kind: 'loop'; body: Part }
  | { kind: 'fork'; branches: (Part & { ends?: boolean })[]; mode: JoinMode; direct: boolean };

const { part } = fc.letrec<{ part: Part }>(tie => ({
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant<Part>({ kind: 'node' }),
    fc.record({ kind: fc.constant('row' as const), parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      kind: fc.constant('choice' as const),
      ways: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
      skip: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('loop' as const), body: tie('part') }),
    fc.record({
      kind: fc.constant('fork' as const),
      branches: fc.array(tie('part'), { minLength: 2, maxLength: 3 }),
      mode: fc.constantFrom<JoinMode>('all', 'any', { count: 2 }),
      direct: fc.boolean(),
    }),
  ),
}));

interface Built {
  readonly definition: GraphDefinition;
  readonly joins: ReadonlyMap<string, string>;
  /** Node → the forks around it, the innermost last. */
  readonly forks: ReadonlyMap<string, readonly string[]>;
}

function build(tree: Part): Built {
  const nodes: Record<string, NodeDefinition> = {};
  const routes: Record<string, RouteDefinition[]> = {};
  const joins = new Map<string, string>();
  const forks = new Map<string, readonly string[]>();
  const add = (around: readonly string[], more: Partial<NodeDefinition> = {}): string => {
    const name = `n${forks.size}`;
    nodes[name] = { type: 'transform', ...more } as NodeDefinition;
    routes[name] = [];
    forks.set(name, around);
    return name;
  };
  const guarded = (to: string): RouteDefinition => ({ to: [to], when: 'run.step > 3' });

  /** Gives the first node of the part; its last ones lead to `next`. */
  const emit = (it: Part, next: string, around: readonly string[]): string => {
    switch (it.kind) {
      case 'node': {
        const name = add(around);
        routes[name]!.push({ to: [next] });
        return name;
      }
      case 'row':
        return it.parts.reduceRight((after, each) => emit(each, after, around), next);
      case 'choice': {
        const name = add(around);
        routes[name]!.push(...it.ways.map(way => guarded(emit(way, next, around))));
        routes[name]!.push({ to: [it.skip ? next : emit({ kind: 'node' }, next, around)] });
        return name;
      }
      case 'loop': {
        const tail = add(around);
        const head = emit(it.body, tail, around);
        routes[tail]!.push(guarded(head), { to: [next] });
        return head;
      }
      case 'fork': {
        const fork = add(around);
        const join = add(around, { join: it.mode });
        joins.set(fork, join);
        const branches = it.branches.map(branch => emit(branch, join, [...around, fork]));
        routes[fork]!.push({ to: it.direct ? [...branches, join] : branches });
        routes[join]!.push({ to: [next] });
        return fork;
      }
    }
  };

  const entry = emit(tree, 'end', []);
  return { definition: { name: 'g', input: {}, state: {}, entry, nodes, routes }, joins, forks };
}

/** All data of a program; of functions only that they are there. */
function written(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (part instanceof Map || part instanceof Set) return [...part];
    return typeof part === 'function' ? 'function' : part;
  });
}

describe('graphs that nest by construction', () => {
  it('have no fault, and their scopes and joins are found', () => {
    fc.assert(
      fc.property(part, tree => {
        const { definition, joins, forks } = build(tree);
        const structure = analyzeStructure(definition);
        expect(structure.faults).toEqual([]);
        for (const [fork, join] of joins) expect(structure.joinOf(fork, 0)).toBe(join);
        for (const [node, around] of forks) {
          const found: string[] = [];
          for (let at = structure.scopeOf.get(node)!; at !== ''; at = structure.scopes.get(at)!.parent) {
            found.unshift(structure.scopes.get(at)!.fork);
          }
          expect(found).toEqual(around);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('compile without a fault, and load as the same program', () => {
    fc.assert(
      fc.property(part, tree => {
        const { definition } = build(tree);
        const { program, faults } = compileGraph(definition);
        expect(faults).toEqual([]);
        const loaded = loadProgram(definition);
        expect(loaded.hash).toBe(program!.hash);
        expect(written(loaded.graphs)).toBe(written(program!.graphs));
      }),
      { numRuns: 60 },
    );
  });

  it('have a fault once a branch is given a way past its join', () => {
    fc.assert(
      fc.property(part, fc.nat(), (tree, pick) => {
        const { definition, joins, forks } = build({ kind: 'row', parts: [tree, { kind: 'node' }] });
        const inner = [...forks].filter(([, around]) => around.length > 0).map(([node]) => node);
        fc.pre(inner.length > 0);
        const node = inner[pick % inner.length]!;
        const innermost = forks.get(node)!.at(-1)!;
        const after = definition.routes[joins.get(innermost)!]![0]!.to[0]!;
        fc.pre(after !== 'end');
        const routes = {
          ...definition.routes,
          [node]: [{ to: [after], when: 'run.step > 3' }, ...definition.routes[node]!],
        };
        expect(analyzeStructure({ ...definition, routes }).faults).not.toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('any graph at all', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const anyGraph = fc
    .record({
      joins: fc.subarray(names),
      routes: fc.array(
        fc.tuple(fc.constantFrom(...names), fc.subarray([...names, 'end'], { minLength: 1, maxLength: 3 })),
        {
          maxLength: 14,
        },
      ),
    })
    .map(({ joins, routes }): GraphDefinition => {
      const nodes = names.map(name => [name, { type: 'transform', ...(joins.includes(name) ? { join: 'all' } : {}) }]);
      return {
        name: 'g',
        input: {},
        state: {},
        entry: 'a',
        nodes: Object.fromEntries(nodes),
        routes: Object.fromEntries(
          names.map(name => [name, routes.flatMap(([from, to]) => (from === name ? [{ to }] : []))]),
        ),
      };
    });

  it('is analysed and checked without an exception', () => {
    fc.assert(
      fc.property(anyGraph, definition => {
        expect(() => compileGraph(definition)).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps every token in its scope when it has no fault', () => {
    fc.assert(
      fc.property(anyGraph, definition => {
        const structure = analyzeStructure(definition);
        fc.pre(structure.faults.every(({ severity }) => severity === 'warning'));
        for (const [node, scope] of structure.scopeOf) {
          definition.routes[node]!.forEach(({ to }, index) => {
            const inside =
              to.length > 1
                ? [...structure.scopes.values()].find(({ fork, routes }) => fork === node && routes.includes(index))!
                    .key
                : scope;
            for (const target of to.filter(name => name !== 'end')) {
              const isJoin = definition.nodes[target]!.join !== undefined;
              const wanted = isJoin ? structure.scopes.get(inside)?.parent : inside;
              expect(structure.scopeOf.get(target)).toBe(wanted);
              if (isJoin) expect(structure.scopes.get(inside)!.join).toBe(target);
            }
          });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
