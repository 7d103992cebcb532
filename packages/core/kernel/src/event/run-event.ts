import type { Amounts, Money } from '../budget/amounts.ts';
import type { BudgetLimit } from '../budget/usage.ts';
import type { GateStage, Refusal } from '../gate/judgement.ts';
import type { GraphDefinition, Outcome } from '../graph/definition.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Action, RequestDefinition, RequestKind } from '../request/definition.ts';
import type { ShownValues } from '../request/shown-values.ts';
import type { Principal } from './commit.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { SessionView } from './session-view.ts';

/** The error of a node or run, as data. */
export interface ErrorData {
  readonly code: string;
  readonly message: string;
  readonly permanent?: boolean;
  readonly details?: JsonObject;
}

/** One execution of a node: the token that runs it, its name, the visit (1, 2, …) within that token. */
export interface NodeRef {
  readonly token: string;
  readonly node: string;
  readonly visit: number;
}

/** One journaled operation of a node: `op` is `name#n` with its groups in front (`group/name#n`). */
export interface OpRef extends NodeRef {
  readonly op: string;
}

export type OpKind = 'run' | 'tool' | 'model' | 'ask' | 'sleep' | 'signal' | 'first' | 'decide' | 'refresh' | 'group';
export type EffectClass = 'read' | 'repeat' | 'once';

/** What one key of the state got. Old values are found by folding. */
export interface Change {
  readonly key: string;
  readonly op: 'set' | 'append' | 'merge' | 'increment' | 'remove';
  readonly value: JsonValue;
  /** Node or component that wrote it. */
  readonly source: string;
}

/** One guard that was looked at: which route, what it said, and the values it read. */
export interface LookedRoute {
  readonly route: number;
  readonly held: boolean;
  readonly values?: JsonObject;
  readonly reason?: string;
}

export interface DecisionData {
  readonly point: string;
  readonly options?: readonly JsonValue[];
  readonly chosen: JsonValue;
  readonly rejected?: readonly { readonly option: JsonValue; readonly reason?: string; readonly code?: string }[];
  readonly reason?: string;
  readonly confidence?: number;
  /** `rule`, `model`, `human`, `service`, with a name after a colon where there is one. */
  readonly decidedBy?: string;
  readonly from?: string;
  readonly to?: string;
  readonly context?: JsonValue;
  readonly attributes?: JsonObject;
}

/** Where a handler would have its token go. */
export interface Wish {
  readonly to: string;
  readonly reason?: string;
  readonly confidence?: number;
  readonly options?: readonly string[];
}

/** What a wait inside a node waits for. */
export interface WaitData {
  readonly timer?: number;
  readonly signal?: string;
  /** JSON Schema of the signal's value; absent: anything. */
  readonly schema?: JsonObject;
  readonly request?: string;
  readonly when?: string;
}

/** A call of a tool that is undone with its visit: its operation, and the judgement that let it pass. */
export interface UndoableCall {
  readonly op: string;
  readonly judged: string;
}

/** A `once` operation of beyond the point of a fork or rollback: `key` is `path/node/op`. */
export interface LaterOperation {
  readonly key: string;
  readonly digest: string;
  readonly value?: JsonValue;
  readonly error?: ErrorData;
  /** It was begun, and how it ended is not recorded. */
  readonly unknown?: true;
  /** It was begun before the point, and ended beyond it or not at all. */
  readonly begun?: true;
  /** When it was begun, epoch ms. */
  readonly at?: number;
}

