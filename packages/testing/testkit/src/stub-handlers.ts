import type { Graph, Handler, NodeContext, NodeType } from '@signalbox/core';
import { closest, type JsonObject, type JsonValue, type Program, SignalboxError } from '@signalbox/kernel';

/** What a stub gets: the context of the handler it stands for, of types that it does not know. */
export interface StubContext extends NodeContext {
  readonly with: JsonObject;
  /** Of a compensation: what its visit gave. */
  readonly output?: JsonValue;
}

/** Stands for the code of a node. Returns an output, or `failed`, `skipped`, `next`, `retry`. */
export type Stub = (context: StubContext) => unknown;

/** By node name, or by handler type (`graph/node`, `graph/node/compensate`, a registered type). */
export type Stubs = Readonly<Record<string, Stub>>;

/** The graph with stubs in place of handlers. Nodes whose type nobody has registered get their code this way too. */
export function stubGraph<Input, Output>(
  graph: Graph<Input, Output>,
  stubs: Stubs,
  types: readonly NodeType[] = [],
): Graph<Input, Output> {
  const handlers = new Map(graph.handlers);
  const known = new Map([...types.map(type => [type.key, type.handler] as const), ...graph.handlers]);
  for (const [key, nodes] of nodesByHandler(graph.program)) {
    const chosen = stubsFor(key, nodes, stubs);
    if (chosen !== undefined) handlers.set(key, stubbed(chosen, known.get(key)));
  }
  return { ...graph, handlers };
}

/** @throws SignalboxError `UnknownNode` for a stub that stands for nothing in these graphs. */
export function checkStubs(graphs: readonly Graph[], stubs: Stubs): void {
  const names = new Set<string>();
  for (const { program } of graphs)
    for (const [key, nodes] of nodesByHandler(program)) {
      names.add(typeOf(key));
      if (!key.includes('/compensate@')) for (const node of nodes) names.add(node);
    }
  for (const name of Object.keys(stubs)) {
    if (names.has(name)) continue;
    const meant = closest(name, [...names]);
    throw new SignalboxError('UnknownNode', `The handler "${name}" stands for no node with code in these graphs.`, {
      hint: meant === undefined ? `They have: ${[...names].join(', ')}.` : `Did you mean "${meant}"?`,
      details: { name },
    });
  }
}

/** Handler key → names of the nodes that it is the code of. */
function nodesByHandler(program: Program): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (key: string | undefined, node: string) => {
    if (key !== undefined) found.set(key, (found.get(key) ?? new Set()).add(node));
  };
  for (const { nodes } of program.graphs.values())
    for (const node of nodes.values()) {
      add(node.handler?.handler, node.name);
      add(node.compensate?.handler, node.name);
    }
  return found;
}

function typeOf(key: string): string {
  return key.slice(0, key.lastIndexOf('@'));
}

interface Chosen {
  readonly byNode: ReadonlyMap<string, Stub>;
  /** For whoever is not named: the type's stub, or that of the only node that has this code. */
  readonly otherwise: Stub | undefined;
}

function stubsFor(key: string, nodes: ReadonlySet<string>, stubs: Stubs): Chosen | undefined {
  const byType = stubs[typeOf(key)];
  const byNode = new Map<string, Stub>();
  if (!key.includes('/compensate@'))
    for (const node of nodes) {
      const stub = stubs[node];
      if (stub !== undefined) byNode.set(node, stub);
    }
  // A node that runs as another's fallback bears the other's name.
  const otherwise = byType ?? (nodes.size === 1 ? [...byNode.values()][0] : undefined);
  return otherwise === undefined && byNode.size === 0 ? undefined : { byNode, otherwise };
}

function stubbed({ byNode, otherwise }: Chosen, real: Handler | undefined): Handler {
  return {
    execute(context: StubContext) {
      const stub = byNode.get(context.node.name) ?? otherwise;
      if (stub !== undefined) return stub(context);
      if (real !== undefined) return real.execute(context as never);
      throw new SignalboxError('HandlerMissing', `Node "${context.node.name}" has neither code nor a stub.`);
    },
  };
}
