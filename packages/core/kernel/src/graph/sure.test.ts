import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition, Outcome } from './definition.ts';
import { reachableFrom } from './flow.ts';
import { isTakenOnSuccess, SureFacts } from './sure.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Any graph of nodes that each write the key of their own name. */
const anyGraph = fc
  .array(
    fc.record({
      from: fc.constantFrom(...names),
      to: fc.subarray([...names, 'end'], { minLength: 1, maxLength: 2 }),
      on: fc.constantFrom<readonly Outcome[] | undefined>(
        undefined,
        undefined,
        ['success'],
        ['failed'],
        ['skipped', 'success'],
      ),
    }),
    { maxLength: 16 },
  )
  .map((routes): GraphDefinition => {
    const nodes = names.map((name): [string, NodeDefinition] => [name, { type: 'transform', update: { [name]: '1' } }]);
    const of = (name: string) => routes.filter(({ from }) => from === name);
    return {
      name: 'g',
      input: {},
      state: {},
      entry: 'a',
      nodes: Object.fromEntries(nodes),
      routes: Object.fromEntries(
        names.map(name => [name, of(name).map(({ to, on }) => (on === undefined ? { to } : { to, on }))]),
      ),
    };
  });

/** What can still be reached when a node does not go on by the routes that are `cut`. */
function reachedWithout(graph: GraphDefinition, name: string, cut: (on: readonly Outcome[] | undefined) => boolean) {
  const left = graph.routes[name]!.filter(({ on }) => !cut(on));
  return reachableFrom({ ...graph, routes: { ...graph.routes, [name]: left } }, graph.entry);
}

describe('what is sure at a node', () => {
  it('is what holds on every way to it', () => {
    fc.assert(
      fc.property(anyGraph, graph => {
        const sure = new SureFacts(graph, names, names);
        for (const name of names) {
          const node = graph.nodes[name]!;
          const unvisited = reachedWithout(graph, name, () => true);
          const unwritten = reachedWithout(graph, name, on =>
            isTakenOnSuccess(node, { to: [], ...(on ? { on } : {}) }),
          );
          const noOutput = reachedWithout(graph, name, on => !on?.some(it => it === 'failed' || it === 'skipped'));
          for (const at of reachableFrom(graph, graph.entry)) {
            expect(sure.holds('visited', name, at), `${name} before ${at}`).toBe(!unvisited.has(at));
            expect(sure.written(at).has(name), `${name} written at ${at}`).toBe(!unwritten.has(at));
            expect(sure.holds('output', name, at), `output of ${name} at ${at}`).toBe(!noOutput.has(at));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says nothing of a node that no way leads to', () => {
    const [graph] = fc.sample(anyGraph, { numRuns: 1, seed: 1 });
    const sure = new SureFacts({ ...graph!, routes: {} }, names, names);
    expect(sure.holds('visited', 'a', 'b')).toBe(false);
    expect(sure.written('b').size).toBe(0);
  });
});
