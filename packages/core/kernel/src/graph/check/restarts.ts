import type { Fault } from '../../error/fault.ts';
import type { ResumeDefinition } from '../../request/definition.ts';
import { END, type GraphDefinition } from '../definition.ts';
import { edgesFrom, nodeOf, reachableFrom, routesOf } from '../flow.ts';
import { type Check, type CheckContext, eachNode, type PlacedNode } from './context.ts';
import { errorAt, hintFor, quoted, warningAt } from './fault.ts';
import { requestsAt } from './requests.ts';

type Restart = Extract<ResumeDefinition, { mode: 'restart' }>;

/** `UnknownNode`, `RestartOutOfScope`, `RestartBehindEffect`. */
export const checkRestarts: Check = eachNode((placed, context) => [
  ...requestsAt(placed, context).flatMap(({ request, pointer }) =>
    request.resume?.mode === 'restart' ? restartFaults(context, placed, request.resume, `${pointer}/resume`) : [],
  ),
  ...(placed.isBody ? [] : (placed.node.restartTargets ?? [])).flatMap((target, index) =>
    targetFaults(context, placed.name, target, `${placed.pointer}/restartTargets/${index}`),
  ),
]);

function restartFaults(context: CheckContext, placed: PlacedNode, resume: Restart, pointer: string): Fault[] {
  const { at } = resume;
  if (resume.in === 'run') return at === undefined ? [] : rootFaults(context.root, at, `${pointer}/at`);
  if (placed.isBody) {
    const message = 'The body of a map is one node; a restart in it goes to its start.';
    return at === undefined
      ? []
      : [errorAt(`${pointer}/at`, 'NotInBody', message, 'Leave `at` out, or use a graph as body.')];
  }
  const faults = at === undefined ? [] : targetFaults(context, placed.name, at, `${pointer}/at`);
  return faults.length > 0 ? faults : effectFaults(context, placed.name, resume, pointer);
}

function targetFaults({ graph, structure }: CheckContext, from: string, target: string, pointer: string): Fault[] {
  if (nodeOf(graph, target) === undefined) return [unknown(graph, target, pointer)];
  const [here, there] = [structure.scopeOf.get(from), structure.scopeOf.get(target)];
  if (here === undefined || there === undefined || here === there) return [];
  const message = `\`${target}\` is not in the scope that \`${from}\` runs in, so a restart cannot go back to it.`;
  return [errorAt(pointer, 'RestartOutOfScope', message, 'Name a node of the same branch, or say `in: run`.')];
}

function rootFaults(root: GraphDefinition, target: string, pointer: string): Fault[] {
  return nodeOf(root, target) === undefined ? [unknown(root, target, pointer)] : [];
}

function unknown(graph: GraphDefinition, name: string, pointer: string): Fault {
  return errorAt(pointer, 'UnknownNode', `There is no node \`${name}\`.`, hintFor(name, Object.keys(graph.nodes)));
}

/** Steps between the place gone back to and the question happen again. */
function effectFaults(context: CheckContext, asking: string, { at, dedupe }: Restart, pointer: string): Fault[] {
  if (dedupe === 'run') return [];
  const { graph } = context;
  const start = at ?? startOf(context, asking);
  if (start === undefined) return [];
  const steps = [...reachableFrom(graph, start)].filter(
    name => nodeOf(graph, name)!.type === 'step' && leadsTo(graph, name, asking),
  );
  if (steps.length === 0) return [];
  const message = `After the answer ${quoted(steps)} ${steps.length === 1 ? 'runs' : 'run'} again, with what it does outside.`;
  return [warningAt(pointer, 'RestartBehindEffect', message, 'Say `dedupe: run`, ask earlier, or restart later.')];
}

function startOf({ graph, structure }: CheckContext, node: string): string | undefined {
  const scope = structure.scopes.get(structure.scopeOf.get(node) ?? '');
  if (scope === undefined) return graph.entry;
  const branches = scope.routes.flatMap(route => routesOf(graph, scope.fork)[route]!.to);
  return branches.find(branch => branch !== END && reachableFrom(graph, branch).has(node));
}

function leadsTo(graph: GraphDefinition, from: string, to: string): boolean {
  return edgesFrom(graph, from).some(edge => edge.to !== END && reachableFrom(graph, edge.to).has(to));
}
