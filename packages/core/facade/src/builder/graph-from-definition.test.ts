import { type Fault, type GraphDefinition, isSignalboxError } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { graphFromDefinition } from './graph-from-definition.ts';
import { declarationsOf, defineNodeType, type NodeType } from './node-type.ts';

const search = defineNodeType({
  type: 'search',
  with: z.object({ limit: z.int().min(1).default(5) }),
  output: z.object({ hits: z.array(z.string()).refine(hits => hits.length < 3, 'two at most') }),
  execute: () => ({ hits: [] }),
  onEnter: () => undefined,
});
const reply = defineNodeType({ type: 'reply', rev: 3, execute: () => 'done' });

function graphOf(node: object): GraphDefinition {
  const step = { type: 'step', handler: 'search', ...node } as GraphDefinition['nodes'][string];
  return { name: 'g', input: {}, state: {}, entry: 'a', nodes: { a: step }, routes: {} };
}

function faultsOf(definition: GraphDefinition, types: readonly NodeType[]): string[] {
  try {
    graphFromDefinition(definition, types);
    return [];
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    const faults = error.details.faults as unknown as readonly Fault[];
    return faults
      .filter(({ severity }) => severity === 'error')
      .map(({ code, pointer, hint }) => `${code} ${pointer} ${hint}`);
  }
}

describe('A graph from data', () => {
  it('gets the code of its node types, also inside maps and inner graphs', () => {
    const inner = graphOf({ handler: 'reply@3', compensate: { handler: 'search@1' } });
    const definition: GraphDefinition = {
      ...graphOf({ handler: 'search', output: { type: 'object' } }),
      nodes: { a: { type: 'map', items: '[1]', body: { node: { type: 'step', handler: 'search@1' } } } },
      graphs: { inner },
    };
    const graph = graphFromDefinition(
      {
        ...definition,
        nodes: { ...definition.nodes, b: { type: 'subgraph', graph: 'inner' } },
        routes: { a: [{ to: ['b'] }] },
      },
      [search, reply],
    );
    expect([...graph.handlers.keys()].sort()).toEqual(['reply@3', 'search@1']);
    expect(graph.handlers.get('search@1')?.onEnter).toBeTypeOf('function');
  });

  it('validates an output by the type, refinements and all, where the schema is the type’s own', () => {
    const output = declarationsOf([search]).search!.output!;
    const nodes = graphFromDefinition(graphOf({ output }), [search]).program.graphs.get('')!.nodes;
    expect(nodes.get('a')?.output?.validate({ hits: ['a', 'b'] }).ok).toBe(true);
    expect(nodes.get('a')?.output?.validate({ hits: ['a', 'b', 'c'] }).ok).toBe(false);
    const own = graphFromDefinition(graphOf({ output: { type: 'object' } }), [search]).program.graphs.get('')!.nodes;
    expect(own.get('a')?.output?.validate({ hits: ['a', 'b', 'c'] }).ok).toBe(true);
  });

  it('names the registered types where one is unknown', () => {
    expect(faultsOf(graphOf({ handler: 'serch@1' }), [search, reply])).toEqual([
      'UnknownNodeType /nodes/a/handler Did you mean `search@1`? Registered are reply@3, search@1.',
    ]);
    expect(faultsOf(graphOf({ handler: 'search@2' }), [])).toEqual([
      'UnknownNodeType /nodes/a/handler No type is registered.',
    ]);
  });

  it('holds settings against the schema of the type, and keeps them as written', () => {
    expect(
      faultsOf(graphOf({ with: { limit: 0, limits: 2 } }), [search]).map(fault => fault.split(' ', 2).join(' ')),
    ).toEqual(expect.arrayContaining(['InvalidSettings /nodes/a/with/limit']));
    const graph = graphFromDefinition(graphOf({ with: {} }), [search]);
    expect(graph.definition.nodes.a).toMatchObject({ with: {} });
    expect(graph.handlers.get('search@1')?.settings?.validate({})).toEqual({ ok: true, value: { limit: 5 } });
  });

  it('refuses two types of one key', () => {
    const other = defineNodeType({ type: 'search', execute: () => 1 });
    expect(faultsOf(graphOf({}), [search, other])).toEqual(['DuplicateHandler  Raise `rev`.']);
  });
});
