import type { Amounts } from '../budget/amounts.ts';
import type { Principal } from '../event/commit.ts';
import type { MemoryEntry } from '../event/memory-entry.ts';
import type {
  DecisionData,
  EffectClass,
  ErrorData,
  LaterOperation,
  MessageRole,
  NodeRef,
  OpKind,
  OpRef,
  RunEvents,
  UndoableCall,
  Wish,
} from '../event/run-event.ts';
import type { SessionView } from '../event/session-view.ts';
import type { Program } from '../graph/program.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { RequestDefinition } from '../request/definition.ts';
import type { Bound } from './bound.ts';
import type { RequestStatus } from './request-state.ts';
import type { Run } from './run.ts';

/**
 * What may be asked of a run. `at` is the only time the kernel knows: epoch ms. `checks`: whoever decides asks checks
 * before each node, so one without a handler begins only when it is reported as passed.
 */
export type Command = { readonly at: number; readonly actor: Principal; readonly checks?: boolean } & CommandBody;

export type CommandBody = StartCommand | DriverCommand | OutsideCommand;

export interface StartCommand {
  readonly type: 'start';
  readonly runId: string;
  readonly tenant: string;
  readonly input: JsonValue;
  readonly requestId: string;
  readonly label?: string;
  readonly session?: string;
  readonly key?: string;
  readonly decisions?: 'on' | 'off' | 'unattended';
  readonly claim?: { readonly owner: string; readonly build: string };
  /** Of a run that is executed once more: the rules that it began under. Default: those of this version. */
  readonly semantics?: number;
  /** It takes its turns in its session; `taken`: the first at once. */
  readonly turns?: 'queued' | 'taken';
  readonly view?: SessionView;
  readonly parent?: string;
  /** Contracts it is pinned to: name → hash. */
  readonly contracts?: Readonly<Record<string, string>>;
}

/** From the process that drives the run. All but `claim` and `tick` carry its term; an older one is refused as `TermLost`. */
export type DriverCommand =
  | {
      readonly type: 'claim';
      readonly owner: string;
      readonly build: string;
      readonly crashLimit?: number;
      /** When the last event before was recorded, epoch ms, where more is decided at the same time. */
      readonly lastAt?: number;
    }
  /** `unclaimed`: from a process that does not drive the run; what the time is that it executes nobody there can tell. */
  | { readonly type: 'tick'; readonly unclaimed?: boolean }
  /** No process that gives a sign of life drives it: the time since its last event is no executing time. */
  | { readonly type: 'idle' }
  /** It is the run's turn in its session, which who commits it makes sure of. */
  | { readonly type: 'admit'; readonly view?: SessionView }
  | { readonly type: 'release'; readonly term: number }
  | ({
      readonly type: 'report';
      readonly term: number;
      readonly ops: readonly OpReport[];
      readonly end?: TaskEnd;
    } & NodeRef)
  | ({ readonly type: 'doubt'; readonly term: number } & OpRef)
  | { readonly type: 'compensated'; readonly term: number; readonly ref: NodeRef; readonly error?: ErrorData };

/** What happened inside a handler, in the order in which it happened. */
export type OpReport =
  | {
      readonly type: 'intend';
      readonly op: string;
      readonly kind: OpKind;
      readonly digest: string;
      readonly class: EffectClass;
      readonly onDoubt?: 'ask' | 'retry' | 'fail';
      /** Of a call of a model: what of its request the log keeps. Of a tool that is called once: its `arguments`, as people see them. */
      readonly request?: JsonObject;
      /** What it may spend; it is begun only where every bound on its accounts leaves so much. */
      readonly reserve?: Amounts;
      /** Beside those of graph and node: the contract's, and what is shared with other runs. */
      readonly bounds?: readonly Bound[];
      /** The operation whose answer approved it. */
      readonly approval?: string;
    }
  | {
      readonly type: 'record';
      readonly op: string;
      readonly kind: OpKind;
      readonly digest: string;
      readonly value?: JsonValue;
      readonly error?: ErrorData;
      /** How often it was tried until it succeeded, where that was more than once. */
      readonly attempts?: number;
      /** What it came to; absent of one that reserved: nobody can tell. */
      readonly usage?: Amounts;
    }
  /** A call waits for an approval first: whether the bounds leave so much by now. Where one asks, that comes before. */
  | {
      readonly type: 'afford';
      readonly op: string;
      readonly digest: string;
      readonly wanted: Amounts;
      readonly bounds?: readonly Bound[];
    }
  | ({ readonly type: 'judge'; readonly op: string } & Omit<RunEvents['tool.judged'], keyof OpRef>)
  | ({ readonly type: 'tools'; readonly op: string } & Omit<RunEvents['tools.changed'], keyof OpRef>)
  /** A `once` operation took too long: nobody knows how it ended. A `record` may still come. */
  | { readonly type: 'doubt'; readonly op: string }
  /** `answer`: the question of the handler whose answer it is; who gave that has decided. */
  | { readonly type: 'decide'; readonly op: string; readonly decision: DecisionData; readonly answer?: string }
  | {
      readonly type: 'ask';
      readonly op: string;
      readonly digest: string;
      readonly request: RequestDefinition;
      /** An approval lets one call of a tool happen. */
      readonly grants?: 'call';
      /** What a memory outside the run had for it. */
      readonly recalled?: MemoryEntry;
    }
  | { readonly type: 'sleep'; readonly op: string; readonly digest: string; readonly until: WakeTime }
  | {
      readonly type: 'signal';
      readonly op: string;
      readonly digest: string;
      readonly name: string;
      readonly schema?: JsonObject;
    }
  | {
      readonly type: 'first';
      readonly op: string;
      readonly digest: string;
      readonly of: Readonly<Record<string, FirstMember>>;
    }
  | { readonly type: 'refresh'; readonly op: string };

