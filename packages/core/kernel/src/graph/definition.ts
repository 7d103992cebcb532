import type { BudgetDefinition } from '../budget/amounts.ts';
import type { Templated } from '../json/templated.ts';
import type { JsonObject } from '../json/value.ts';
import type { RequestDefinition } from '../request/definition.ts';

/**
 * A graph as data: what the builder and the YAML loader both produce, what is hashed, stored and pinned by runs.
 * Everything in it is JSON. Expressions are CEL texts; durations are texts; handlers are named by key.
 */
export interface GraphDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema 2020-12 of the run's input. */
  readonly input: JsonObject;
  readonly state: Readonly<Record<string, StateKeyDefinition>>;
  /** The run's output as a map of CEL; absent: the output of the node at which the last token ended. */
  readonly output?: Readonly<Record<string, string>>;
  readonly entry: string;
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly routes: Readonly<Record<string, readonly RouteDefinition[]>>;
  readonly limits?: GraphLimits;
  /** IANA zone in which local times of this graph are read; default UTC. */
  readonly zone?: string;
  /** Graphs that `subgraph` and `map` nodes run, by the name they use. Self-contained: no look-up outside. */
  readonly graphs?: Readonly<Record<string, GraphDefinition>>;
}

export type Reducer = 'replace' | 'append' | 'merge' | 'sum' | 'min' | 'max';

export interface StateKeyDefinition {
  readonly schema: JsonObject;
  /** Default `replace`. */
  readonly reducer?: Reducer;
}

export interface GraphLimits {
  /** Nodes along one token's path; default 200. */
  readonly maxSteps?: number;
  /** Visits of one node in one scope; default 10. */
  readonly maxVisits?: number;
  /** Visits of one node in a row; off by default. */
  readonly maxSuccessive?: number;
  /** Executing time of the run. */
  readonly timeout?: string;
  /** Visits in a row with the same output, no state change and no wait; default 3, `false` switches it off. */
  readonly noProgress?: number | false;
  /** Questions one after the other without an end between them; default 16. */
  readonly maxChain?: number;
  /** What all operations of a run may spend together. */
  readonly budget?: BudgetDefinition;
  /** What a limit that is reached comes to where no `on: limit` route is; default `fail`. */
  readonly onReached?: OnReached;
}

/** Limits of a node for itself; what it does not say, its graph does. */
export interface NodeLimits {
  readonly maxVisits?: number;
  readonly maxSuccessive?: number;
  /** What the node's operations may spend together in a run, all its visits. */
  readonly budget?: BudgetDefinition;
  /** Of the limits on this node's visits, its progress included. */
  readonly onReached?: OnReached;
}

/** `ask`: a person says whether to go on, with the same allowance again, or to fail with the limit's error. */
export type OnReached = 'fail' | 'ask' | { readonly ask: LimitQuestion };

/** How a person is asked at a limit. What it does not say, the engine words: the limit, what was reached, the last nodes. */
export interface LimitQuestion {
  readonly title?: string;
  readonly message?: string;
  readonly assignees?: readonly string[];
  readonly deadline?: LimitDeadline;
}

/** Nobody answers in time: the limit's error (`fail`, the default), or the next in `to`, and the error after the last. */
export interface LimitDeadline {
  readonly after: string;
  readonly onExpire?: 'fail' | 'escalate';
  readonly to?: readonly string[];
}

/** How a node ended, as a route's `on` names it. The first four stand for an answered request's action. */
export type Outcome = 'approve' | 'edit' | 'reject' | 'cancel' | 'expired' | 'success' | 'failed' | 'skipped' | 'limit';

export interface RouteDefinition {
  /** Node names or `end`; several open a scope with one token each, in this order. */
  readonly to: readonly string[];
  /** Absent: every outcome but `failed` and `limit`. */
  readonly on?: readonly Outcome[];
  /** CEL, bool. */
  readonly when?: string;
  /** Handler key of a TypeScript predicate; a graph with one is not portable. */
  readonly predicate?: string;
  readonly because?: string;
}

export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** Wait before the second try; default 1s. */
  readonly backoff?: string;
  /** Default 2. */
  readonly factor?: number;
  /** Default 5m. */
  readonly maxBackoff?: string;
  /** Share of the wait that varies, 0 to 1; default 0.2. Derived from the task id, so it is the same after a crash. */
  readonly jitter?: number;
  /** Error codes that are tried again; absent: all but permanent ones. */
  readonly on?: readonly string[];
}

