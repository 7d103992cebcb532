import { type Fault, pointerTo } from '../error/fault.ts';
import { END, type GraphDefinition } from './definition.ts';
import { edgesFrom, isJoin, isNormal, nodeOf, routesOf } from './flow.ts';
import { type Arrival, isAncestor, ROOT, type Scope, type ScopeWalk } from './scope-walk.ts';

export interface StructureContext {
  readonly graph: GraphDefinition;
  readonly pointer: string;
  readonly walk: ScopeWalk;
  readonly scopes: ReadonlyMap<string, Scope>;
}

/**
 * `ForkWithoutJoin`, `ForkWithTwoJoins`, `JoinWithoutFork`, `JoinShared`, `JoinOutOfReach`, `RouteIntoScope`,
 * `RouteOutOfScope`.
 */
export function structureFaults(context: StructureContext): Fault[] {
  const meetings = [...context.scopes.values()].flatMap(scope => meetingFaults(context, scope));
  const certain = meetings.filter(({ fault }) => fault.severity === 'error');
  const explained = new Set(certain.map(({ scope, at }) => `${scope} ${at}`));
  return [
    ...context.walk.arrivals
      .filter(arrival => !explained.has(`${arrival.scope} ${arrival.edge.to}`))
      .flatMap(arrival => (arrival.join ? joinArrivalFaults(context, arrival) : arrivalFaults(context, arrival))),
    ...joinFaults(context),
    ...meetings.map(({ fault }) => fault),
  ];
}

function arrivalFaults(context: StructureContext, { edge, scope }: Arrival): Fault[] {
  const target = context.walk.scopeOf.get(edge.to);
  if (edge.to === END || target === undefined || target === scope) return [];
  return [isAncestor(context.walk, target, scope) ? leaves(context, edge, scope) : enters(context, edge, target)];
}

function joinArrivalFaults(context: StructureContext, { edge, scope }: Arrival): Fault[] {
  const owners = ownersOf(context, edge.to);
  const [owner] = owners;
  if (scope === ROOT) return owner === undefined ? [] : [enters(context, edge, owner.key)];
  const own = context.scopes.get(scope)!;
  if (own.join === edge.to) {
    const isElsewhere = context.walk.scopeOf.get(edge.to) !== own.parent && owners.length === 1;
    return isElsewhere ? [leaves(context, edge, scope)] : [];
  }
  if (owner !== undefined && isAncestor(context.walk, owner.key, scope)) return [leaves(context, edge, scope)];
  const message = `Branches of \`${own.fork}\` reach two joins, \`${own.join}\` and \`${edge.to}\`; a fork has one.`;
  const hint = `Lead them all to \`${own.join}\`, or open a fork of its own for \`${edge.to}\`.`;
  return [error('ForkWithTwoJoins', placeOf(context, edge), message, hint)];
}

function leaves(context: StructureContext, edge: Arrival['edge'], scope: string): Fault {
  const { fork, join } = context.scopes.get(scope)!;
  const message = `The route leaves the scope that \`${fork}\` opens: \`${edge.to}\` is outside of it.`;
  const way = join === undefined ? 'end' : `its join \`${join}\` or end`;
  return error('RouteOutOfScope', placeOf(context, edge), message, `A branch is left by ${way} only.`);
}

function enters(context: StructureContext, edge: Arrival['edge'], scope: string): Fault {
  const { fork, join } = context.scopes.get(scope)!;
  const message = `The route enters the scope that \`${fork}\` opens from outside, at \`${edge.to}\`.`;
  const elsewhere = `Route to \`${fork}\` instead, or give both ways one node that forks, and route to that.`;
  const hint = join === edge.to ? `Route to what follows \`${join}\` instead.` : elsewhere;
  return error('RouteIntoScope', placeOf(context, edge), message, hint);
}

