import type { Principal } from '../event/commit.ts';
import type {
  AnswerEntry,
  Change,
  EffectClass,
  ErrorData,
  NodeRef,
  OpKind,
  SuspendReason,
  WaitData,
} from '../event/run-event.ts';
import type { Outcome } from '../graph/definition.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { RequestDefinition, RequestKind } from '../request/definition.ts';
import type { ListCell, StateView } from '../state/cell.ts';

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
  /** What became of the others. */
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
}

export interface Token {
  readonly id: string;
  readonly scope: string;
  readonly index: number;
  /** Graph it runs in, as a key of the compiled program. */
  readonly graph: string;
  readonly at: TokenPosition;
  /** The node it began with. */
  readonly first: string | undefined;
  readonly state: StateView;
  /** What was written since the scope opened, for the merge; the root keeps none. */
  readonly writes: readonly Change[];
  /** Nodes started along this token's path, its parent's included. */
  readonly steps: number;
  readonly visits: Readonly<Record<string, number>>;
  readonly successive: { readonly node: string; readonly count: number } | undefined;
  /** Last output; the default input of the next node. */
  readonly last: JsonValue;
  readonly nodes: Readonly<Record<string, NodeOutcome>>;
  readonly trail: ListCell;
  /** List in branch order for the join about to start. */
  readonly branches: readonly BranchResult[] | undefined;
  /** State as it was when a node was first entered. */
  readonly entries: Readonly<Record<string, EntryPoint>>;
  /** Answers that a fresh pass takes as established. */
  readonly answers: readonly GivenAnswer[];
  /** Counts writes and waits, so that "no progress" sees a change without comparing state. */
  readonly revision: number;
  readonly progress: Readonly<Record<string, Progress>>;
  /** Last output of each node that was not a fallback's, for `fallback: { lastGood }`. */
  readonly good: Readonly<Record<string, { readonly output: JsonValue; readonly at: number }>>;
  /** Error of the node that failed last, for `on: failed` targets. */
  readonly error: ErrorData | undefined;
}

export interface EntryPoint {
  readonly state: StateView;
  readonly writes: number;
  readonly last: JsonValue;
}

export interface Progress {
  readonly output: JsonValue;
  readonly revision: number;
  readonly count: number;
}

export interface GivenAnswer extends AnswerEntry {
  readonly request: string;
  readonly title: string;
  readonly node: string;
}

export interface BranchResult {
  readonly status: 'arrived' | 'ended' | 'failed' | 'cancelled';
  /** Absent of a branch that failed or was cancelled. */
  readonly output?: JsonValue;
}

export interface NodeOutcome {
  readonly status: 'pending' | 'running' | 'suspended' | 'success' | 'failed' | 'skipped' | 'cancelled';
  readonly output?: JsonValue;
  readonly error?: ErrorData;
  readonly degraded?: true;
  /** Of a join: what its branches brought. */
  readonly branches?: readonly BranchResult[];
}

export type TokenPosition =
  /** About to start `node`; waits while the run is paused, held or its scope fails. */
  | { readonly kind: 'pending'; readonly node: string; readonly adopt?: Adoption; readonly byLimit?: true }
  | ({ readonly kind: 'node' } & NodeExecution)
  | { readonly kind: 'forked'; readonly node: string; readonly visit: number; readonly scope: string }
  | { readonly kind: 'arrived' | 'ended'; readonly output: JsonValue; readonly reason?: 'noArrival' }
  | ({ readonly kind: 'failed'; readonly error: ErrorData } & FailedAt)
  /** `was`: the node it stood at or before; `left`: what it had done there, where that is begun anew. */
  | { readonly kind: 'cancelled'; readonly was?: string; readonly left?: Adoption };

/** Where a failed token stands, hence what a retry does: start the node anew, route anew, or go on inside its scope. */
export type FailedAt =
  | { readonly phase: 'node'; readonly node: string; readonly visit: number; readonly journal: Journal }
  | { readonly phase: 'start'; readonly node: string }
  /** It had ended, but what the graph gives out could not be made. */
  | { readonly phase: 'output'; readonly node: string; readonly reason: 'noArrival' | undefined }
  | { readonly phase: 'routing'; readonly node: string; readonly visit: number; readonly outcome: Outcome }
  | {
      readonly phase: 'scope';
      readonly node: string;
      readonly visit: number;
      readonly scope: string;
      readonly composite: NodeExecution | undefined;
    };

export interface Adoption {
  readonly visit: number;
  readonly journal: Journal;
}

export type Journal = ReadonlyMap<string, OpRecord>;

