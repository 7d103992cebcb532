import type { NodeExecution, OpRecord } from './node-execution.ts';
import type { RequestState } from './request-state.ts';
import type { Run, Timer } from './run.ts';
import type { Scope } from './scope.ts';
import type { Token } from './token.ts';

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Requests that are closed, the latest, of which a run itself knows what became of them. */
export const CLOSED_KEPT = 100;

/** Copies that a draft keeps as its own at most. */
const OWN_LIMIT = 256;

/**
 * A run being changed.
 *  1. What the draft did not make itself it copies before the first change; so the run it began with stays as it was.
 *  2. What it made it changes in place; a driver that keeps one draft for a run's whole drive copies nothing twice.
 *  3. Only `evolve` writes through a draft, and it asks for each part anew at each event.
 */
export class Draft {
  /** Emptied now and then, lest it hold what has gone: weak references cost more than the copies made again. */
  #owned = new Set<object>();
  run: Mutable<Run>;

  constructor(run: Run) {
    this.run = this.#own(run);
  }

  #own<T extends object>(value: T): Mutable<T> {
    if (this.#owned.has(value)) return value as Mutable<T>;
    const copy = (value instanceof Map ? new Map(value) : { ...value }) as T;
    this.#owned.add(copy);
    return copy as Mutable<T>;
  }

  /** The run as it is now; whoever asks may keep it, so nothing of it is changed in place afterwards. */
  snapshot(): Run {
    const kept = this.run;
    this.#owned = new Set();
    this.run = this.#own(kept);
    return kept;
  }

  /** Called before each event: nothing that `evolve` changes in place is kept from one to the next (invariant 3). */
  begin(): void {
    if (this.#owned.size <= OWN_LIMIT) return;
    const before = this.#owned;
    this.#owned = new Set([this.run]);
    const { tokens, scopes, requests, closedRequests, timers } = this.run;
    for (const map of [tokens, scopes, requests, closedRequests, timers]) if (before.has(map)) this.#owned.add(map);
  }

  /**
   * Called after each whole commit. A run must not grow with every question that was ever put: what became of those closed
   * long ago the store tells. Not before: whoever writes the commit finds all that it closed.
   */
  endCommit(): void {
    let over = this.run.closedRequests.size - CLOSED_KEPT;
    if (over <= 0) return;
    const closed = this.closedRequests();
    for (const id of closed.keys()) {
      if (over <= 0) return;
      closed.delete(id);
      over -= 1;
    }
  }

  tokens(): Map<string, Token> {
    this.run.tokens = this.#own(this.run.tokens as Map<string, Token>);
    return this.run.tokens as Map<string, Token>;
  }

  scopes(): Map<string, Scope> {
    this.run.scopes = this.#own(this.run.scopes as Map<string, Scope>);
    return this.run.scopes as Map<string, Scope>;
  }

  requests(): Map<string, RequestState> {
    this.run.requests = this.#own(this.run.requests as Map<string, RequestState>);
    return this.run.requests as Map<string, RequestState>;
  }

  closedRequests(): Map<string, RequestState> {
    this.run.closedRequests = this.#own(this.run.closedRequests as Map<string, RequestState>);
    return this.run.closedRequests as Map<string, RequestState>;
  }

  timers(): Map<string, Timer> {
    this.run.timers = this.#own(this.run.timers as Map<string, Timer>);
    return this.run.timers as Map<string, Timer>;
  }

  /** Throws on an unknown token: an event never names one that is not there. */
  token(id: string): Mutable<Token> {
    const found = this.run.tokens.get(id);
    if (found === undefined) throw new Error(`No token "${id}" in run ${this.run.id}.`);
    const own = this.#own(found);
    if (own !== found) this.tokens().set(id, own);
    return own;
  }

  scope(id: string): Mutable<Scope> {
    const found = this.run.scopes.get(id);
    if (found === undefined) throw new Error(`No scope "${id}" in run ${this.run.id}.`);
    const own = this.#own(found);
    if (own !== found) this.scopes().set(id, own);
    return own;
  }

  /** The execution the token is at, ready to be changed; undefined when it is not at that visit any more. */
  execution(ref: { token: string; node: string; visit: number }): Mutable<NodeExecution> | undefined {
    const position = this.run.tokens.get(ref.token)?.at;
    if (position?.kind !== 'node' || position.node !== ref.node || position.visit !== ref.visit) return undefined;
    const own = this.#own(position);
    if (own !== position) this.token(ref.token).at = own;
    return own as Mutable<NodeExecution>;
  }

  journal(execution: Mutable<NodeExecution>): Map<string, OpRecord> {
    const own = this.#own(execution.journal as Map<string, OpRecord>) as Map<string, OpRecord>;
    execution.journal = own;
    return own;
  }

  results(scope: Mutable<Scope>): Map<number, Scope['results'] extends ReadonlyMap<number, infer R> ? R : never> {
    const own = this.#own(scope.results as Map<number, never>) as Map<number, never>;
    scope.results = own;
    return own;
  }
}
