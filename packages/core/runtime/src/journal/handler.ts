import type { ContractDefinition, JsonObject, Validator } from '@signalbox/kernel';

/** `reference`: what the run is pinned under. */
export interface ContractUse {
  readonly reference: string;
  /** @param folder what a relative path is relative to; default: where the process runs. */
  load(folder?: string): Promise<ContractDefinition>;
}

/** Code behind a handler key, as the runtime calls it. The authoring API gives it its types. */
export interface Handler {
  /** Of a registered type: makes `ctx.with` from what the node sets. */
  readonly settings?: Validator;
  /** Of an agent: the contract that its node names, as of now. */
  contract?(settings: JsonObject): ContractUse | undefined;
  execute(context: never): unknown;
  /** Undoes the calls of tools of a visit of its own. */
  undo?(context: never): unknown;
  onEnter?(context: never): unknown;
  afterNode?(context: never, ended: { readonly output?: unknown; readonly error?: unknown }): unknown;
}

/**
 * What a handler may return instead of an output: plain data under registered symbols, so that results made by another
 * copy of the authoring API are recognised.
 */
export const RESULT = Symbol.for('signalbox.result');
export const PERMANENT = Symbol.for('signalbox.permanent');

export interface MarkedResult {
  readonly [RESULT]: 'next' | 'failed' | 'skipped' | 'retry';
  readonly to?: string;
  readonly output?: unknown;
  readonly reason?: string;
  readonly confidence?: number;
  readonly options?: readonly string[];
  readonly code?: string;
  readonly message?: string;
  readonly permanent?: boolean;
  readonly retry?: boolean;
  readonly after?: string;
}

export function isMarkedResult(value: unknown): value is MarkedResult {
  return typeof value === 'object' && value !== null && RESULT in value;
}

export function isPermanent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { [PERMANENT]?: unknown })[PERMANENT] === true;
}