/** Type → data of every event of a run's stream. One fact, one event. */
export interface RunEvents {
  'run.started': {
    readonly runId: string;
    readonly tenant: string;
    readonly graph: string;
    readonly version: string;
    readonly label?: string;
    /** The node the root token begins with. */
    readonly entry: string;
    readonly input: JsonValue;
    /** State as the schema's defaults and reducers make it. */
    readonly state: JsonObject;
    readonly zone: string;
    readonly semantics: number;
    readonly requestId: string;
    readonly session?: string;
    readonly key?: string;
    readonly decisions?: 'off' | 'unattended';
    /** Who started it. */
    readonly by?: Principal;
    /** It executes only when it holds its session's place. */
    readonly turns?: true;
    /** Of a run that takes no turns: what it knows of its session. */
    readonly view?: SessionView;
    /** The run that started it, beside which it executes. */
    readonly parent?: string;
    /** Contracts it is pinned to: name → hash. */
    readonly contracts?: Readonly<Record<string, string>>;
  };
  /** Something of the run could go on, and waits for the session's place. */
  'place.queued': Readonly<Record<never, never>>;
  /** Its turn; `view` where the session has changed since it knew it last. */
  'place.taken': { readonly view?: SessionView };
  /** Nothing of it executes or could go on. */
  'place.freed': Readonly<Record<never, never>>;
  /** The node added a message to the session of its run. */
  'message.added': NodeRef & { readonly role: MessageRole; readonly content: JsonValue };
  /** The node wrote to the session's state: keys set and removed as they are. */
  'session.changed': NodeRef & { readonly set: JsonObject; readonly remove?: readonly string[] };
  /** Its driver stopped in good order: the next claim is no crash. */
  'run.released': { readonly owner: string };
  /** `idle`: for how long before it nobody was at work, though the run was to execute, ms. */
  'run.claimed': { readonly owner: string; readonly term: number; readonly build: string; readonly idle?: number };
  /** Somebody came to it and found its driver gone; `idle` as of `run.claimed`. */
  'run.idled': { readonly idle: number };
  'run.suspended': { readonly reason: SuspendReason; readonly details?: JsonObject };
  'run.resumed': { readonly reason: string };
  'run.paused': { readonly reason: string };
  'run.stepped': { readonly reason: string };
  'run.retried': { readonly reason: string; readonly tokens: readonly string[] };
  'run.edited': { readonly token: string; readonly reason: string };
  /** `adopt`: the visit that is begun anew, whose operations are taken over. */
  'run.jumped': {
    readonly token: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly adopt?: number;
  };
  /** `frame` is what stands again: tokens, scopes, state, waits as of `to` (see `run/frame.ts`). */
  'run.rolledBack': {
    readonly to: number;
    readonly reason: string;
    readonly frame: JsonObject;
    readonly effects: 'recorded' | 'ask' | 'live';
    readonly later?: readonly LaterOperation[];
  };
  'run.forked': {
    readonly parent: string;
    readonly at: number;
    readonly effects: 'recorded' | 'ask' | 'live';
    readonly reason: string;
    readonly by?: Principal;
    /** As of `run.claimed`: since the point. */
    readonly idle?: number;
    /** `once` operations the parent did later. */
    readonly later?: readonly LaterOperation[];
  };
  'run.migrated': {
    readonly from: string;
    readonly to: string;
    readonly label?: string;
    readonly mapping: Readonly<Record<string, string>>;
    readonly reason: string;
  };
  'run.completed': { readonly output: JsonValue; readonly reason?: 'noArrival' };
  'run.failed': { readonly error: ErrorData; readonly compensation?: 'complete' | 'incomplete' };
  /** What succeeded is undone, last first; then the run is `ending`. */
  'run.compensating': { readonly ending: 'failed' | 'cancelled'; readonly error?: ErrorData; readonly reason: string };
  /** While what was done is undone: that goes on, and the run is cancelled when it is over. */
  'run.cancelling': { readonly reason: string; readonly compensate: boolean };
  'run.cancelled': { readonly reason: string; readonly compensation?: 'complete' | 'incomplete' };
  'run.reopened': { readonly reason: string };
  'episode.started': {
    readonly episode: number;
    readonly token: string;
    /** The node the fresh pass starts with. */
    readonly at: string;
    readonly request: string;
    readonly answer: AnswerEntry;
    /** How its values, and its action, were shown, where not as they are. */
    readonly shown?: ShownValues;
    readonly actionLabel?: string;
    /** Under which a handler asked it; an `ask` node has no name but its own. */
    readonly name?: string;
    /** Where another token begins anew than the one that asked: how long the chain of questions is there. */
    readonly asked?: number;
    readonly dedupe?: 'run';
  };
  'scope.opened': NodeRef & {
    readonly scope: string;
    readonly kind: 'fork' | 'map' | 'subgraph';
    /** Graph the tokens run in, as a key of the compiled program. */
    readonly graph: string;
    /** Tokens in order; of a map, the number of items. */
    readonly size: number;
    /** Of a map: the items, fixed now. Of a subgraph: its one input. */
    readonly inputs?: readonly JsonValue[];
    /** Of a subgraph: its state at the start. */
    readonly state?: JsonObject;
    readonly share?: readonly string[];
    /** Where the tokens begin, in order (not of a map: its body has one node). */
    readonly entries?: readonly string[];
    /** Of a fork: the join that closes it. */
    readonly join?: string;
    /** Of a map with `onError: collect`. */
    readonly collect?: true;
  };
  'scope.closed': {
    readonly scope: string;
    readonly outcome: 'joined' | 'ended' | 'failed' | 'cancelled';
    readonly node?: string;
  };
  /** A token arrived, ended, failed for good or was cancelled without a `route.decided` that says so. */
  'token.ended': {
    readonly token: string;
    readonly status: 'failed' | 'cancelled';
    readonly error?: ErrorData;
    /** Set when the node was over and its routing failed: a retry routes anew with this outcome. */
    readonly outcome?: Outcome;
  };
  'node.started': NodeRef & {
    readonly attempt: number;
    /** What `input:` gave; absent: the token's last output. */
    readonly input?: JsonValue;
    /** How it goes on: by a handler (absent), by waiting, by tokens of its own, or as `node.passed` says, after its checks. */
    readonly as?: 'wait' | 'composite' | 'check';
    /** A controller's retry: operations of that visit whose name and digest match are taken over. */
    readonly adopt?: number;
    readonly deadline?: number;
    /** A restart may go back to this node, so the state as of now is kept. */
    readonly target?: true;
  };
  /** The checks let a node begin that has no handler: it goes on by waiting, by tokens of its own, or ends at once. */
  'node.passed': NodeRef & { readonly as?: 'wait' | 'composite' };
  /** A handler whose wait was over while it was held back (paused, parked, behind a question that holds the run) goes on. */
  'node.woken': NodeRef;
  'node.succeeded': NodeRef & {
    readonly output: JsonValue;
    /** Set when the output came from a fallback. */
    readonly degraded?: { readonly by: string; readonly error: ErrorData };
    /** `approve`, `edit`, `reject`, `cancel`, `expired` of an answered request. */
    readonly outcome?: Outcome;
    readonly compensable?: true;
    /** Calls of tools that are undone with the visit, in order of success. */
    readonly undo?: readonly UndoableCall[];
  };
  'node.failed': NodeRef & { readonly error: ErrorData; readonly attempt: number };
  /** `executed`: of a node with a timeout, for how long it executed since it began or last waited, ms. */
  'node.suspended': NodeRef & { readonly ops: readonly string[]; readonly executed?: number };
  'node.skipped': NodeRef & { readonly reason?: string; readonly output?: JsonValue };
  /**
   * `keep`: it is begun anew at once, so its journal stands. `done`: it had ended well when the run was being cancelled; it
   * wrote nothing and leads nowhere, and is undone with the rest.
   */
  'node.cancelled': NodeRef & {
    readonly reason: string;
    readonly keep?: true;
    readonly done?: { readonly output: JsonValue; readonly undo?: readonly UndoableCall[] };
  };
  'node.retryScheduled': NodeRef & {
    readonly attempt: number;
    readonly at: number;
    readonly error: ErrorData;
    readonly durable: boolean;
  };
  /** The code asks for other operations than were recorded; a human or a deploy decides. */
  'node.stuck': NodeRef & { readonly error: ErrorData };
  'node.unstuck': NodeRef;
  /** `as`: the fallback has no handler, and its checks are asked first. */
  'node.fellBack': NodeRef & { readonly to: string; readonly error: ErrorData; readonly as?: 'check' };
  'op.intended': OpRef & {
    readonly kind: OpKind;
    readonly digest: string;
    readonly class?: EffectClass;
    /** What an outside-facing wait waits for. */
    readonly wait?: WaitData;
    /** Of `first`: name → what is waited for. */
    readonly first?: Readonly<Record<string, WaitData>>;
    readonly onDoubt?: 'ask' | 'retry' | 'fail';
    /** A restart may come to it again, so its result is kept beyond its node. */
    readonly keep?: true;
    /** It was done beyond the point of a fork or rollback: that once is used up. */
    readonly later?: true;
    /**
     * Of a call of a model: what it is told that it was not told by the call before. Of a tool that is called once: its
     * `arguments`, with what its contract marks masked.
     */
    readonly request?: JsonObject;
    /** What it may spend, held on these accounts until it ends. */
    readonly reserve?: { readonly amounts: Amounts; readonly accounts: readonly string[] };
    /** The question whose approval lets it happen: that is used up by it. */
    readonly approval?: string;
  };
  'op.recorded': OpRef & {
    readonly kind: OpKind;
    readonly digest: string;
    readonly value?: JsonValue;
    readonly error?: ErrorData;
    /** How often it was tried until it succeeded, where that was more than once. */
    readonly attempts?: number;
    /** Not done again: the result of the pass before, or of beyond the point of a fork or rollback. */
    readonly again?: true;
    /** The visit that did it was left before it ended; the record goes to the visit that took the operation over. */
    readonly late?: true;
  };
  'op.retried': OpRef;
  /** `later`: as of `op.intended`. */
  'op.doubted': OpRef & { readonly digest: string; readonly later?: true };
  /**
   * `base`: no write of the token, but what it would have begun with, had the version that rules now ruled then. It stands
   * wherever the token's state is taken from again, and no join merges it.
   */
  'state.changed': { readonly token: string; readonly changes: readonly Change[]; readonly base?: true };
  'decision.made': NodeRef & DecisionData & { readonly op?: string };
  'route.decided': NodeRef & {
    readonly outcome: Outcome;
    readonly to: readonly string[];
    /** Index of the route taken; absent where the node has none (the token ends). */
    readonly route?: number;
    /** What becomes of the token: it moves on (absent), forks, arrives at its scope's join, or ends. */
    readonly leads?: 'fork' | 'join' | 'end';
    readonly looked?: readonly LookedRoute[];
    readonly wish?: { readonly to: string; readonly reason?: string; readonly confidence?: number };
    /** The token ends because none of its branches arrived at their join. */
    readonly reason?: 'noArrival';
  };
  'request.opened': OpRef & {
    readonly request: string;
    readonly kind: RequestKind;
    /** Digest of what a handler asked; absent for an `ask` node. */
    readonly digest?: string;
    /** The question; of an `ask` node only what is not in the pinned definition. */
    readonly definition?: RequestDefinition;
    /** Evaluated templates: title, message, summary, context, proposal, subject, requester, displays, options by field. */
    readonly filled?: JsonObject;
    readonly assignees?: readonly string[];
    /** Epoch ms. */
    readonly deadline?: number;
    /** What it is about: `ask`, `doubt`, `compensation`, `limit`. */
    readonly about?: 'doubt' | 'compensation' | 'limit';
    /** Digest of exactly what is approved. */
    readonly subject?: string;
    /** When to remind, epoch ms, in order. */
    readonly reminders?: readonly number[];
    /** Nothing of the run goes on until it is closed. */
    readonly hold?: 'run';
    /** An approval lets one call of a tool happen, once. */
    readonly grants?: 'call';
  };
  /** Somebody means to answer; the others keep off. `until`: of a service. `from`: whom it was taken over from. */
  'request.claimed': {
    readonly request: string;
    readonly by: Principal;
    readonly until?: number;
    readonly from?: Principal;
  };
  /** A service that gives it back is asked no more. */
  'request.released': { readonly request: string; readonly by: Principal; readonly reason?: string };
  /** One approval of several. An `edit` voids those before it: it is the first of what stands now. */
  'request.endorsed': AnswerEntry & { readonly request: string; readonly key?: string; readonly digest?: string };
  /** `due`: the time that was asked for; earlier ones that were missed go with it. */
  'request.reminded': { readonly request: string; readonly due: number };
  /** `digest`: of the answer as it was sent, where it came with a key: the same again gets the same outcome. */
  'request.answered': AnswerEntry & { readonly request: string; readonly key?: string; readonly digest?: string };
  /** Not asked: memory had the answer. `from`: which one that was. */
  'request.recalled': OpRef &
    AnswerEntry & {
      readonly request: string;
      readonly kind: RequestKind;
      readonly title: string;
      readonly digest?: string;
      /** The pass begins anew with it. */
      readonly restarts?: true;
      readonly from: Pick<MemoryEntry, 'key' | 'scope' | 'confidence' | 'expiresAt' | 'run' | 'request'>;
    };
  'memory.written': MemoryEntry;
  'memory.removed': Pick<MemoryEntry, 'key' | 'scope'> & { readonly reason: string };
  'request.refused': {
    readonly request: string;
    readonly by: Principal;
    readonly code: string;
    readonly issues?: readonly { readonly pointer: string; readonly code: string; readonly message: string }[];
  };
  'request.expired': { readonly request: string; readonly onExpire: 'route' | 'fail' };
  'request.escalated': {
    readonly request: string;
    readonly to: string;
    /** All who are asked now, where they are several; `to` is the first. */
    readonly assignees?: readonly string[];
    readonly step: number;
    readonly deadline: number;
    readonly reminders?: readonly number[];
  };
  'request.withdrawn': {
    readonly request: string;
    /** `withdrawn`: from outside, by whom and why. */
    readonly reason: 'superseded' | 'cancelled' | 'restarted' | 'failed' | 'rolledBack' | 'withdrawn';
    readonly by?: Principal;
    readonly note?: string;
  };
  'timer.fired': { readonly timer: string };
  'signal.received': { readonly name: string; readonly value: JsonValue; readonly id?: string };
  /** `index`: which of the kept ones of that name, where it is not the oldest. */
  'signal.consumed': { readonly name: string; readonly index?: number };
  'limit.reached': NodeRef & {
    readonly limit: LimitName;
    readonly value: number;
    /** The node that would have been visited once too often, where it is another. */
    readonly of?: string;
    /** A person is asked, and the token stands: before `node`, or after it where its outcome is given. */
    readonly stands?: { readonly outcome?: Outcome; readonly wish?: Wish };
  };
  /** A person let it go on: the same allowance again. */
  'limit.extended': NodeRef & {
    readonly limit: LimitName;
    readonly value: number;
    readonly of?: string;
    readonly request: string;
  };
  'compensation.started': NodeRef;
  /** `final`: not tried again. */
  'compensation.finished': NodeRef & { readonly error?: ErrorData; readonly final?: true };
  'note.added': { readonly text: string };
  /** Nothing in the failing scope executes any more: the failure is its owner's now. */
  'scope.failed': { readonly scope: string; readonly error: ErrorData };
  /** The next item of a map begins. */
  'item.opened': { readonly scope: string; readonly index: number; readonly node: string };
  /** A scope cannot do without a token that failed: its other tokens park. */
  'scope.failing': { readonly scope: string; readonly error: ErrorData };
  /** What the gate said of a call, stage by stage, before anything of it was done. */
  'tool.judged': OpRef & {
    readonly tool: string;
    /** Of the code behind the tool, where it has one. */
    readonly version?: string;
    /** The model's own id for it. */
    readonly call: string;
    /** Hash of the contract it was judged by. */
    readonly contract: string;
    readonly verdict: 'ready' | 'approval' | 'refused';
    readonly stages: readonly GateStage[];
    readonly refusal?: Refusal;
    /** Digest of exactly what runs, or would, and what that is. */
    readonly subject?: string;
    readonly args?: JsonObject;
    /** Where the contract makes one. */
    readonly idempotencyKey?: string;
    /** A person is asked for more of a budget before anybody is asked to approve. */
    readonly asksBudget?: true;
  };
  /** Which tools of the contract there are as of now, where that is not as it was at the last look in this visit. */
  'tools.changed': OpRef & {
    readonly contract: string;
    readonly on: readonly string[];
    readonly off: readonly string[];
  };
  /** `possibly`: nobody knows, so what was reserved counts. */
  'budget.spent': OpRef & {
    readonly amounts: Amounts;
    readonly accounts: readonly string[];
    /** What had been held for it, and is free again. */
    readonly reserved?: Amounts;
    readonly possibly?: true;
  };
  /** The operation would pass a bound and is not begun. `asks`: somebody is asked whether it may. */
  'budget.exceeded': OpRef & {
    readonly kind: OpKind;
    readonly digest: string;
    readonly account: string;
    readonly limit: BudgetLimit;
    readonly allowed: number | Money;
    readonly used: number | Money;
    readonly wanted: number | Money;
    readonly asks?: true;
  };
  /** Somebody granted the account its allowance again. */
  'budget.extended': { readonly account: string; readonly request: string };
  'payload.erased': { readonly digest: string; readonly reason: string };
}

export type LimitName = 'maxSteps' | 'maxVisits' | 'maxSuccessive' | 'timeout' | 'noProgress' | 'maxChain' | 'maxItems';

export type MessageRole = 'user' | 'assistant' | 'system' | 'tool';

/** `session`: it waits for its turn. */
export type SuspendReason = 'waiting' | 'session' | 'codeChanged' | 'handlerMissing' | 'condition';

/** An accepted answer. `values` only with `approve` and `edit`. */
export interface AnswerEntry {
  readonly action: Action;
  readonly values?: JsonObject;
  readonly note?: string;
  readonly by: Principal;
  readonly at: string;
  /** With a quorum: all whose approval it is, in the order in which they gave it. */
  readonly endorsedBy?: readonly Principal[];
}

export type RunEventType = keyof RunEvents;

export type RunEvent = {
  [Type in RunEventType]: { readonly type: Type; readonly v?: number; readonly data: RunEvents[Type] };
}[RunEventType];

/** Kept here so that the definition that a run pins and the event that names it are seen together. */
export type PinnedDefinition = { readonly hash: string; readonly definition: GraphDefinition };
