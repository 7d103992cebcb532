import type { Amounts } from '../budget/amounts.ts';
import type { RetryPolicy } from '../graph/definition.ts';
import type { JsonObject } from '../json/value.ts';

/**
 * A capability contract as data: what an agent may call, with what, when, and who must approve. Everything is JSON and
 * normalized: expressions are CEL texts, durations texts, snake_case spellings of hand-written files are gone.
 * What is not in it is not allowed; an expression that cannot be evaluated closes (design 6).
 */
export interface ContractDefinition {
  /** `agent_name`. */
  readonly name: string;
  /** The author's own; the contract's identity is its hash. */
  readonly version: string;
  readonly description?: string;
  /** The contract this one narrows, by name; gone from what is hashed, as its effect is worked in. */
  readonly extends?: string;
  /** By name, in the order of the file. `{}` means nothing may be called. */
  readonly tools: Readonly<Record<string, ToolContract>>;
  readonly prompts: readonly DynamicPrompt[];
  readonly rules: readonly CallRule[];
  readonly budgets?: ContractBudgets;
  /** JSON Schema of the agent's own reply. */
  readonly output?: JsonObject;
  /** CEL over `output`, each to hold for the agent's own reply. */
  readonly outputRules: readonly OutputRule[];
  /** A choice of the agent below it becomes a decision request. */
  readonly confidence?: { readonly below: number; readonly assignees?: readonly string[] };
}

export interface ToolContract {
  readonly description?: string;
  /** JSON Schema 2020-12 of the arguments, an object. */
  readonly input: JsonObject;
  /** Of the result; absent: anything. */
  readonly output?: JsonObject;
  /** Default `once`: what nobody declared harmless is done at most once. */
  readonly effect: 'read' | 'repeat' | 'once';
  /** CEL over `state`, `session`, `input`, `tools`, `run`, `now`: the tool exists only where it holds. */
  readonly when?: string;
  /** Argument (a name, or a JSON pointer into the arguments) → CEL: it must equal what that gives, or be a member of it. */
  readonly bind: Readonly<Record<string, string>>;
  /** Default true. False: arguments are taken as they are, or refused. */
  readonly normalize: boolean;
  readonly approval?: ToolApproval;
  /** CEL over `args` and the rest: a text that is sent along. Default: derived from the run and the call. */
  readonly idempotencyKey?: string;
  /** A duration; default 30s. */
  readonly timeout?: string;
  readonly retry?: RetryPolicy;
  readonly limits?: ToolLimits;
  /** JSON pointers into the arguments whose values are masked in every view and kept encrypted. */
  readonly sensitive: readonly string[];
  /** The same into the result. */
  readonly sensitiveOutput: readonly string[];
  /** State key → CEL over `output` and `args`: written when a call succeeds. */
  readonly writes: Readonly<Record<string, string>>;
  /** The tool that undoes it, and its arguments as CEL over `args` and `output`. */
  readonly compensate?: { readonly tool: string; readonly args: Readonly<Record<string, string>> };
  /** How a structured result becomes a bounded text for the prompt. */
  readonly bridge?: { readonly template?: string; readonly maxChars?: number };
  /** May be run beside other calls of one reply. Default false. */
  readonly parallel: boolean;
  /** What one call costs, beside the call itself. */
  readonly cost?: Amounts;
}

export interface ToolApproval {
  /** CEL over `args` and the rest; absent: always. One that cannot be evaluated asks. */
  readonly when?: string;
  readonly assignees?: readonly string[];
  readonly quorum?: number;
  readonly fourEyes?: boolean;
  /** A duration; the approval is refused from then on. */
  readonly deadline?: string;
  readonly title?: string;
}

/** Calls that were let through, and how many of them may fail in a row: it is not called again in the run then. */
export interface ToolLimits {
  readonly perRun?: number;
  readonly perNode?: number;
  readonly perSession?: number;
  readonly failuresInARow?: number;
}

/** Must hold for a call, else it is refused as `ruleBroken`. */
export interface CallRule {
  /** Absent: of every tool. */
  readonly tools?: readonly string[];
  /** CEL over `tool`, `args` and the rest. */
  readonly assert: string;
  readonly message: string;
}

export interface OutputRule {
  readonly assert: string;
  readonly message: string;
}

/** A text that joins the system prompt while its condition holds. */
export interface DynamicPrompt {
  readonly condition: string;
  /** With `{{ CEL }}` in it. */
  readonly template: string;
  /** The least important go first where there is no room; default 0, higher is more important. */
  readonly priority: number;
}

export interface ContractBudgets {
  readonly run?: Amounts;
  readonly session?: Amounts;
  /** Of the tenant, per day in the graph's zone. */
  readonly tenantPerDay?: Amounts;
  /** Default `stop`. `degrade`: the agent's cheaper model goes on, and stops at twice the amount. */
  readonly onReached: 'stop' | 'ask' | 'degrade';
}
