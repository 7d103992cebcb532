import type { CompiledGraph } from '../../graph/program.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { type StateView, stateObject } from '../../state/cell.ts';
import { commitTime } from '../../time/commit-time.ts';
import type { Run } from '../run.ts';
import type { Scope } from '../scope.ts';
import type { NodeOutcome, Token } from '../token.ts';

/** What an expression sees. Every part is made when it is read, not before. */
export type Bindings = Readonly<Record<string, unknown>>;

export interface BindingSource {
  readonly run: Run;
  readonly token: Token;
  readonly graph: CompiledGraph;
  readonly at: number;
  readonly output?: JsonValue;
  /** What the handler read; absent: the token's state now. */
  readonly state?: StateView;
  readonly values?: JsonValue;
}

export function bindings(source: BindingSource): Bindings {
  return new Sight(source) as unknown as Bindings;
}

/** Made for every node that starts and every route that is looked for, so it holds its source and nothing else. */
class Sight {
  readonly #source: BindingSource;
  #state: JsonObject | undefined;

  constructor(source: BindingSource) {
    this.#source = source;
  }

  get input() {
    return graphInput(this.#source.run, this.#source.token);
  }

  get state() {
    this.#state ??= stateObject(this.#source.state ?? this.#source.token.state);
    return this.#state;
  }

  get nodes() {
    return visibleNodes(this.#source.run, this.#source.token);
  }

  get output() {
    return this.#source.output;
  }

  get values() {
    return this.#source.values;
  }

  get item() {
    return itemOf(this.#source.run, this.#source.token)?.value;
  }

  get index() {
    return itemOf(this.#source.run, this.#source.token)?.index;
  }

  get session() {
    const { session, sessionView } = this.#source.run;
    return { id: session ?? null, state: sessionView?.state ?? {}, metadata: sessionView?.metadata ?? {} };
  }

  get answers() {
    return visibleAnswers(this.#source.run, this.#source.token).map(answer => ({ ...answer }));
  }

  get run() {
    return runFacts(this.#source.run, this.#source.token);
  }

  get now() {
    return commitTime(this.#source.at);
  }
}

/** The input of the graph the token runs in: the run's, or what the subgraph or item was given. */
export function graphInput(run: Run, token: Token): JsonValue {
  if (run.scopes.get(token.scope)?.kind === 'root') return run.input;
  for (const scope of scopesOutward(run, token)) {
    if (scope.kind === 'root') return run.input;
    if (scope.kind === 'subgraph') return scope.inputs[0] ?? null;
  }
  return run.input;
}

export function* scopesOutward(run: Run, token: Token): Generator<Scope> {
  let current: Token | undefined = token;
  while (current !== undefined) {
    const scope: Scope | undefined = run.scopes.get(current.scope);
    if (scope === undefined) return;
    yield scope;
    current = scope.kind === 'root' ? undefined : run.tokens.get(scope.owner.token);
  }
}

/** Tokens from this one outward, as far as names reach: a subgraph sees its own graph only. */
export function* tokensOutward(run: Run, token: Token): Generator<Token> {
  let current: Token | undefined = token;
  while (current !== undefined) {
    yield current;
    const scope: Scope | undefined = run.scopes.get(current.scope);
    if (scope === undefined || scope.kind === 'root' || scope.kind === 'subgraph') return;
    current = run.tokens.get(scope.owner.token);
  }
}

export function visibleNodes(run: Run, token: Token): Record<string, NodeOutcome> {
  const nodes: Record<string, NodeOutcome> = {};
  for (const outer of tokensOutward(run, token))
    for (const [name, outcome] of Object.entries(outer.nodes)) nodes[name] ??= outcome;
  const at = token.at;
  if (token.branches !== undefined && at.kind === 'pending')
    nodes[at.node] = { ...(nodes[at.node] ?? { status: 'pending' }), branches: token.branches };
  return nodes;
}

/** What was answered before this pass began, outermost first; a graph in a graph sees what was answered around it. */
export function visibleAnswers(run: Run, token: Token): Token['answers'] {
  const lists: Token['answers'][] = [token.answers];
  for (const scope of scopesOutward(run, token))
    if (scope.kind !== 'root') lists.unshift(run.tokens.get(scope.owner.token)?.answers ?? []);
  return lists.flat();
}

/** The item a token works on; a graph that is the body of a map sees the item of its own map. */
export function itemOf(run: Run, token: Token): { value: JsonValue; index: number } | undefined {
  let current: Token | undefined = token;
  while (current !== undefined) {
    const scope: Scope | undefined = run.scopes.get(current.scope);
    if (scope === undefined || scope.kind === 'root') return undefined;
    if (scope.kind === 'map') return { value: scope.inputs[current.index] ?? null, index: current.index };
    const owner: Token | undefined = run.tokens.get(scope.owner.token);
    if (scope.kind === 'subgraph' && run.scopes.get(owner?.scope ?? '')?.kind !== 'map') return undefined;
    current = owner;
  }
  return undefined;
}

function runFacts(run: Run, token: Token) {
  return {
    id: run.id,
    requestId: run.requestId,
    session: run.session ?? null,
    step: token.steps,
    episode: run.episode,
    get visits() {
      return token.visits;
    },
    get trail() {
      return token.trail.toList();
    },
    get tools() {
      return Object.fromEntries(run.tools ?? []);
    },
    get lastNode() {
      const trail = token.trail;
      return trail.length === 0 ? null : trail.slice(trail.length - 1, trail.length)[0];
    },
    get error() {
      for (const outer of tokensOutward(run, token)) if (outer.error !== undefined) return outer.error;
      return null;
    },
  };
}
