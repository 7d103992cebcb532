import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type ErrorData,
  type FirstMember,
  globalKey,
  type JsonValue,
  type NodeExecution,
  type OpKind,
  type OpRecord,
  type OpReport,
  parseDuration,
  type RequestDefinition,
  type Run,
  SignalboxError,
  stateObject,
  type Task,
  type TaskEnd,
  type Token,
  type Update,
  type WakeTime,
} from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import { sha256 } from '../log/commit-codec.ts';
import { Delivery } from './delivery.ts';
import { errorDataOf, revivedError } from './error-data.ts';
import { recorded } from './freeze.ts';

/** What an execution needs of the driver of its run. */
export interface ExecutionHost {
  /** Queues a fact; it is committed together with whatever else is queued. */
  report(execution: TaskExecution, op: OpReport): void;
  /** Queues the end of the task. */
  finish(execution: TaskExecution, end: TaskEnd): void;
  /** Resolves when everything queued so far is durable. Rejects when the driver has lost the run. */
  flushed(): Promise<void>;
  readonly clock: Clock;
  /** The run as it stands, committed facts and queued ones decided so far. */
  current(): Run;
}

/** Wait of an operation that reaches outside, unless it says otherwise (design 4.4). */
const OPERATION_TIMEOUT_MS = 30_000;
/** How long code that is neither waiting nor asking may take before a missing operation counts as a change of code. */
const MISMATCH_GRACE_MS = 1_000;

const groups = new AsyncLocalStorage<string>();

export interface RunOptions {
  readonly once?: boolean;
  readonly onDoubt?: 'ask' | 'retry' | 'fail';
  readonly timeout?: string;
  readonly key?: string;
  readonly args?: unknown;
}

/**
 * One execution of a handler, from its first line (design 4.5).
 *  1. A recorded operation is never performed again: its result is delivered in recorded order.
 *  2. A `once` operation is performed only after its intent is durable; any effect only after all earlier facts are.
 *  3. Waiting is a promise that does not settle; when nothing but waits is left, the execution ends as suspended.
 *  4. A recorded operation that is not asked for again, or asked with other arguments, is a mismatch, not a failure.
 */
export class TaskExecution {
  readonly task: Task;
  readonly abort = new AbortController();
  readonly #host: ExecutionHost;
  readonly #journal: NodeExecution['journal'];
  readonly #delivery: Delivery;
  readonly #counts = new Map<string, number>();
  readonly #waits = new Map<string, (record: OpRecord) => void>();
  readonly #updates: Update[] = [];
  readonly token: Token;
  #performing = 0;
  #derived = 0;
  #now: number;
  #over = false;
  #checking = false;
  /** Told the driver that only waits are left; taken back when one of them has come. */
  #suspended = false;

