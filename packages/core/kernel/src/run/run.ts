import type { Principal } from '../event/commit.ts';
import type { MemoryEntry } from '../event/memory-entry.ts';
import type { ErrorData, NodeRef, SuspendReason } from '../event/run-event.ts';
import type { SessionView } from '../event/session-view.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Place } from './place.ts';
import type { RequestState } from './request-state.ts';
import type { Scope } from './scope.ts';
import type { Spending } from './spending.ts';
import type { Token } from './token.ts';
import type { ToolTallies } from './tool-tally.ts';

/**
 * A run, folded from its events.
 *  1. It changes by `evolve` alone; whoever holds one may keep it: no part of it is changed in place under a holder.
 *  2. `tokens` holds every token that is live or whose end still matters to its open scope.
 *  3. A token's id is its path: '' is the root; `fork#2.1` the second branch of the scope opened by visit 2 of `fork`.
 *  4. Nothing in it depends on the graph: evolve needs no definition.
 */
export interface Run {
  readonly id: string;
  readonly tenant: string;
  /** Sequence number of the last event folded; 0 before the first. */
  readonly seq: number;
  /** Time of the last commit folded, epoch ms. */
  readonly at: number;
  readonly graph: string;
  readonly version: string;
  readonly label: string | undefined;
  readonly semantics: number;
  readonly status: RunStatus;
  readonly suspend: { readonly reason: SuspendReason; readonly details?: JsonObject } | undefined;
  readonly input: JsonValue;
  readonly zone: string;
  readonly requestId: string;
  readonly session: string | undefined;
  /** What is remembered in the run alone, by key. */
  readonly memory?: ReadonlyMap<string, MemoryEntry>;
  /** Its turn in the session; undefined of a run that takes none. */
  readonly place: Place | undefined;
  /** Since when it is queued for its turn. */
  readonly queuedAt: number | undefined;
  readonly sessionView: SessionView | undefined;
  /** The run that started it. */
  readonly parent: string | undefined;
  /** The user who started it; undefined where that was no user. */
  readonly user: string | undefined;
  readonly key: string | undefined;
  readonly decisions: 'on' | 'off' | 'unattended';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly term: number;
  readonly owner: string | undefined;
  readonly build: string | undefined;
  readonly output: JsonValue | undefined;
  readonly error: ErrorData | undefined;
  readonly completion: 'noArrival' | undefined;
  readonly compensation: 'complete' | 'incomplete' | undefined;
  readonly tokens: ReadonlyMap<string, Token>;
  readonly scopes: ReadonlyMap<string, Scope>;
  /** Open requests by id. */
  readonly requests: ReadonlyMap<string, RequestState>;
  /** What became of the others, of the latest only (see `Draft.endCommit`), oldest first. */
  readonly closedRequests: ReadonlyMap<string, RequestState>;
  readonly timers: ReadonlyMap<string, Timer>;
  /** Signals that came before anybody waited, by name, oldest first. */
  readonly signals: ReadonlyMap<string, readonly JsonValue[]>;
  readonly episode: number;
  readonly compensations: readonly Compensation[];
  readonly compensating: Compensating | undefined;
  readonly cancelling: { readonly reason: string; readonly compensate: boolean } | undefined;
  /** Nodes that a `step` still lets start while the run is paused. */
  readonly allowance: number;
  /** Executing time in ms up to the last change, and since when it executes now. */
  readonly executed: number;
  readonly executingSince: number | undefined;
  /** Rollbacks so far: part of every key derived after the first, so that none is used twice. */
  readonly generation: number;
  readonly fork: { readonly parent: string; readonly at: number } | undefined;
  /** `once` operations done beyond the point of a fork or rollback, and what to do when the code comes to them again. */
  readonly later: { readonly effects: 'recorded' | 'ask' | 'live'; readonly ops: readonly LaterOp[] } | undefined;
  /** `once` operations that a restart may come to again, in order of their records. */
  readonly doneOnce: readonly DoneOnce[];
  /** Those of a pass that was begun anew with `dedupe: run`: whoever comes to one again gets its result. */
  readonly offered: readonly DoneOnce[];
  /** Reopened, and not yet sent anywhere: its end stands until the controller moves it. */
  readonly reopened: boolean;
  /** Absent: nothing so far. */
  readonly spending?: Spending;
  /** By tool; absent: none was called. */
  readonly tools?: ToolTallies;
  /** Contracts it is pinned to: name → hash. */
  readonly contracts?: Readonly<Record<string, string>>;
  /** Who started and who forked it, where that is known: whom four eyes exclude. */
  readonly requesters?: readonly Principal[];
}

export type RunStatus =
  | 'running'
  | 'suspended'
  | 'paused'
  | 'cancelling'
  | 'compensating'
  | 'completed'
  | 'failed'
  | 'cancelled';

export interface DoneOnce extends LaterOp {
  readonly token: string;
}

export interface LaterOp {
  /** `path/node/op`, without the visit: visits go on. */
  readonly key: string;
  readonly digest: string;
  readonly value?: JsonValue;
  readonly error?: ErrorData;
  readonly unknown?: true;
  readonly begun?: true;
  /** When it was begun, epoch ms. */
  readonly at?: number;
}

export interface Timer {
  readonly id: string;
  readonly at: number;
  /** `request`, `claim` and `reminder`: of a question, its deadline, the end of a service's turn, a reminder. */
  readonly kind: 'sleep' | 'retry' | 'deadline' | 'request' | 'claim' | 'reminder';
  readonly token: string;
  readonly node: string;
  readonly visit: number;
  readonly op?: string;
  readonly request?: string;
}

export interface Compensation extends NodeRef {
  readonly graph: string;
  readonly input: JsonValue;
  readonly output: JsonValue;
  /** Calls of tools that are undone, in order of success; absent: the node says itself how it is undone. */
  readonly calls?: readonly DoneCall[];
  /** The fallback whose calls they are. */
  readonly by?: string;
}

/** A call of a tool as it was let through, and what it gave. */
export interface DoneCall {
  readonly op: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly output: JsonValue;
}

export interface Compensating {
  readonly ending: 'failed' | 'cancelled';
  readonly error: ErrorData | undefined;
  readonly reason: string;
  readonly running: NodeRef | undefined;
  readonly failures: readonly (NodeRef & { readonly error: ErrorData })[];
  readonly attempt: number;
}

/** An open or closed request of the run. */
export function findRequest(run: Run, id: string): RequestState | undefined {
  return run.requests.get(id) ?? run.closedRequests.get(id);
}
