import { compileGraph, type GraphDefinition, type JsonObject } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from './sim/behaviour.ts';
import type { RandomGraph } from './sim/random-graph.ts';
import { report } from './sim/shrink.ts';
import { simulate } from './sim/simulation.ts';

const chain = (name: string): Behaviour['acts'] => [
  { do: 'run', name: `${name}1`, once: false, failures: 0 },
  { do: 'run', name: `${name}2`, once: true, failures: 0, onDoubt: 'ask' },
  { do: 'sleep', name: `${name} sleeps`, for: '1s' },
  { do: 'run', name: `${name}3`, once: false, failures: 0 },
];
const behaviour: Behaviour = {
  acts: [{ do: 'parallel', chains: [chain('a'), chain('b'), chain('c')] }],
  end: 'success',
  update: false,
};

function graphOf(): RandomGraph {
  const definition: GraphDefinition = {
    name: 'chains',
    input: {},
    state: {},
    entry: 'work',
    nodes: { work: { type: 'step', handler: 'chains@1' } },
    routes: {},
  };
  const { program } = compileGraph(definition);
  return { definition, program: program!, behaviours: new Map([['chains@1', behaviour]]) };
}

describe('a handler with Promise.all of chains', () => {
  it('does each operation in its chain and gives what was recorded, under 1,000 interleavings', async () => {
    const graph = graphOf();
    const orders = new Set<string>();
    let completed = 0;
    for (let seed = 0; seed < 1_000; seed += 1) {
      const options = { seed, graph, commands: 0, faults: seed % 3 };
      const result = await simulate(options);
      expect(result.violations.length === 0 ? undefined : report({ options, result })).toBeUndefined();
      const events = result.commits.flatMap(commit => commit.events);
      const recorded = events.filter(({ type }) => type === 'op.recorded').map(({ data }) => String(data.op));
      orders.add(recorded.join());
      // An operation that took too long, or that a person gave up, fails the handler: then the chains end where they are.
      for (const name of ['a', 'b', 'c'])
        expect([`${name}1#1`, `${name}2#1`, `${name} sleeps#1`, `${name}3#1`].join()).toContain(
          recorded.filter(op => op.startsWith(name)).join(),
        );
      if (result.status !== 'completed') continue;
      completed += 1;
      const [ended] = events.filter(({ type }) => type === 'node.succeeded');
      const { ops } = ended!.data.output as { ops: JsonObject };
      expect(Object.keys(ops).sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
    }
    // The interleavings are many, not one a thousand times, and most of them come to a good end.
    expect(orders.size).toBeGreaterThan(100);
    expect(completed).toBeGreaterThan(600);
  }, 120_000);
});
