import type { Amounts } from '../budget/amounts.ts';
import type { BudgetLeft } from '../budget/budget-left.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Issue } from '../schema/issue.ts';

/** A call as a model wished it: `arguments` is the raw text as it came, whatever it is. */
export interface ToolCall {
  /** The model's own id for it; never a right, never a key. */
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
}

/** In the order in which a call passes them. */
export type GateStageName =
  | 'parse'
  | 'allow'
  | 'normalize'
  | 'validate'
  | 'bind'
  | 'limits'
  | 'rules'
  | 'budget'
  | 'approval';

/**
 * What one stage got, what it gave, and why. `in` of `parse` is the raw text. Absent elsewhere, `in` is what the stage
 * before gave; absent `out` is what came in.
 */
export interface GateStage {
  readonly stage: GateStageName;
  readonly outcome: 'passed' | 'changed' | 'refused' | 'asks';
  readonly in?: JsonValue;
  readonly out?: JsonValue;
  /** Of `changed`: each rule that fired, by the pointer it fired at. */
  readonly changes?: readonly { readonly pointer: string; readonly rule: string }[];
  readonly reason?: string;
  readonly code?: RefusalCode;
  /** Of `budget`, where a bound holds: what the call would take, and what was left of each. */
  readonly asked?: Amounts;
  readonly left?: readonly BudgetLeft[];
}

export type RefusalCode =
  | 'argumentsUnreadable'
  | 'unknownTool'
  | 'notAllowed'
  | 'disabledInState'
  | 'argumentsInvalid'
  | 'notBound'
  | 'limitReached'
  | 'historyOfFailures'
  | 'ruleBroken'
  | 'overBudget'
  | 'needsApproval'
  | 'declined'
  | 'approvalStale';

/** A refusal is a result that the model can act on, never an error of the run. */
export interface Refusal {
  readonly code: RefusalCode;
  /** For the model and for people; repeats no sensitive value. */
  readonly message: string;
  readonly issues?: readonly Issue[];
  /** What may be called instead, as of now. */
  readonly allowed: readonly string[];
  /** Whether the tool may be called again: with other arguments, where those are the fault, or when the state is another. */
  readonly retryable: boolean;
}

/** What the gate says of a call before anything of it is done. */
export type Judgement = {
  readonly call: ToolCall;
  readonly stages: readonly GateStage[];
  /** Hash of the contract it was judged by. */
  readonly contract: string;
} & (
  | { readonly verdict: 'refused'; readonly refusal: Refusal }
  | ({ readonly verdict: 'ready' } & JudgedCall)
  | ({ readonly verdict: 'approval' } & JudgedCall)
);

export interface JudgedCall {
  /** Exactly what the tool gets. */
  readonly args: JsonObject;
  /** Digest of tool, version, contract, effect class and arguments: what an approval is bound to. */
  readonly subject: string;
  /** Where the contract makes one; else it is derived from the run and the operation. */
  readonly idempotencyKey?: string;
  /** A bound does not leave so much, and says that a person is asked: that comes before any approval. */
  readonly asksBudget?: true;
}

/** What the gate may read: everything a contract's expressions may name. */
export interface GateFacts {
  readonly state: JsonObject;
  readonly session?: JsonObject;
  readonly input?: JsonValue;
  readonly answers?: JsonValue;
  readonly run?: JsonObject;
  /** Epoch ms. */
  readonly now: number;
  /** What became of calls so far in this run, by tool. */
  readonly tools: Readonly<Record<string, ToolHistory>>;
}

/** Readable in guards and contract expressions as `tools.<name>`. */
export interface ToolHistory {
  /** Calls that were let through: in the run, in this visit of the node, in the session. */
  readonly calls: number;
  readonly callsInNode: number;
  readonly callsInSession?: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Failures since the last success. */
  readonly failedInARow: number;
  readonly refused: number;
}
