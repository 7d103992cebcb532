import type { Handler } from '@signalbox/core';
import { type ReExecution, reExecute } from '@signalbox/runtime';
import { describe, expect, it } from 'vitest';
import { handlersOf } from './sim/handlers.ts';
import { type SimulationResult, simulate } from './sim/simulation.ts';

const FROM = 0;
const COUNT = 600;

/** The handlers of the simulation on a world in which nothing may happen. */
async function again({ commits, graph }: SimulationResult): Promise<ReExecution> {
  const handlers = handlersOf(graph, {
    perform: async () => {
      throw new Error('An effect was done.');
    },
  }) as unknown as Map<string, Handler & { execute(context: never): unknown }>;
  return await reExecute(commits, {
    codec: { toDefinition: request => request as never },
    handler: key => handlers.get(key),
    program: async () => graph.program,
  });
}

describe('runs of random graphs under faults', () => {
  it(`come out as they were recorded when they are executed once more, seeds ${FROM} to ${FROM + COUNT - 1}`, async () => {
    const differences: string[] = [];
    let events = 0;
    for (let seed = FROM; seed < FROM + COUNT; seed += 1) {
      const { difference, to } = await again(await simulate({ seed }));
      events += to;
      if (difference !== undefined) differences.push(`seed ${seed}: ${difference.text}`);
    }
    expect(differences).toEqual([]);
    expect(events).toBeGreaterThan(10 * COUNT);
  }, 300_000);
});
