import type { Amounts } from '../budget/amounts.ts';
import type { Expression } from '../expression/expression.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { RequestDefinition } from '../request/definition.ts';
import type { Field } from '../request/field.ts';
import type { Reminder } from '../request/reminders.ts';
import type { Rule } from '../request/rules.ts';
import type { Validator } from '../schema/validator.ts';
import type {
  GraphDefinition,
  HandlerReference,
  JoinMode,
  LimitQuestion,
  NodeDefinition,
  Outcome,
  Reducer,
} from './definition.ts';

/** A compiled definition: every graph in it, flat. Immutable; shared by all runs of the version. */
export interface Program {
  /** SHA-256 (lower-case hex) of the canonical normalized definition: the graph version. */
  readonly hash: string;
  readonly definition: GraphDefinition;
  /** '' is the root graph, `a/b` a graph named b inside a, `<graph>#<node>` the one-node body of a map node. */
  readonly graphs: ReadonlyMap<string, CompiledGraph>;
  /** False when a TypeScript predicate is in it. */
  readonly portable: boolean;
}

export interface CompiledGraph {
  readonly key: string;
  readonly definition: GraphDefinition;
  readonly entry: string;
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  readonly state: ReadonlyMap<string, CompiledStateKey>;
  readonly input: Validator;
  readonly output: ExpressionMap | undefined;
  readonly zone: string;
  readonly limits: CompiledLimits;
  /** Node → the fork whose branches it lies in; '' outside every fork. Joins lie where their fork lies. */
  readonly scopeOf: ReadonlyMap<string, string>;
  /** True for the one-node body of a map: its tokens read and write the state of the map's own scope. */
  readonly body: boolean;
}

export type ExpressionMap = ReadonlyMap<string, Expression>;

export interface CompiledStateKey {
  readonly key: string;
  readonly reducer: Reducer;
  /** Of the whole value. */
  readonly value: Validator;
  /** Of one appended item (`append`), when the whole needs no look. */
  readonly item: Validator | undefined;
  /** Value at the start, or undefined when the key is absent then. */
  readonly initial: JsonValue | undefined;
}

export interface CompiledLimits {
  readonly maxSteps: number;
  readonly maxVisits: number;
  readonly maxSuccessive: number | undefined;
  /** Milliseconds of executing time. */
  readonly timeout: number | undefined;
  readonly noProgress: number | false;
  readonly maxChain: number;
  readonly budget: Amounts | undefined;
  /** How a person is asked at a limit; undefined: it fails. */
  readonly question: LimitQuestion | undefined;
}

export interface CompiledNode {
  readonly name: string;
  readonly definition: NodeDefinition;
  readonly routes: readonly CompiledRoute[];
  readonly input: ExpressionMap | undefined;
  readonly update: ExpressionMap | undefined;
  readonly say: Template | undefined;
  /** `transform`: the output map. */
  readonly values: ExpressionMap | undefined;
  readonly output: Validator | undefined;
  readonly decides: CompiledDecides | undefined;
  readonly retry: CompiledRetry | undefined;
  readonly timeout: number | undefined;
  readonly deadline: number | undefined;
  readonly lastGoodMaxAge: number | undefined;
  readonly fallbackNode: string | undefined;
  readonly maxVisits: number;
  readonly maxSuccessive: number | undefined;
  readonly budget: Amounts | undefined;
  /** How a person is asked at a limit on its visits; undefined: it fails. */
  readonly limitQuestion: LimitQuestion | undefined;
  readonly join: JoinMode | undefined;
  readonly compensate: HandlerReference | undefined;
  readonly handler: HandlerReference | undefined;
  readonly request: CompiledRequest | undefined;
  readonly wait: CompiledWait | undefined;
  readonly items: Expression | undefined;
  readonly failMessage: Template | undefined;
  /** A `restart` may go back to this node, so its entry state is kept. */
  readonly restartTarget: boolean;
  /** `map` and `subgraph`: key in {@link Program.graphs} of what they run. */
  readonly graph: string | undefined;
}

export interface CompiledRoute {
  readonly index: number;
  readonly to: readonly string[];
  readonly on: ReadonlySet<Outcome> | undefined;
  readonly when: Expression | undefined;
  readonly predicate: ((bindings: Readonly<Record<string, unknown>>) => boolean) | undefined;
  readonly because: string | undefined;
  /** Of a fork: the join that closes its scope; undefined when every branch can only end. */
  readonly join: string | undefined;
}

export interface CompiledRetry {
  readonly attempts: number;
  readonly backoff: number;
  readonly factor: number;
  readonly maxBackoff: number;
  readonly jitter: number;
  readonly on: ReadonlySet<string> | undefined;
}

export interface CompiledDecides {
  readonly point: string;
  readonly chosen: Expression;
  readonly confidence: Expression | undefined;
  readonly reason: Expression | undefined;
  readonly options: Expression | readonly string[] | undefined;
}

/** JSON in which `{ cel }` objects stand for values; undefined parts are constant. */
export interface Template {
  readonly constant: JsonValue | undefined;
  fill(bindings: Readonly<Record<string, unknown>>): { ok: true; value: JsonValue } | { ok: false; reason: string };
}

export interface CompiledRequest {
  readonly definition: RequestDefinition;
  readonly fields: readonly Field[];
  readonly rules: readonly Rule[];
  /** Parts with `{ cel }` in them, by name (`title`, `message`, `summary`, `context`, `proposal`, `subject`, `requester`, `displays`, `rememberKey`, `options/<field>`). */
  readonly templates: ReadonlyMap<string, Template>;
  /** Exactly one of the two where there is a deadline. */
  readonly deadlineAfter: number | undefined;
  /** Who is asked when its time is up, step by step; `after`: for how long, ms, where they have a time of their own. */
  readonly escalation: readonly { readonly assignees: readonly string[]; readonly after: number | undefined }[];
  readonly deadlineAt: Template | undefined;
  readonly carry: ExpressionMap | undefined;
  readonly reminders: readonly Reminder[];
  /** How long a service that is asked first has, ms. */
  readonly serviceTimeout: number;
  /** How long its answer is remembered, ms; undefined: as long as its scope lasts. */
  readonly rememberFor: number | undefined;
}

export type CompiledWait =
  | { readonly kind: 'for' | 'until'; readonly time: Template }
  | { readonly kind: 'signal'; readonly signal: string; readonly schema?: JsonObject; readonly carries?: Validator }
  | { readonly kind: 'when'; readonly when: Expression }
  | { readonly kind: 'ask'; readonly request: CompiledRequest }
  | { readonly kind: 'first'; readonly of: ReadonlyMap<string, Exclude<CompiledWait, { kind: 'first' }>> };

/** What a TypeScript graph has beyond its data: validators of its own schema library, predicates by handler key. */
export interface GraphCode {
  /** By JSON pointer into the definition (`/input`, `/nodes/triage/output`, `/state/amount/schema`). */
  readonly validators?: ReadonlyMap<string, Validator>;
  readonly predicates?: ReadonlyMap<string, (bindings: Readonly<Record<string, unknown>>) => boolean>;
}
