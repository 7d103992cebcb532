import { contractHash, readContract } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { Contracts } from '../agent/contracts.ts';
import { GraphRegistry } from '../engine/graph-registry.ts';
import { codeGraph } from '../journal/testing/code-graph.ts';

const { definition } = readContract({
  agent_name: 'clerk',
  allowed_tools: [{ name: 'refund', effect: 'once', limits: { per_run: 1 }, input_schema: { type: 'object' } }],
});
const contract = { hash: contractHash(definition!), text: JSON.stringify(definition) };
const { program } = codeGraph({ work: () => 1 });
const graph = { hash: program.hash, text: JSON.stringify(program.definition) };

function holding(text: string): EventStore {
  return { document: async () => text } as Partial<EventStore> as EventStore;
}

describe('what is stored under a hash', () => {
  it('is taken where it is the same', async () => {
    expect((await new Contracts(holding(contract.text)).get(contract.hash)).hash).toBe(contract.hash);
    expect((await new GraphRegistry(holding(graph.text)).program(graph.hash)).hash).toBe(graph.hash);
  });

  it('is not taken where somebody gave a contract another limit', async () => {
    const changed = contract.text.replace('"perRun":1', '"perRun":100');
    expect(changed).not.toBe(contract.text);
    await expect(new Contracts(holding(changed)).get(contract.hash)).rejects.toMatchObject({ code: 'HashMismatch' });
  });

  it('is not taken where somebody gave a graph another name', async () => {
    const changed = graph.text.replace(`"name":"${program.definition.name}"`, '"name":"other"');
    expect(changed).not.toBe(graph.text);
    await expect(new GraphRegistry(holding(changed)).program(graph.hash)).rejects.toMatchObject({
      code: 'HashMismatch',
    });
  });
});
