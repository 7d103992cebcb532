import type { JsonObject, Validator } from '@signalbox/kernel';
import type { ContractUse } from '@signalbox/runtime';
import type { FailedResult, HandlerResult, NextResult, RetryResult, SkippedResult } from './result.ts';

/** A handler as the runtime calls it: by key, with a context that it does not know the types of. */
export interface Handler {
  /** Of a registered type: makes `ctx.with` from a node's `with`, which is stored as it was written. */
  readonly settings?: Validator;
  /** Of an agent: the contract that its node names. */
  contract?(settings: JsonObject): ContractUse | undefined;
  execute(context: never): unknown;
  /** Of an agent: undoes the calls of a visit. */
  undo?(context: never): unknown;
  onEnter?(context: never): unknown;
  afterNode?(context: never, ended: HandlerEnd): unknown;
}

/** A handler as it is written: a function, or an object with hooks. */
export type HandlerFor<Context, Result> =
  | ((context: Context) => Result | Promise<Result>)
  | HandlerObject<Context, Result>;

export interface HandlerObject<Context, Result> {
  execute(context: Context): Result | Promise<Result>;
  /** Observes, before `execute`. */
  onEnter?(context: Context): void | Promise<void>;
  /** Observes, after the node has ended. */
  afterNode?(context: Context, ended: HandlerEnd): void | Promise<void>;
}

export interface HandlerEnd {
  readonly output?: unknown;
  readonly error?: unknown;
}

/** An output, or one of the results that are none. */
export type Returned<Output, To extends string> =
  | Output
  | NextResult<To, Output>
  | FailedResult
  | SkippedResult
  | RetryResult;

/** The output among what a handler returns; nothing is null. */
export type OutputFrom<Result> =
  | NothingAsNull<Exclude<Result, HandlerResult>>
  | (Result extends NextResult<string, infer Output> ? Output : never);

type NothingAsNull<Value> = Value extends void ? null : Value;

export function toHandler(handler: HandlerFor<never, unknown>): Handler {
  return typeof handler === 'function' ? { execute: handler } : handler;
}
