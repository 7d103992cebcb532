import type {
  BranchResult,
  DecisionData,
  ErrorData,
  GivenAnswer,
  JsonObject,
  JsonValue,
  MessageRole,
  NodeOutcome,
} from '@signalbox/kernel';
import type { MessageQuery, SessionMessage } from '@signalbox/runtime';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Answer, AskRequest, AskWithForm, AskWithOptions, Chosen, Option } from './request.ts';
import type { AnyState, DeepReadonly, StateTypes } from './state-types.ts';

/**
 * What a handler gets. A handler is re-executed from its first line after a wait, a retry or a crash: only the
 * operations below are spared then, so code outside them must be free of effects.
 */
export interface NodeContext<Input = unknown, State extends StateTypes = AnyState, Given = JsonValue>
  extends Operations<State> {
  /** The operation `run`, and on it what is known of the run: `ctx.run.id`. */
  readonly run: RunOperation & RunView;
  /** The run's input. */
  readonly input: DeepReadonly<Input>;
  /** What this node got: its `input` map, else the last output of its token; in a `map` body, the item. */
  readonly given: Given;
  /** The state as it was when the node started; `refresh` reads it anew. */
  readonly state: State['view'];
  /** The last visit of each node in this or an outer scope. */
  readonly nodes: Readonly<Record<string, NodeView | undefined>>;
  /** Answers that a `restart` brought back: take them as established. */
  readonly answers: readonly GivenAnswer[];
  /** The same answers as a block of text for a prompt, in English (`answersText` gives it in Chinese); empty when there are none. */
  readonly answersText: string;
  readonly node: { readonly name: string; readonly visit: number; readonly attempt: number };
  /** Why the node before failed: in `on: failed` targets, a fallback and a compensation. */
  readonly error: ErrorData | undefined;
  /** The session that the run belongs to, if it does. */
  readonly session: SessionContext | undefined;
  /** Aborted on cancel, on a time limit and when the run is taken over elsewhere. */
  readonly abort: AbortSignal;
}

/** Reads are as of when the node started; writes count when it succeeds. */
export interface SessionContext {
  readonly id: string;
  /** The user who started the run. */
  readonly user: string | undefined;
  readonly state: JsonObject;
  readonly metadata: JsonObject;
  /** A recorded read: the newest messages (50 by default), oldest first. */
  messages(query?: MessageQuery): Promise<readonly SessionMessage[]>;
  /** Adds a message; its role is `assistant` by default. */
  say(content: JsonValue, options?: { readonly role?: MessageRole }): void;
  /** Sets keys of the session's state as they are; `undefined` removes one. */
  update(changes: Readonly<Record<string, JsonValue | undefined>>): void;
}

export interface NodeView extends NodeOutcome {
  /** Of a join, while it runs: its branches in order. */
  readonly branches?: readonly BranchResult[];
}

export interface RunView {
  readonly id: string;
  readonly requestId: string;
  readonly session: string | undefined;
  /** How often each node was visited in this scope. */
  readonly visits: Readonly<Record<string, number>>;
  readonly trail: readonly string[];
  readonly step: number;
  /** Passes begun anew by an answer, when the node began: 0 in the first. */
  readonly episode: number;
}

/** The context of a registered node type: `with` is what the node sets, as it came out of the type's schema. */
export interface NodeTypeContext<With = JsonObject> extends NodeContext {
  readonly with: With;
}

/** A compensation runs after the fact: it sees what its visit got and gave. */
export interface CompensationContext<Input = unknown, State extends StateTypes = AnyState, Output = JsonValue>
  extends NodeContext<Input, State> {
  readonly output: Output;
}

export interface RunOptions {
  /** Done at most once: the intent is written first, and after a crash the outcome is in doubt. Default false. */
  readonly once?: boolean;
  /** What becomes of a `once` operation in doubt: a person is asked (default), it is tried again, or it fails. */
  readonly onDoubt?: 'ask' | 'retry' | 'fail';
  /** A duration; default 30s. */
  readonly timeout?: string;
  /** Sets the idempotency key that `fn` gets; by default it is derived from run, node, visit and name. */
  readonly key?: string;
  /** What the operation depends on: kept as a digest, so that a change of code is noticed. */
  readonly args?: unknown;
}