export interface NodeExecution {
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
  /** `held`: its wait is over, and it goes on when nothing holds it back any more. */
  readonly status: 'running' | 'waiting' | 'held' | 'backoff' | 'composite' | 'stuck';
  readonly input: JsonValue;
  /** What the handler reads, whatever happens to the state meanwhile. */
  readonly state: StateView;
  readonly startedAt: number;
  readonly journal: Journal;
  /** Number of the next recorded operation: results are delivered in this order. */
  readonly recorded: number;
  readonly scope: string | undefined;
  readonly fallback: { readonly node: string; readonly error: ErrorData } | undefined;
  readonly error: ErrorData | undefined;
  /** Drivers that died here with nothing new recorded since. */
  readonly crashes: number;
  /** The back-off is long enough to be a durable timer. */
  readonly durable: boolean;
  /** How long this attempt executed before it last waited, ms; absent: 0. */
  readonly executed?: number;
}

export interface OpRecord {
  readonly op: string;
  readonly kind: OpKind;
  readonly digest: string;
  readonly status: 'intended' | 'recorded' | 'doubted';
  readonly class?: EffectClass;
  readonly onDoubt?: 'ask' | 'retry' | 'fail';
  readonly value?: JsonValue;
  readonly error?: ErrorData;
  readonly order: number;
  /** When it was begun, epoch ms; of a `once` operation. */
  readonly begun?: number;
  /** When it was recorded, epoch ms. */
  readonly at?: number;
  readonly wait?: WaitData;
  readonly first?: Readonly<Record<string, WaitData>>;
  readonly keep?: true;
  /** Taken over by a controller's retry: used if asked for, no mismatch if not. */
  readonly adopted?: true;
  /** Of a `once` operation taken over before its end was known: the visit that began it. */
  readonly from?: number;
}

export interface Scope {
  readonly id: string;
  readonly kind: 'root' | 'fork' | 'map' | 'subgraph';
  /** Token that opened it, and where. */
  readonly owner: NodeRef;
  readonly graph: string;
  readonly join: string | undefined;
  readonly size: number;
  /** Of a map: the items; of a subgraph: its one input. */
  readonly inputs: readonly JsonValue[];
  readonly collect: boolean;
  /** Next item of a map that has not begun. */
  readonly next: number;
  readonly results: ReadonlyMap<number, ItemResult>;
  /** State the tokens of this scope start from. */
  readonly state: StateView;
  readonly share: readonly string[];
  /** Visits by node over all tokens of the scope. */
  readonly visits: Readonly<Record<string, number>>;
  /** Set once a token failed that the scope cannot do without. */
  readonly failing: ErrorData | undefined;
}

export interface ItemResult {
  readonly status: 'ended' | 'failed';
  readonly output: JsonValue;
  readonly error?: ErrorData;
  readonly writes: readonly Change[];
}

export interface RequestState extends NodeRef {
  readonly id: string;
  readonly op: string;
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn' | 'superseded';
  readonly definition: RequestDefinition | undefined;
  readonly filled: JsonObject;
  readonly kind: RequestKind;
  readonly title: string;
  readonly assignees: readonly string[];
  readonly openedAt: number;
  readonly deadline: number | undefined;
  readonly step: number;
  readonly about: 'ask' | 'doubt' | 'check' | 'compensation' | 'limit';
  readonly subject: string | undefined;
  readonly hold: 'run' | undefined;
  readonly answer: AnswerEntry | undefined;
  /** Idempotency key of the accepted answer, and the digest of what was sent with it. */
  readonly key?: string;
  readonly digest?: string;
}

export interface Timer {
  readonly id: string;
  readonly at: number;
  readonly kind: 'sleep' | 'retry' | 'deadline' | 'request';
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
}

export interface Compensating {
  readonly ending: 'failed' | 'cancelled';
  readonly error: ErrorData | undefined;
  readonly reason: string;
  readonly running: NodeRef | undefined;
  readonly failures: readonly (NodeRef & { readonly error: ErrorData })[];
  readonly attempt: number;
}

export type Actor = Principal;

/** `path/node/op` of an operation, whatever the visits on its path: they go on when something is done again. */
export function laterKey(ref: NodeRef, op: string): string {
  return `${ref.token.replaceAll(/#\d+/g, '')}/${ref.node}/${op}`;
}

/** An open or closed request of the run. */
export function findRequest(run: Run, id: string): RequestState | undefined {
  return run.requests.get(id) ?? run.closedRequests.get(id);
}

/** What the operations of checks are called; a handler's own are not among them, and no other visit takes them over. */
export const CHECK_PREFIX = 'check:';

/** `path/node#visit`, the first part of a journal key. */
export function nodeKey(ref: NodeRef): string {
  return `${ref.token === '' ? '' : `${ref.token}/`}${ref.node}#${ref.visit}`;
}

/** The journal key: `path/node#visit/name#n`. Attempt is not in it, so it is the same after a crash or a retry by policy. */
export function opKey(ref: NodeRef, op: string): string {
  return `${nodeKey(ref)}/${op}`;
}

/** What ids and idempotency keys are derived from: the journal key within its run and generation. */
export function globalKey(run: Pick<Run, 'id' | 'generation'>, ref: NodeRef, op: string): string {
  return `${run.id}${run.generation === 0 ? '' : `~${run.generation}`}/${opKey(ref, op)}`;
}