function joinFaults(context: StructureContext): Fault[] {
  const faults: Fault[] = [];
  const { entry } = context.graph;
  if (isJoin(nodeOf(context.graph, entry))) {
    const message = `The graph starts at \`${entry}\`, which is a join; there are no branches to wait for yet.`;
    faults.push(error('JoinWithoutFork', `${context.pointer}/entry`, message, 'Start at the fork, or before it.'));
  }
  for (const name of context.walk.scopeOf.keys()) {
    if (!isJoin(nodeOf(context.graph, name))) continue;
    const place = pointerTo(`${context.pointer}/nodes`, name);
    const owners = ownersOf(context, name);
    const forks = [...new Set(owners.map(scope => scope.fork))];
    const isReached =
      name === entry || context.walk.arrivals.some(({ edge, scope }) => edge.to === name && scope !== ROOT);
    if (forks.length === 0 && !isReached) {
      const message = `\`${name}\` is a join, but no fork leads to it.`;
      const hint = 'Take `join` away, or open the branches by a route with several targets.';
      faults.push(error('JoinWithoutFork', place, message, hint));
    } else if (forks.length > 1) {
      const message = `\`${name}\` is the join of several forks: ${forks.map(fork => `\`${fork}\``).join(', ')}.`;
      faults.push(error('JoinShared', place, message, 'Give each fork a join of its own.'));
    }
    faults.push(...owners.flatMap(scope => countFaults(context, name, scope)));
  }
  return faults;
}

function countFaults({ graph, pointer }: StructureContext, name: string, scope: Scope): Fault[] {
  const mode = nodeOf(graph, name)?.join;
  if (typeof mode !== 'object') return [];
  const fewest = Math.min(...scope.routes.map(route => routesOf(graph, scope.fork)[route]!.to.length));
  if (mode.count <= fewest) return [];
  const message = `The join waits for ${mode.count} branches, but \`${scope.fork}\` opens ${fewest}.`;
  return [error('JoinOutOfReach', `${pointerTo(`${pointer}/nodes`, name)}/join/count`, message)];
}

/** Where branches of a fork without a join meet: the node there would run once for each of them. */
function meetingFaults(context: StructureContext, scope: Scope): { scope: string; at: string; fault: Fault }[] {
  if (scope.join !== undefined) return [];
  return scope.routes.flatMap(route => {
    const branches = routesOf(context.graph, scope.fork)[route]!.to.filter(to => nodeOf(context.graph, to));
    const reached = branches.map(branch => insideFrom(context, branch, scope.key));
    const counts = new Map<string, number>();
    for (const name of reached.flatMap(names => [...names])) counts.set(name, (counts.get(name) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    const at = [...counts.keys()].find(name => counts.get(name) === most);
    if (at === undefined || most < 2) return [];
    const message = `Branches of \`${scope.fork}\` meet at \`${at}\`, which is no join and would run once for each.`;
    const hint = `Write \`join: all\` at \`${at}\`, or let every branch end by itself.`;
    const place = `${pointerTo(`${context.pointer}/routes`, scope.fork)}/${route}/to`;
    const severity = most === branches.length ? 'error' : 'warning';
    return [{ scope: scope.key, at, fault: { ...error('ForkWithoutJoin', place, message, hint), severity } }];
  });
}

/** What a branch comes to when all goes well, up to the first node outside the scope. */
function insideFrom({ graph, walk }: StructureContext, start: string, scope: string): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    if (found.has(node)) continue;
    found.add(node);
    const place = walk.scopeOf.get(node);
    if (place !== scope && !isAncestor(walk, scope, place ?? ROOT)) continue;
    for (const { to, route } of edgesFrom(graph, node)) {
      if (to !== END && isNormal(routesOf(graph, node)[route]!)) open.push(to);
    }
  }
  return found;
}

function ownersOf({ scopes }: StructureContext, join: string): Scope[] {
  return [...scopes.values()].filter(scope => scope.join === join);
}

function placeOf({ graph, pointer }: StructureContext, { from, route, target }: Arrival['edge']): string {
  const base = `${pointerTo(`${pointer}/routes`, from)}/${route}/to`;
  return routesOf(graph, from)[route]!.to.length > 1 ? `${base}/${target}` : base;
}

function error(code: string, pointer: string, message: string, hint?: string): Fault {
  return { code, severity: 'error', pointer, message, ...(hint === undefined ? {} : { hint }) };
}
