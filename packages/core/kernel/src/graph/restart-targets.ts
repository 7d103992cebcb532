import type { RequestDefinition } from '../request/definition.ts';
import type { CompileContext } from './compile-context.ts';
import type { GraphDefinition, NodeDefinition } from './definition.ts';
import { nodeOf, routesOf } from './flow.ts';
import type { Structure } from './structure.ts';

/** Whether anything in a graph or the graphs in it declares that it may restart. */
export function mentionsRestart(graph: GraphDefinition): boolean {
  return (
    Object.values(graph.nodes).some(
      node => (node.restartTargets?.length ?? 0) > 0 || requestsOf(node).some(restarts),
    ) || Object.values(graph.graphs ?? {}).some(mentionsRestart)
  );
}

/** The nodes that a restart may go back to: those named, and where the graph and each branch start. */
export function restartTargets({ graph, restarts: any }: CompileContext, structure: Structure): ReadonlySet<string> {
  if (!any) return new Set();
  const named = Object.values(graph.nodes).flatMap(node => [
    ...(node.restartTargets ?? []),
    ...requestsOf(node).flatMap(({ resume }) => (resume?.mode === 'restart' && resume.at ? [resume.at] : [])),
  ]);
  const branches = [...structure.scopes.values()].flatMap(({ fork, routes }) =>
    routes.flatMap(route => routesOf(graph, fork)[route]!.to),
  );
  return new Set([graph.entry, ...named, ...branches].filter(name => nodeOf(graph, name) !== undefined));
}

/** Every request that a node declares, a map's body included. */
export function requestsOf(node: NodeDefinition): readonly RequestDefinition[] {
  if (node.type === 'ask') return [node.request];
  if (node.type === 'map' && 'node' in node.body) return requestsOf(node.body.node);
  if (node.type !== 'wait') return [];
  return Object.values(node.first ?? {}).flatMap(wait => ('ask' in wait ? [wait.ask] : []));
}

function restarts({ resume }: RequestDefinition): boolean {
  return resume?.mode === 'restart';
}