export interface OperationTools {
  /** The same at every try of this operation; to be sent along. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export interface Decision extends Omit<DecisionData, 'point' | 'from' | 'to'> {}

/** Something to wait for: a time, a moment, a signal, a condition on the state (CEL), or an answer. */
export type Wait =
  | { readonly for: string }
  | { readonly until: string }
  | { readonly signal: string; readonly schema?: StandardSchemaV1 }
  | { readonly when: string }
  | { readonly ask: AskRequest | AskWithForm<StandardSchemaV1> };

export type WaitValue<Awaited> = Awaited extends { readonly signal: string }
  ? Awaited extends { readonly schema: infer Schema extends StandardSchemaV1 }
    ? StandardSchemaV1.InferOutput<Schema>
    : JsonValue
  : Awaited extends { readonly ask: { readonly form: infer Form extends StandardSchemaV1 } }
    ? Answer<StandardSchemaV1.InferOutput<Form>>
    : Awaited extends { readonly ask: { readonly options: infer Options extends readonly Option[] } }
      ? Answer<{ choice: Chosen<Options> }>
      : Awaited extends { readonly ask: object }
        ? Answer
        : null;

export type FirstOf<Waits> = {
  [Name in keyof Waits & string]: { readonly winner: Name; readonly value: WaitValue<Waits[Name]> };
}[keyof Waits & string];

/**
 * Does `fn` and gives its recorded result from then on, whenever the handler is executed again. The result must be JSON.
 * Whatever reaches outside belongs in here.
 */
export type RunOperation = <Result>(
  name: string,
  fn: (tools: OperationTools) => Result | Promise<Result>,
  options?: RunOptions,
) => Promise<Result>;

/** The journaled operations. Two of one name in one handler are told apart by their order. */
export interface Operations<State extends StateTypes> {
  readonly run: RunOperation;
  /** Opens a decision request and waits for its answer, for a second or a month. */
  ask<Form extends StandardSchemaV1>(
    name: string,
    request: AskWithForm<Form>,
  ): Promise<Answer<StandardSchemaV1.InferOutput<Form>>>;
  ask<const Options extends readonly Option[]>(
    name: string,
    request: AskWithOptions<Options>,
  ): Promise<Answer<{ choice: Chosen<Options> }>>;
  ask(name: string, request: AskRequest): Promise<Answer>;
  /** A duration (`30s`, `7d`, ISO 8601). */
  sleep(name: string, duration: string): Promise<void>;
  /** RFC 3339, or a local time, which is read in the graph's zone. */
  sleepUntil(name: string, until: string): Promise<void>;
  /** Waits for a signal of this name; one that came before is kept for it. */
  signal<Schema extends StandardSchemaV1>(name: string, schema: Schema): Promise<StandardSchemaV1.InferOutput<Schema>>;
  signal(name: string): Promise<JsonValue>;
  /** Waits for whichever comes first; the others are closed. */
  first<const Waits extends Readonly<Record<string, Wait>>>(waits: Waits): Promise<FirstOf<Waits>>;
  /** Records a choice and why it was made. */
  decide(point: string, decision: Decision): void;
  /** Writes state when the node succeeds, each key by its reducer. */
  update(changes: State['update']): void;
  /** Puts a name in front of the operations of `fn`, so that branches of one handler keep apart. */
  group<Result>(name: string, fn: () => Promise<Result>): Promise<Result>;
  /** The state as it is now, recorded. */
  refresh(): Promise<State['view']>;
  /** Epoch milliseconds; the same again when the handler is re-executed. */
  now(): number;
  /** 0 up to 1; the same again when the handler is re-executed. */
  random(): number;
  /** The same again when the handler is re-executed. */
  uuid(): string;
}
