import type { DecisionData, JsonValue, LookedRoute, Outcome, Principal, Program, RunEvents } from '@signalbox/kernel';
import { type Commits, type CommittedEvent, eventsOf } from './commits.ts';
import { graphKeyOf } from './token-graph.ts';

/** The program of a version that a run began with or moved to; undefined where it is not at hand. */
export type ProgramOf = (version: string) => Program | undefined;

interface DecisionPlace {
  readonly seq: number;
  readonly at: string;
  readonly actor: Principal;
  readonly node: string;
  readonly token: string;
  readonly visit: number;
}

/** One guard that was looked at, with what the definition says of its route where the program is at hand. */
export interface LookedGuard extends LookedRoute {
  readonly to?: readonly string[];
  readonly when?: string;
  readonly because?: string;
}

export interface RouteRow extends DecisionPlace {
  readonly kind: 'route';
  readonly outcome: Outcome;
  readonly to: readonly string[];
  /** Index of the route taken; absent where the node has none. */
  readonly route?: number;
  readonly leads?: 'fork' | 'join' | 'end';
  readonly when?: string;
  readonly because?: string;
  readonly looked: readonly LookedGuard[];
  readonly wish?: { readonly to: string; readonly reason?: string; readonly confidence?: number };
}

export interface DecisionRow extends DecisionPlace, Omit<DecisionData, 'chosen'> {
  readonly kind: 'decision';
  readonly chosen: JsonValue;
}

/** Every recorded choice in the order in which it was made: of handlers and nodes, and the routes taken. */
export async function* decisions(commits: Commits, programOf?: ProgramOf): AsyncGenerator<RouteRow | DecisionRow> {
  const versions = new VersionWatch(programOf);
  for await (const committed of eventsOf(commits)) {
    const row = decisionRow(committed, versions.see(committed));
    if (row !== undefined) yield row;
  }
}

/** Follows which version the run is on, event by event. */
export class VersionWatch {
  readonly #programOf: ProgramOf;
  #program: Program | undefined;

  constructor(programOf: ProgramOf = () => undefined) {
    this.#programOf = programOf;
  }

  see({ event }: CommittedEvent): Program | undefined {
    if (event.type === 'run.started') this.#program = this.#programOf(String(event.data.version));
    if (event.type === 'run.migrated') this.#program = this.#programOf(String(event.data.to));
    return this.#program;
  }
}

export function decisionRow(
  committed: CommittedEvent,
  program: Program | undefined,
): RouteRow | DecisionRow | undefined {
  const { event } = committed;
  if (event.type === 'decision.made') {
    const { token, node, visit, op: _op, ...decision } = event.data as unknown as RunEvents['decision.made'];
    return { kind: 'decision', ...placed(committed, { token, node, visit }), ...decision };
  }
  if (event.type === 'route.decided')
    return routeRow(committed, event.data as unknown as RunEvents['route.decided'], program);
  return undefined;
}

function routeRow(committed: CommittedEvent, data: RunEvents['route.decided'], program: Program | undefined): RouteRow {
  const { outcome, to, route, leads, looked = [], wish } = data;
  const routes = program?.graphs.get(graphKeyOf(program, data.token))?.definition.routes[data.node] ?? [];
  const said = (index: number | undefined) => {
    const { when, because } = (index === undefined ? undefined : routes[index]) ?? {};
    return { ...(when === undefined ? {} : { when }), ...(because === undefined ? {} : { because }) };
  };
  return {
    kind: 'route',
    ...placed(committed, data),
    outcome,
    to,
    ...(route === undefined ? {} : { route }),
    ...(leads === undefined ? {} : { leads }),
    ...said(route),
    looked: looked.map(one => ({
      ...one,
      ...(routes[one.route] === undefined ? {} : { to: routes[one.route]!.to }),
      ...said(one.route),
    })),
    ...(wish === undefined ? {} : { wish }),
  };
}

function placed(
  { seq, commit }: CommittedEvent,
  ref: { readonly token: string; readonly node: string; readonly visit: number },
): DecisionPlace {
  return { seq, at: commit.at, actor: commit.actor, node: ref.node, token: ref.token, visit: ref.visit };
}
