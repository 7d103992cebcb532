import type { AnswerEntry, Change, ErrorData, LimitName, Wish } from '../event/run-event.ts';
import type { Outcome } from '../graph/definition.ts';
import type { JsonValue } from '../json/value.ts';
import type { ShownValues } from '../request/shown-values.ts';
import type { ListCell, StateView } from '../state/cell.ts';
import type { Adoption, Journal, NodeExecution } from './node-execution.ts';

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
  /** Steps beyond the limit that were granted along that path; absent: none. */
  readonly granted?: number;
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
  /** Questions that were answered, or that nobody answered in time; of a pass begun anew, those before it too. */
  readonly asked?: number;
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
  readonly shown?: ShownValues;
  /** What the action was called. */
  readonly actionLabel?: string;
  /** Under which a handler asked it, as in `ctx.ask(name, …)`; absent of an `ask` node. */
  readonly name?: string;
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
  /** At a limit until a person has said whether to go on: before `node`, or after it where its outcome is given. */
  | {
      readonly kind: 'limited';
      readonly node: string;
      readonly visit: number;
      readonly limit: LimitName;
      readonly value: number;
      readonly of?: string;
      readonly outcome?: Outcome;
      readonly wish?: Wish;
      readonly adopt?: Adoption;
    }
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