  constructor(host: ExecutionHost, task: Task, run: Run) {
    this.#host = host;
    this.task = task;
    this.token = run.tokens.get(task.token)!;
    this.#journal = task.execution?.journal ?? new Map();
    this.#now = task.execution?.startedAt ?? run.at;
    const known = [...this.#journal.values()].filter(
      record => record.status === 'recorded' && record.adopted === undefined,
    );
    this.#delivery = new Delivery(
      known.sort((a, b) => a.order - b.order).map(record => record.op),
      fn => host.clock.soon(fn),
    );
  }

  get over(): boolean {
    return this.#over;
  }

  get updates(): readonly Update[] {
    return this.#updates;
  }

  /** Names an operation: the n-th of its name within its group. */
  #name(name: string): string {
    const full = `${groups.getStore() ?? ''}${name}`;
    const count = (this.#counts.get(full) ?? 0) + 1;
    this.#counts.set(full, count);
    return `${full}#${count}`;
  }

  async group<Result>(name: string, fn: () => Promise<Result>): Promise<Result> {
    return await groups.run(`${groups.getStore() ?? ''}${name}/`, fn);
  }

  idempotencyKey(op: string): string {
    return sha256(globalKey(this.#host.current(), this.task, op));
  }

  /** The n-th value derived from the journal key: the same at every execution. */
  derived(kind: string): string {
    this.#derived += 1;
    return sha256(`${globalKey(this.#host.current(), this.task, `${kind}#${this.#derived}`)}`);
  }

  /** When the node started, or when the last thing it waited for came. */
  now(): number {
    return this.#now;
  }

  update(changes: unknown): void {
    this.#updates.push(recorded(changes, 'The update') as Update);
  }

  // ── effects ────────────────────────────────────────────────────────────────────────────────────────────────

  async run<Result>(
    name: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => Result | Promise<Result>,
    options: RunOptions = {},
  ): Promise<Result> {
    const op = this.#name(name);
    if (this.task.kind === 'compensation') return await this.#unrecorded(op, fn, options);
    const digest = this.#digest('run', options.args);
    const known = this.#known(op, 'run', digest);
    if (known !== undefined) return (await this.#replayed(known)) as Result;
    this.#delivery.begin();
    this.#performing += 1;
    try {
      const done = await this.#allowed(op, digest, options);
      const result = done ?? (await this.#perform(op, fn, options));
      if (done === undefined) this.#host.report(this, { type: 'record', op, kind: 'run', digest, ...result });
      return (await this.#delivered(op, result)) as Result;
    } finally {
      this.#performing -= 1;
      this.#look();
    }
  }

  /** A compensation is done as a whole or tried again as a whole: its operations keep their key, but are not recorded. */
  async #unrecorded<Result>(
    op: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => unknown,
    options: RunOptions,
  ): Promise<Result> {
    const result = await this.#perform(`~${op}`, fn, options);
    if ('error' in result) throw result.thrown ?? revivedError(result.error);
    return result.value as Result;
  }

  /** Waits until the effect may happen; gives a result when it turns out to be known. */
  async #allowed(op: string, digest: string, options: RunOptions): Promise<OpResult | undefined> {
    if (options.once !== true) {
      await this.#host.flushed();
      return undefined;
    }
    this.#host.report(this, {
      type: 'intend',
      op,
      kind: 'run',
      digest,
      class: 'once',
      ...(options.onDoubt === undefined ? {} : { onDoubt: options.onDoubt }),
    });
    await this.#host.flushed();
    const record = this.#record(op);
    if (record?.status === 'recorded')
      return record.error === undefined ? { value: record.value ?? null } : { error: record.error };
    if (record?.status === 'intended') return undefined;
    return await this.#forever();
  }

  async #perform(
    op: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => unknown,
    options: RunOptions,
  ): Promise<OpResult> {
    const timeout = options.timeout === undefined ? OPERATION_TIMEOUT_MS : parseDuration(options.timeout);
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.abort.signal]);
    let stopTimer = () => {};
    const expiry = new Promise<never>((_, reject) => {
      stopTimer = this.#after(timeout, () => {
        reject(new SignalboxError('OperationTimeout', `Operation "${op}" took longer than ${timeout} ms.`));
        abort.abort();
      });
    });
    try {
      const value = await Promise.race([
        (async () => fn({ idempotencyKey: options.key ?? this.idempotencyKey(op), signal }))(),
        expiry,
      ]);
      return { value: recorded(value, `The result of "${op}"`) };
    } catch (thrown) {
      return { error: errorDataOf(thrown), thrown };
    } finally {
      stopTimer();
    }
  }

  #delivered(op: string, result: OpResult): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#delivery.live(op, () =>
        'error' in result ? reject(result.thrown ?? revivedError(result.error)) : resolve(result.value),
      );
    });
  }

  // ── waits ──────────────────────────────────────────────────────────────────────────────────────────────────

  ask(name: string, request: RequestDefinition): Promise<JsonValue> {
    return this.#wait(name, 'ask', request, (op, digest) => ({ type: 'ask', op, digest, request }));
  }

  async sleep(name: string, until: WakeTime): Promise<void> {
    await this.#wait(name, 'sleep', until, (op, digest) => ({ type: 'sleep', op, digest, until }));
  }

  signal(name: string): Promise<JsonValue> {
    return this.#wait(name, 'signal', name, (op, digest) => ({ type: 'signal', op, digest, name }));
  }

  first(of: Readonly<Record<string, FirstMember>>): Promise<JsonValue> {
    return this.#wait('first', 'first', of, (op, digest) => ({ type: 'first', op, digest, of }));
  }

  async refresh(): Promise<JsonValue> {
    return await this.#wait('refresh', 'refresh', null, op => ({ type: 'refresh', op }));
  }

  decide(point: string, decision: unknown): void {
    if (this.task.kind === 'compensation') return;
    const op = this.#name(point);
    if (this.#record(op)?.status === 'recorded') return this.#delivery.passed(op);
    const data = recorded(decision, `The decision "${point}"`) as { chosen: JsonValue };
    this.#host.report(this, { type: 'decide', op, decision: { decidedBy: `node:${this.task.node}`, ...data, point } });
  }

  #wait(name: string, kind: OpKind, args: unknown, open: (op: string, digest: string) => OpReport): Promise<JsonValue> {
    if (this.task.kind === 'compensation')
      throw new SignalboxError(
        'NotInCompensation',
        `A compensation cannot wait, so "${name}" (${kind}) cannot be used in it.`,
      );
    const op = this.#name(name);
    const digest = kind === 'refresh' ? '' : this.#digest(kind, args);
    const known = this.#known(op, kind, digest);
    if (known !== undefined) return this.#replayed(known);
    this.#delivery.begin();
    const waiting = new Promise<JsonValue>((resolve, reject) => {
      this.#waits.set(op, record => {
        this.#waits.delete(op);
        this.#delivery.live(op, () => {
          this.#now = Math.max(this.#now, record.at ?? 0);
          if (record.error === undefined) resolve(record.value ?? null);
          else reject(revivedError(record.error));
        });
      });
    });
    if (this.#record(op) === undefined) this.#host.report(this, open(op, digest));
    this.#look();
    return waiting;
  }

  /** Called after every commit: what was waited for may have come. */
  committed(): void {
    if (this.#over) return;
    const due = [...this.#waits.keys()]
      .map(op => this.#record(op))
      .filter(record => record?.status === 'recorded')
      .sort((a, b) => a!.order - b!.order);
    if (due.length > 0) this.#suspended = false;
    for (const record of due) this.#waits.get(record!.op)?.(record!);
    this.#look();
  }

  // ── the journal ────────────────────────────────────────────────────────────────────────────────────────────

  #record(op: string): OpRecord | undefined {
    const at = this.#host.current().tokens.get(this.task.token)?.at;
    return at?.kind === 'node' && at.node === this.task.node && at.visit === this.task.visit
      ? at.journal.get(op)
      : undefined;
  }

  #digest(kind: OpKind, args: unknown): string {
    return args === undefined || args === null
      ? ''
      : sha256(`${kind}:${JSON.stringify(recorded(args, 'The arguments'))}`).slice(0, 16);
  }

  /** The record of an earlier execution; one that does not fit is a mismatch, or passed over when it was only taken over. */
  #known(op: string, kind: OpKind, digest: string): OpRecord | undefined {
    const record = this.#journal.get(op);
    if (record === undefined) return undefined;
    const fits = record.kind === kind && (record.digest === digest || kind === 'refresh');
    if (record.adopted !== undefined) return fits ? record : undefined;
    if (!fits)
      void this.#mismatch(
        `It recorded ${describe(record.kind, record.op, record.digest)} and now asks for ${describe(kind, op, digest)}.`,
      );
    return record.status === 'recorded' || !fits ? record : undefined;
  }

  #replayed(record: OpRecord): Promise<JsonValue> {
    if (this.#over) return this.#forever();
    this.#delivery.begin();
    return new Promise((resolve, reject) => {
      const deliver = () => {
        if (record.wait !== undefined || record.first !== undefined || record.kind === 'ask')
          this.#now = Math.max(this.#now, record.at ?? 0);
        if (record.error === undefined) resolve(record.value ?? null);
        else reject(revivedError(record.error));
        this.#look();
      };
      if (record.adopted === undefined) this.#delivery.replay(record.op, deliver);
      else deliver();
    });
  }

  #forever<Result>(): Promise<Result> {
    return new Promise<Result>(() => {});
  }

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────

  end(end: TaskEnd): void {
    if (this.#over) return;
    const { unasked } = this.#delivery;
    if (unasked.length > 0 && (end.type === 'success' || end.type === 'failed' || end.type === 'skipped'))
      return this.#mismatch(
        `It recorded ${unasked.map(op => `"${op}"`).join(', ')}, and now ended without asking for it.`,
      );
    this.#over = true;
    this.#host.finish(this, end);
  }

  /** Gives the handler up: its promise will never settle, and whatever it still does is not recorded. */
  drop(reason: string): void {
    this.#over = true;
    this.abort.abort(new SignalboxError('Dropped', reason));
  }

  #mismatch(difference: string): void {
    if (this.#over) return;
    this.#over = true;
    const { node } = this.task;
    const error: ErrorData = {
      code: 'NonDeterminismError',
      message: `The code of "${node}" does not do what it recorded. ${difference}`,
      details: { difference },
    };
    this.#host.finish(this, { type: 'mismatch', error });
    this.abort.abort(new SignalboxError('NonDeterminismError', error.message));
  }

  /** Looks, once the code has run as far as it can, whether anything but waiting is left. */
  #look(): void {
    if (this.#checking || this.#over) return;
    this.#checking = true;
    this.#host.clock.soon(() => {
      this.#checking = false;
      if (this.#over || this.#suspended || this.#performing > 0 || this.#delivery.busy) return;
      if (this.#delivery.blocked) return this.#watchBlocked();
      if (this.#waits.size > 0) this.#suspend();
    });
  }

  #after(ms: number, fn: () => void): () => void {
    const { clock } = this.#host;
    return clock.at(clock.now() + ms, fn);
  }

  #suspend(): void {
    const { unasked } = this.#delivery;
    if (unasked.length > 0) return this.#watchBlocked();
    this.#suspended = true;
    this.#host.finish(this, { type: 'suspended', ops: [...this.#waits.keys()] });
  }

  /** The code may still be about to ask for what is missing; after a while it counts as changed. */
  #watchBlocked(): void {
    const missing = this.#delivery.unasked.join(', ');
    this.#after(MISMATCH_GRACE_MS, () => {
      if (this.#over || this.#delivery.unasked.join(', ') !== missing) return;
      this.#mismatch(`It recorded ${missing}, and now waits without asking for it.`);
    });
  }
}

type OpResult = { readonly value: JsonValue } | { readonly error: ErrorData; readonly thrown?: unknown };

function describe(kind: OpKind, op: string, digest: string): string {
  return `${kind} "${op}"${digest === '' ? '' : ` (arguments ${digest})`}`;
}

/** The state a handler reads, as frozen when its node started. */
export function frozenState(execution: NodeExecution | undefined, token: Token) {
  return stateObject(execution?.state ?? token.state);
}