/** A duration from now, or a time; local times are read in the graph's zone. */
export type WakeTime = { readonly for: string } | { readonly until: string };

export type FirstMember =
  | WakeTime
  | { readonly when: string }
  | { readonly signal: string; readonly schema?: JsonObject }
  | { readonly ask: RequestDefinition };

/** How one attempt of a handler ended. */
export type TaskEnd =
  | {
      readonly type: 'success';
      readonly output: JsonValue;
      readonly updates: readonly Update[];
      readonly wish?: Wish;
      readonly session?: SessionWrites;
      /** Calls of tools that are undone with the visit, in order of success. */
      readonly undo?: readonly UndoableCall[];
    }
  | {
      readonly type: 'failed';
      readonly error: ErrorData;
      readonly retry?: boolean;
      readonly lastGood?: { readonly output: JsonValue; readonly at: number };
    }
  /** The checks let it begin; of a node without a handler. */
  | { readonly type: 'passed' }
  /** Of a node that asks: what a memory outside the run had for it. */
  | { readonly type: 'recalled'; readonly entry?: MemoryEntry }
  | { readonly type: 'skipped'; readonly reason?: string; readonly output?: JsonValue }
  | { readonly type: 'retry'; readonly after?: number; readonly reason?: string }
  /** `executed`: for how long since it began or last waited, ms. */
  | { readonly type: 'suspended'; readonly ops: readonly string[]; readonly executed?: number }
  | { readonly type: 'mismatch'; readonly error: ErrorData }
  | { readonly type: 'cancelled' };

/** Another version, and where its nodes are that this one names otherwise. */
export interface Migration {
  readonly to: Program;
  readonly label?: string;
  readonly mapping: Readonly<Record<string, string>>;
}

/** What a handler wrote: key → what the key's reducer takes. */
export type Update = Readonly<Record<string, JsonValue>>;

/** What a handler wrote to its session. */
export interface SessionWrites {
  readonly messages?: readonly { readonly role: MessageRole; readonly content: JsonValue }[];
  readonly set?: JsonObject;
  readonly remove?: readonly string[];
}

/** The roles of the actor, as the identity port told them; absent: not known, and then whoever sends the command vouches. */
export type Roles = readonly string[];

export type OutsideCommand =
  | {
      readonly type: 'answer';
      readonly request?: string;
      readonly action?: string;
      readonly values?: JsonValue;
      readonly note?: string;
      readonly key?: string;
      /** Digest of what was looked at; another than the request's is refused. */
      readonly subject?: string;
      readonly roles?: Roles;
      /** What became of a request that the run itself knows no more of, as the store has it. */
      readonly closed?: Exclude<RequestStatus, 'open'>;
    }
  | {
      readonly type: 'claimRequest';
      readonly request: string;
      /** From whoever has claimed it. */
      readonly takeOver?: boolean;
      readonly roles?: Roles;
    }
  | { readonly type: 'releaseRequest'; readonly request: string; readonly reason?: string }
  | { readonly type: 'withdrawRequest'; readonly request: string; readonly reason: string }
  | { readonly type: 'signal'; readonly name: string; readonly value: JsonValue; readonly id?: string }
  | { readonly type: 'pause' | 'resume' | 'step' | 'reopen'; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string; readonly node?: string }
  | {
      readonly type: 'edit';
      readonly token?: string;
      readonly set: JsonObject;
      readonly remove?: readonly string[];
      readonly reason: string;
    }
  | { readonly type: 'jump'; readonly token?: string; readonly to: string; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string; readonly compensate?: boolean }
  | {
      readonly type: 'rollback';
      readonly to: number;
      readonly past: Run;
      readonly effects: 'recorded' | 'ask' | 'live';
      readonly later?: readonly LaterOperation[];
      readonly reason: string;
    }
  | {
      readonly type: 'fork';
      readonly parent: string;
      readonly atSeq: number;
      readonly effects: 'recorded' | 'ask' | 'live';
      readonly later?: readonly LaterOperation[];
      /** Onto another version; refused as a whole where that lacks a node. */
      readonly onto?: Migration;
      readonly reason: string;
      /** As of the claim; default: when the last event of the past was recorded. */
      readonly lastAt?: number;
    }
  | ({ readonly type: 'migrate'; readonly reason: string } & Migration)
  /** Writes what is remembered in the run, or removes it. */
  | { readonly type: 'memory'; readonly key: string; readonly values?: JsonObject; readonly reason: string }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'erased'; readonly digest: string; readonly reason: string };