export type JoinMode = 'all' | 'any' | { readonly count: number };

export interface DecidesDefinition {
  readonly point: string;
  /** CEL over the node's output. */
  readonly chosen: string;
  readonly confidence?: string;
  readonly reason?: string;
  readonly options?: string | readonly string[];
}

export interface HandlerReference {
  /** `type@rev`; an inline handler's type is `graph/node`. */
  readonly handler: string;
  readonly with?: JsonObject;
}

/** What every node may say. */
export interface NodeCommon {
  readonly title?: string;
  readonly description?: string;
  /** What the node gets, as a map of CEL; absent: the last output of its token. */
  readonly input?: Readonly<Record<string, string>>;
  /** What is written to state when the node succeeds: state key → CEL. */
  readonly update?: Readonly<Record<string, string>>;
  /** A message to the run's session when the node succeeds; a text, or CEL that gives any value. */
  readonly say?: Templated<string>;
  readonly decides?: DecidesDefinition;
  readonly retry?: RetryPolicy;
  /** Executing time of one attempt. */
  readonly timeout?: string;
  /** Wall time from the node's start. */
  readonly deadline?: string;
  readonly fallback?: { readonly node?: string; readonly lastGood?: { readonly maxAge: string } };
  readonly limits?: NodeLimits;
  readonly join?: JoinMode;
  readonly compensate?: HandlerReference;
  /** Nodes of this scope that a `restart` asked from inside this node's handler may go back to. */
  readonly restartTargets?: readonly string[];
  /** Where the handler may send the token by a routing wish. */
  readonly next?: readonly string[];
}

export interface StepNode extends NodeCommon, HandlerReference {
  readonly type: 'step';
  /** JSON Schema of the output; absent: anything. */
  readonly output?: JsonObject;
}

export interface AskNode extends NodeCommon {
  readonly type: 'ask';
  readonly request: RequestDefinition;
}

export interface TransformNode extends NodeCommon {
  readonly type: 'transform';
  readonly output?: Readonly<Record<string, string>>;
}

/** A wait ends with the first thing named. Texts that are times or durations may be `{ cel }`. */
export type WaitFor =
  | { readonly for: Templated<string> }
  | { readonly until: Templated<string> }
  | { readonly signal: string; readonly schema?: JsonObject }
  | { readonly when: string }
  | { readonly ask: RequestDefinition };

export interface WaitNode extends NodeCommon {
  readonly type: 'wait';
  readonly for?: Templated<string>;
  readonly until?: Templated<string>;
  readonly signal?: string;
  /** JSON Schema of what the signal carries; what does not fit is refused to its sender. */
  readonly schema?: JsonObject;
  /** CEL, bool; looked at again whenever the run's state changes. */
  readonly when?: string;
  readonly first?: Readonly<Record<string, WaitFor>>;
}

export interface MapNode extends NodeCommon {
  readonly type: 'map';
  /** CEL, a list. */
  readonly items: string;
  /** The body sees `item` and `index`; a node body gets the item as its input, a graph body as its run input. */
  readonly body: { readonly node: NodeDefinition } | { readonly graph: string; readonly share?: readonly string[] };
  /** Items that execute at once; default 10. */
  readonly concurrency?: number;
  readonly onError?: 'fail' | 'collect';
  /** Default and ceiling 10,000. */
  readonly maxItems?: number;
}

export interface SubgraphNode extends NodeCommon {
  readonly type: 'subgraph';
  readonly graph: string;
  /** State keys that start at the parent's value; what is written inside flows out as deltas. */
  readonly share?: readonly string[];
}

export interface JoinNode extends NodeCommon {
  readonly type: 'join';
}

export interface FailNode extends NodeCommon {
  readonly type: 'fail';
  /** Default `Failed`. */
  readonly code?: string;
  readonly message?: Templated<string>;
}

export type NodeDefinition =
  | StepNode
  | AskNode
  | TransformNode
  | WaitNode
  | MapNode
  | SubgraphNode
  | JoinNode
  | FailNode;

export type NodeType = NodeDefinition['type'];

/** The name that stands for "the token ends here"; no node may bear it. */
export const END = 'end';
