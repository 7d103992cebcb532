import { type Fault, pointerTo } from '../../error/fault.ts';
import { END, type GraphDefinition, type NodeDefinition } from '../definition.ts';
import { edgesFrom, isNormal, nodeOf, routesOf } from '../flow.ts';
import type { Scope } from '../scope-walk.ts';
import { type Check, type CheckContext, hasEntry, placedNodes } from './context.ts';
import { errorAt, quoted, warningAt } from './fault.ts';

/** A branch of a scope and the nodes in it that write one key. */
interface Writer {
  readonly branch: string;
  readonly nodes: readonly string[];
  /** Every way through the branch that goes well writes it. */
  readonly sure: boolean;
}

/**
 * `ConflictingWrites`: two branches of one fork write one `replace` key, of which neither is the later. An error where
 * both surely do, a warning where they may. What handlers write is not declared, so it is found at the join only.
 */
export const checkWrites: Check = context => {
  if (!hasEntry(context)) return [];
  const scopes = [...context.structure.scopes.values()];
  // Where scopes do not nest, branches are told apart by what only one of them leads to, and only what is sure is told.
  if (context.structure.faults.some(({ severity }) => severity === 'error'))
    return scopes
      .filter(scope => scope.join !== undefined)
      .flatMap(scope => scope.routes.flatMap(route => forkFaults(context, scope, route, true)))
      .filter(({ severity }) => severity === 'error');
  return [
    ...scopes.flatMap(scope => scope.routes.flatMap(route => forkFaults(context, scope, route))),
    ...mapFaults(context),
  ];
};

function forkFaults(context: CheckContext, scope: Scope, route: number, apart = false): Fault[] {
  const branches = routesOf(context.graph, scope.fork)[route]!.to.filter(to => nodeOf(context.graph, to));
  const writes = branches.map(branch => writesWithin(context, scope, branch));
  const keys = new Set(writes.flatMap(byKey => [...byKey.keys()]));
  return [...keys].flatMap(key => {
    const writers = branches.flatMap((branch, index): Writer[] => {
      const nodes = writes[index]!.get(key);
      const isShared = (name: string) => writes.some((other, at) => at !== index && other.get(key)?.includes(name));
      return nodes === undefined || (apart && nodes.some(isShared))
        ? []
        : [{ branch, nodes, sure: surelyWrites(context, scope, branch, key) }];
    });
    return writers.length < 2 ? [] : [conflict(context, scope, key, writers)];
  });
}

function conflict(context: CheckContext, { fork }: Scope, key: string, writers: readonly Writer[]): Fault {
  const sure = writers.filter(writer => writer.sure);
  const [first, second] = sure.length > 1 ? sure : writers;
  const node = second!.nodes.find(name => name !== first!.nodes[0]) ?? second!.nodes[0]!;
  const names = quoted(new Set([...first!.nodes, ...second!.nodes]));
  const message = `\`${key}\` is written in two branches of \`${fork}\`, by ${names}; neither is the later.`;
  const hint = 'Give the key a reducer, or write it after the join.';
  const own = nodeOf(context.graph, node)?.update;
  const base = pointerTo(`${context.pointer}/nodes`, node);
  const place = own !== undefined && Object.hasOwn(own, key) ? pointerTo(`${base}/update`, key) : base;
  return (sure.length > 1 ? errorAt : warningAt)(place, 'ConflictingWrites', message, hint);
}

/** Items run beside each other, so that the second to write a `replace` key is a conflict. */
function mapFaults(context: CheckContext): Fault[] {
  return placedNodes(context)
    .filter(({ isBody }) => isBody)
    .flatMap(({ name, node, pointer }) =>
      Object.keys(node.update ?? {})
        .filter(key => isReplaced(context.graph, key))
        .map(key => {
          const message = `Each item of \`${name}\` writes \`${key}\`; with two items that is a conflict.`;
          const place = pointerTo(`${pointer}/update`, key);
          return warningAt(place, 'ConflictingWrites', message, `Give the key a reducer, or write it at \`${name}\`.`);
        }),
    );
}

/** By key, the nodes of a branch that may write it, those of the scopes inside it too. */
function writesWithin(context: CheckContext, scope: Scope, branch: string): Map<string, string[]> {
  const writers = new Map<string, string[]>();
  const seen = new Set<string>();
  const open = [branch];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || name === scope.join || !isWithin(context, scope, name)) continue;
    seen.add(name);
    for (const key of keysWritten(context.graph, nodeOf(context.graph, name)!)) {
      if (isReplaced(context.graph, key)) writers.set(key, [...(writers.get(key) ?? []), name]);
    }
    for (const { to } of edgesFrom(context.graph, name)) if (to !== END) open.push(to);
  }
  return writers;
}

function isWithin({ structure }: CheckContext, scope: Scope, name: string): boolean {
  const place = structure.scopeOf.get(name);
  return place !== undefined && structure.encloses(scope.key, place);
}

function isReplaced(graph: GraphDefinition, key: string): boolean {
  const definition = Object.hasOwn(graph.state, key) ? graph.state[key] : undefined;
  return definition !== undefined && (definition.reducer ?? 'replace') === 'replace';
}

/** Its own `update`, and the shared keys that the graph it runs writes. */
function keysWritten(graph: GraphDefinition, node: NodeDefinition): string[] {
  const own = Object.keys(node.update ?? {});
  if (node.type === 'map' && 'node' in node.body) return [...own, ...keysWritten(graph, node.body.node)];
  const run = node.type === 'subgraph' ? node : node.type === 'map' && 'graph' in node.body ? node.body : undefined;
  const inner = run && graph.graphs?.[run.graph];
  if (run?.share === undefined || inner === undefined) return own;
  const written = new Set(Object.values(inner.nodes).flatMap(within => keysWritten(inner, within)));
  return [...own, ...run.share.filter(key => written.has(key))];
}

/** Whether the branch cannot come to its end without the write, as long as nothing fails. */
function surelyWrites(context: CheckContext, scope: Scope, start: string, key: string): boolean {
  const { graph } = context;
  const seen = new Set<string>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === END || name === scope.join) return false;
    const node = nodeOf(graph, name);
    if (node === undefined || seen.has(name) || (node.type !== 'ask' && Object.hasOwn(node.update ?? {}, key)))
      continue;
    seen.add(name);
    if (node.type === 'fail') continue;
    const routes = routesOf(graph, name);
    if (routes.length === 0) return false;
    routes.forEach((route, index) => {
      if (!isNormal(route)) return;
      const inner = route.to.length > 1 ? innerScope(context, name, index) : undefined;
      if (inner === undefined) open.push(...route.to);
      else if (!route.to.some(to => surelyWrites(context, inner, to, key))) open.push(inner.join ?? END);
    });
  }
  return true;
}

function innerScope({ structure }: CheckContext, fork: string, route: number): Scope | undefined {
  return [...structure.scopes.values()].find(scope => scope.fork === fork && scope.routes.includes(route));
}
