import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CHECK_PREFIX,
  type ErrorData,
  type FirstMember,
  globalKey,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type NodeExecution,
  type OpKind,
  type OpRecord,
  type OpReport,
  parseDuration,
  type RequestDefinition,
  type Run,
  SignalboxError,
  type Task,
  type TaskEnd,
  type Token,
  toDecision,
  type Update,
  type WakeTime,
} from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import { sha256 } from '../log/commit-codec.ts';
import { Delivery } from './delivery.ts';
import { errorDataOf, revivedError, stackOf } from './error-data.ts';
import { frozen, frozenView, recorded } from './freeze.ts';
import { PERMANENT } from './handler.ts';
import { checkRunOptions, type RunOptions } from './run-options.ts';
import { requireThat, textOf } from './shape.ts';

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

/** Operations that wait: time goes on with them. */
const WAITS: ReadonlySet<OpKind> = new Set(['ask', 'sleep', 'signal', 'first']);

/**
 * One execution of a handler, from its first line (design 4.5).
 *  1. A recorded operation is never performed again: its result is delivered in recorded order.
 *  2. A `once` operation is performed only after its intent is durable; any effect only after all earlier facts are.
 *  3. Waiting is a promise that does not settle; when nothing but waits is left, the execution ends as suspended.
 *  4. A recorded operation that is not asked for again, or asked with other arguments, is a mismatch, not a failure.
 *  5. Results are handed out in the order of their records, live as on re-execution: while anything is waited for, the
 *     result of an effect is handed out only when its record stands, since an answer may have been recorded before it.
 *  6. An execution that is over, or told to stop, begins no effect and reports nothing but how a `once` operation ended.
 */
export class TaskExecution {
  readonly task: Task;
  #abort: AbortController | undefined;
  readonly #host: ExecutionHost;
  readonly #journal: NodeExecution['journal'];
  readonly #delivery: Delivery;
  readonly #counts = new Map<string, number>();
  /** Open waits, effects whose result must be recorded first, and operations in doubt. */
  readonly #awaited = new Map<string, Awaited>();
  /** `once` operations under way. */
  readonly #once = new Set<Promise<unknown>>();
  readonly #updates: Update[] = [];
  readonly token: Token;
  #performing = 0;
  /** New operations that wait for the recorded ones to be asked for. */
  #behind = 0;
  /** Effects that were not begun because this execution is to stop. */
  #stalled = 0;
  #derived = 0;
  #now: number;
  /** Up to when its executing time has been told, epoch ms. */
  #since: number;
  #over = false;
  #isPassed = false;
  #checking = false;
  /** Told the driver that only waits are left; taken back when one of them has come. */
  #suspended = false;

  constructor(host: ExecutionHost, task: Task, run: Run) {
    this.#host = host;
    this.task = task;
    this.token = tokenOf(run, task);
    // As it was when this execution began: what is recorded from now on comes by way of the driver.
    this.#journal = new Map(task.execution?.journal);
    this.#since = host.clock.now();
    this.#now = task.execution?.startedAt ?? run.at;
    const known = [...this.#journal.values()].filter(
      record => record.status === 'recorded' && record.adopted === undefined,
    );
    this.#delivery = new Delivery(
      known.sort((a, b) => a.order - b.order).map(record => record.op),
      fn => host.clock.soon(fn),
    );
  }

  /** Made when somebody first looks at it: most handlers never do. */
  get abort(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  get over(): boolean {
    return this.#over;
  }

  get updates(): readonly Update[] {
    return this.#updates;
  }

  /** A fallback stands in within the same visit, so its operations have names of their own. */
  get #prefix(): string {
    const fallback = this.task.execution?.fallback;
    return fallback === undefined ? '' : `${fallback.node}/`;
  }

  /** The checks have let it pass: from here on, names are the handler's own, and none of them is a check's. */
  passed(): void {
    this.#isPassed = true;
  }

  /** Names an operation: the n-th of its name within its group. */
  #name(name: string): string {
    const own = `${groups.getStore() ?? ''}${textOf(name, 'The name of an operation')}`;
    const isReserved = this.#isPassed && own.startsWith(CHECK_PREFIX);
    requireThat(!isReserved, `Names that begin with "${CHECK_PREFIX}" are those of checks.`);
    const full = `${this.#prefix}${own}`;
    const count = (this.#counts.get(full) ?? 0) + 1;
    this.#counts.set(full, count);
    return `${full}#${count}`;
  }

  group<Result>(name: string, fn: () => Promise<Result>): Promise<Result> {
    const full = `${groups.getStore() ?? ''}${textOf(name, 'The name of a group')}/`;
    return unminded(groups.run(full, async () => await fn()));
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
    if (this.#over) return;
    const update = recorded(changes, 'The update');
    requireThat(isJsonObject(update), 'An update is no object of state keys.');
    this.#updates.push(update);
  }

  // ── effects ────────────────────────────────────────────────────────────────────────────────────────────────

  run<Result>(
    name: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => Result | Promise<Result>,
    options: RunOptions = {},
  ): Promise<Result> {
    const running = unminded(this.#run(name, fn, options));
    if (options?.once !== true) return running;
    const over = () => void this.#once.delete(running);
    this.#once.add(running);
    running.then(over, over);
    return running;
  }

  async #run<Result>(
    name: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => Result | Promise<Result>,
    options: RunOptions,
  ): Promise<Result> {
    checkRunOptions(options);
    const op = this.#name(name);
    if (this.task.kind === 'compensation') {
      if (options.once === true) throw onceInCompensation(this.task, op);
      return await this.#unrecorded(op, fn, options);
    }
    const digest = this.#digest('run', options.args);
    const known = this.#known(op, 'run', digest);
    if (known !== undefined) return (await this.#replayed(known)) as Result;
    const behind = this.#caughtUp();
    if (behind !== undefined) await behind;
    this.#delivery.begin();
    this.#performing += 1;
    try {
      if (options.once === true) return (await this.#performOnce(op, digest, fn, options)) as Result;
      await this.#host.flushed();
      if (this.#isToStop) return await this.#stall();
      const result = await this.#perform(op, fn, options);
      if (this.#over) return await this.#forever();
      return (await this.#performed(op, digest, result)) as Result;
    } finally {
      this.#performing -= 1;
      this.#look();
    }
  }

  /** A compensation is done as a whole or tried again as a whole: its operations keep their key, but are not recorded. */
  async #unrecorded<Result>(op: string, fn: Effect, options: RunOptions): Promise<Result> {
    const result = await this.#perform(`~${op}`, fn, options);
    if ('error' in result) throw revivedError(result.error, stackOf(result.thrown));
    return result.value as Result;
  }

  /**
   * One that takes too long is in doubt, as after a crash: only a word on it, or its own end, says what became of it. Where
   * it may be tried again with its key, it has failed like any other, and its node's policy says whether it is.
   */
  async #performOnce(op: string, digest: string, fn: Effect, options: RunOptions): Promise<JsonValue> {
    while (await this.#intended(op, digest, options)) {
      if (this.#isToStop) return await this.#stall();
      const result = await this.#perform(op, fn, options);
      if (result.late === undefined || options.onDoubt === 'retry') return await this.#performed(op, digest, result);
      void result.late.then(outcome => this.#cameLate(op, digest, outcome));
      if (this.#over) return await this.#forever();
      this.#host.report(this, { type: 'doubt', op });
      await this.#host.flushed();
    }
    return await this.#whenRecorded(op);
  }

  /** Counts unless the operation was begun again meanwhile, or somebody has said how it ended. */
  #cameLate(op: string, digest: string, outcome: OpResult | undefined): void {
    const status = this.#record(op)?.status;
    if (outcome === undefined || status === 'intended' || status === 'recorded') return;
    this.#host.report(this, { type: 'record', op, kind: 'run', digest, ...factOf(outcome) });
  }

  /** Resolves with true when the effect may happen, with false when its outcome stands or is about to. */
  async #intended(op: string, digest: string, { onDoubt }: RunOptions): Promise<boolean> {
    for (;;) {
      if (this.#isToStop) return await this.#stall();
      const before = this.#record(op);
      if (before?.status === 'doubted') {
        if ((await this.#outOfDoubt(op)) === 'recorded') return false;
        continue;
      }
      const doubt = onDoubt === undefined ? {} : { onDoubt };
      this.#host.report(this, { type: 'intend', op, kind: 'run', digest, class: 'once', ...doubt });
      await this.#host.flushed();
      const record = this.#record(op);
      if (record?.status === 'recorded') return false;
      if (record?.status === 'intended') return true;
      if (record === undefined) return await this.#stall();
    }
  }

  /** Somebody is asked how the operation ended; that is a wait like any other. */
  async #outOfDoubt(op: string): Promise<'recorded' | 'retried'> {
    this.#performing -= 1;
    const settled = new Promise<'recorded' | 'retried'>(resolve => {
      this.#awaited.set(op, {
        isOver: record => record?.status !== 'doubted',
        take: record => resolve(record === undefined ? 'retried' : 'recorded'),
      });
    });
    this.#look();
    const outcome = await settled;
    this.#performing += 1;
    return outcome;
  }

  /** Records a result and hands it out in its turn. */
  #performed(op: string, digest: string, result: OpResult): Promise<JsonValue> {
    const inTurn = this.#awaited.size > 0 ? this.#whenRecorded(op) : undefined;
    this.#host.report(this, { type: 'record', op, kind: 'run', digest, ...factOf(result) });
    if (inTurn !== undefined) return inTurn;
    return new Promise((resolve, reject) => {
      this.#delivery.live(op, 'run', () =>
        'error' in result ? reject(revivedError(result.error, stackOf(result.thrown))) : resolve(result.value),
      );
    });
  }

  async #perform(op: string, fn: Effect, options: RunOptions): Promise<OpResult> {
    const timeout = options.timeout === undefined ? OPERATION_TIMEOUT_MS : parseDuration(options.timeout);
    const tools = new Tools(this, op, options.key);
    let begun: unknown;
    try {
      begun = fn(tools);
      return toResult(op, isThenable(begun) ? await this.#within(timeout, op, begun, tools) : begun);
    } catch (thrown) {
      const late = tools.expired ? lateResult(op, begun as PromiseLike<unknown>) : undefined;
      return { error: errorDataOf(thrown), thrown, ...(late === undefined ? {} : { late }) };
    }
  }

  async #within(timeout: number, op: string, begun: PromiseLike<unknown>, tools: Tools): Promise<unknown> {
    let stopTimer = () => {};
    const expiry = new Promise<never>((_, reject) => {
      stopTimer = this.#after(timeout, () => {
        reject(new SignalboxError('OperationTimeout', `Operation "${op}" took longer than ${timeout} ms.`));
        tools.expire();
      });
    });
    try {
      return await Promise.race([begun, expiry]);
    } finally {
      stopTimer();
    }
  }

  // ── waits ──────────────────────────────────────────────────────────────────────────────────────────────────

  ask(name: string, request: RequestDefinition): Promise<JsonValue> {
    return this.#wait(name, 'ask', request, (op, digest) => ({ type: 'ask', op, digest, request }));
  }

  sleep(name: string, until: WakeTime): Promise<void> {
    const over = this.#wait(name, 'sleep', until, (op, digest) => ({ type: 'sleep', op, digest, until }));
    return unminded(over.then(() => {}));
  }

  signal(name: string): Promise<JsonValue> {
    textOf(name, 'The name of a signal');
    return this.#wait(name, 'signal', name, (op, digest) => ({ type: 'signal', op, digest, name }));
  }

  first(of: Readonly<Record<string, FirstMember>>): Promise<JsonValue> {
    return this.#wait('first', 'first', of, (op, digest) => ({ type: 'first', op, digest, of }));
  }

  refresh(): Promise<JsonValue> {
    return this.#wait('refresh', 'refresh', null, op => ({ type: 'refresh', op }));
  }

  /** `name`: what it is called in the journal, if that is not its point. */
  decide(point: string, decision: unknown, name = point): void {
    if (this.task.kind === 'compensation' || this.#over) return;
    const op = this.#name(name);
    if (this.#record(op)?.status === 'recorded') return this.#delivery.passed(op);
    const given = recorded(decision, `The decision "${point}"`);
    const by = { decidedBy: `node:${this.task.node}` };
    const data = toDecision(isJsonObject(given) ? { ...by, ...given, point } : given);
    const before = this.#journal.get(op);
    if (before?.kind === 'decide' && jsonEqual(before.value ?? null, data.chosen)) return;
    this.#host.report(this, { type: 'decide', op, decision: data });
  }

  #wait(name: string, kind: OpKind, args: unknown, open: (op: string, digest: string) => OpReport): Promise<JsonValue> {
    return unminded(this.#begun(name, kind, args, open));
  }

  #begun(
    name: string,
    kind: OpKind,
    args: unknown,
    open: (op: string, digest: string) => OpReport,
  ): Promise<JsonValue> {
    if (this.task.kind === 'compensation')
      throw new SignalboxError(
        'NotInCompensation',
        `A compensation cannot wait, so "${name}" (${kind}) cannot be used in it.`,
      );
    const op = this.#name(name);
    const digest = kind === 'refresh' ? '' : this.#digest(kind, args);
    const known = this.#known(op, kind, digest);
    if (known !== undefined) return this.#replayed(known);
    if (this.#over) return this.#forever();
    this.#delivery.begin();
    const waiting = this.#whenRecorded(op);
    const ask = () => {
      if (!this.#over && this.#record(op) === undefined) this.#host.report(this, open(op, digest));
    };
    const behind = this.#caughtUp();
    if (behind === undefined) ask();
    else void behind.then(ask);
    this.#look();
    return waiting;
  }

  /**
   * What is new waits until everything recorded was asked for: nothing recorded can depend on it, and code that changed
   * is found out before it does anything. Undefined when there is nothing to wait for.
   */
  #caughtUp(): Promise<void> | undefined {
    const caughtUp = this.#delivery.caughtUp();
    if (caughtUp === undefined) return undefined;
    this.#behind += 1;
    this.#look();
    return caughtUp.then(() => {
      this.#behind -= 1;
    });
  }

  /** What an earlier execution decided or asked under that name, whatever it was; undefined when it did neither. */
  resumed(name: string): Promise<JsonValue> | undefined {
    const record = this.#journal.get(`${this.#prefix}${name}#1`);
    if (record === undefined) return undefined;
    const op = this.#name(name);
    if (record.kind === 'decide') {
      this.#delivery.passed(op);
      return Promise.resolve(record.value ?? null);
    }
    if (record.status === 'recorded') return this.#replayed(record);
    this.#delivery.begin();
    const waiting = this.#whenRecorded(op);
    this.#look();
    return waiting;
  }

  /** Ends this execution without an outcome: the node is executed again when nothing holds the run back. */
  hold(): Promise<never> {
    this.end({ type: 'suspended', ops: [], ...this.#executed() });
    return this.#forever();
  }

  /** Nothing of the handler's own was recorded so far; names that begin with `prefix` are not its own. */
  isFresh(prefix: string): boolean {
    for (const op of this.#journal.keys()) if (!op.startsWith(`${this.#prefix}${prefix}`)) return false;
    return true;
  }

  /** What the journal holds of an operation once it does, in its turn. */
  #whenRecorded(op: string): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      const take = (record: OpRecord) =>
        this.#delivery.live(op, record.kind, () => this.#give(record, resolve, reject));
      const record = this.#record(op);
      if (record?.status === 'recorded') take(record);
      else this.#awaited.set(op, { isOver: now => now?.status === 'recorded', take: now => now && take(now) });
    });
  }

  #give(record: OpRecord, resolve: (value: JsonValue) => void, reject: (error: Error) => void): void {
    if (WAITS.has(record.kind)) this.#now = Math.max(this.#now, record.at ?? 0);
    if (record.error === undefined) resolve(frozen(record.value ?? null));
    else reject(revivedError(record.error));
  }

  /** Called after every commit: what was waited for may have come. */
  committed(): void {
    if (this.#over) return;
    const come = [...this.#awaited]
      .map(([op, awaited]) => ({ op, awaited, record: this.#record(op) }))
      .filter(({ awaited, record }) => awaited.isOver(record))
      .sort((a, b) => orderOf(a.record) - orderOf(b.record));
    if (come.length > 0) this.#suspended = false;
    for (const { op, awaited, record } of come) {
      this.#awaited.delete(op);
      awaited.take(record);
    }
    this.#look();
  }

  // ── the journal ────────────────────────────────────────────────────────────────────────────────────────────

  /** How an operation stands now; what was only taken over from before does not count. */
  #record(op: string): OpRecord | undefined {
    const at = this.#host.current().tokens.get(this.task.token)?.at;
    if (at?.kind !== 'node' || at.node !== this.task.node || at.visit !== this.task.visit) return undefined;
    const record = at.journal.get(op);
    return record?.adopted === undefined ? record : undefined;
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
        this.#give(record, resolve, reject);
        this.#look();
      };
      if (record.adopted === undefined) this.#delivery.replay(record.op, deliver);
      else deliver();
      this.#look();
    });
  }

  #forever<Result>(): Promise<Result> {
    return new Promise<Result>(() => {});
  }

  get #isToStop(): boolean {
    return this.#over || this.#abort?.signal.aborted === true;
  }

  /** The code goes no further here; what is left of it may end. */
  #stall<Result>(): Promise<Result> {
    this.#stalled += 1;
    this.#performing -= 1;
    this.#look();
    return this.#forever();
  }

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Resolves when no `once` operation is under way any more; undefined when none is. The handler has come to its end, but one that it did not
   * wait for may be half done: the node must not be over before how that ended is recorded.
   */
  settled(): Promise<void> | undefined {
    return this.#once.size === 0 ? undefined : Promise.allSettled(this.#once).then(() => this.settled());
  }

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
      if (this.#over || this.#suspended) return;
      // Code that the last result woke may look while the next is on its way: look again when it has come.
      if (this.#delivery.busy) return this.#look();
      if (this.#performing > this.#delivery.held) return;
      if (this.#abort?.signal.aborted === true && this.#stalled + this.#awaited.size > 0)
        return this.end({ type: 'cancelled' });
      if (this.#delivery.blocked || this.#behind > 0) return this.#watchBlocked();
      if (this.#awaited.size > 0) this.#suspend();
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
    this.#host.finish(this, { type: 'suspended', ops: [...this.#awaited.keys()], ...this.#executed() });
  }

  /** For how long it has executed since it was last said, of a node that has a limit to that. */
  #executed(): { readonly executed?: number } {
    if (this.task.compiled.timeout === undefined) return {};
    const now = this.#host.clock.now();
    const executed = now - this.#since;
    this.#since = now;
    return { executed };
  }

  /** The code may still be about to ask for what is missing; after a while it counts as changed. */
  #watchBlocked(): void {
    const missing = this.#delivery.unasked.join(', ');
    this.#after(MISMATCH_GRACE_MS, () => {
      if (this.#over || missing === '' || this.#delivery.unasked.join(', ') !== missing) return;
      this.#mismatch(`It recorded ${missing}, and now waits without asking for it.`);
    });
  }
}

interface Awaited {
  isOver(record: OpRecord | undefined): boolean;
  take(record: OpRecord | undefined): void;
}

function orderOf(record: OpRecord | undefined): number {
  return record?.status === 'recorded' ? record.order : Number.POSITIVE_INFINITY;
}

type Effect = (tools: { idempotencyKey: string; signal: AbortSignal }) => unknown;

type OpResult =
  | { readonly value: JsonValue; readonly late?: undefined }
  /** `late`: it took too long, and this is how it ends after all; undefined when that says nothing. Never rejects. */
  | { readonly error: ErrorData; readonly thrown?: unknown; readonly late?: Promise<OpResult | undefined> };

function factOf(result: OpResult): { readonly value: JsonValue } | { readonly error: ErrorData } {
  return 'error' in result ? { error: result.error } : { value: result.value };
}

/** What is thrown by one that was told to stop does not say what it had done by then. */
async function lateResult(op: string, begun: PromiseLike<unknown>): Promise<OpResult | undefined> {
  try {
    return toResult(op, await begun);
  } catch {
    return undefined;
  }
}

/** What is not recorded cannot be known to have been done, so nothing can be promised of it. */
function onceInCompensation({ node }: Task, op: string): SignalboxError {
  const message = `The compensation of "${node}" asks for "${op}" once, but what a compensation does is not recorded.`;
  const hint = 'Leave `once` out and give the other side the idempotency key, which is the same at every attempt.';
  return Object.assign(new SignalboxError('CompensationOnce', message, { hint }), { [PERMANENT]: true });
}

/** A result that is not JSON is recorded as a failure for good: the effect has happened and is not repeated. */
function toResult(op: string, value: unknown): OpResult {
  try {
    return { value: recorded(value, `The result of "${op}"`) };
  } catch (thrown) {
    return { error: { ...errorDataOf(thrown), permanent: true }, thrown };
  }
}

/**
 * The token of a task. That of a compensation may be gone with its scope: then the nearest one around it that is still
 * there, without state where that runs another graph.
 */
function tokenOf(run: Run, task: Task): Token {
  for (let id = task.token; ; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
    const token = run.tokens.get(id);
    if (token !== undefined) return sharesState(token, task) ? token : { ...token, graph: task.graph, state: {} };
    if (id === '') throw new SignalboxError('UnknownToken', `The run has no token "${task.token}".`);
  }
}

/** The body of a map that is a single node reads the state around it; its graph is named after both. */
function sharesState(token: Token, task: Task): boolean {
  return token.graph === task.graph || task.graph.startsWith(`${token.graph}#`);
}

/** What an operation is given; each part is made when the operation takes it. */
class Tools {
  readonly #execution: TaskExecution;
  readonly #op: string;
  readonly #key: string | undefined;
  #expiry: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #expired = false;

  constructor(execution: TaskExecution, op: string, key: string | undefined) {
    this.#execution = execution;
    this.#op = op;
    this.#key = key;
  }

  get idempotencyKey(): string {
    return this.#key ?? this.#execution.idempotencyKey(this.#op);
  }

  /** Aborts when the operation takes too long, or the execution is given up. */
  get signal(): AbortSignal {
    this.#expiry ??= new AbortController();
    if (this.#expired) this.#expiry.abort();
    this.#signal ??= AbortSignal.any([this.#expiry.signal, this.#execution.abort.signal]);
    return this.#signal;
  }

  get expired(): boolean {
    return this.#expired;
  }

  expire(): void {
    this.#expired = true;
    this.#expiry?.abort();
  }
}

/** Whoever does not wait for an operation must not bring the process down by that: how it ended is recorded. */
function unminded<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function describe(kind: OpKind, op: string, digest: string): string {
  return `${kind} "${op}"${digest === '' ? '' : ` (arguments ${digest})`}`;
}

/** The state a handler reads, as it was when its node started. */
export function frozenState(execution: NodeExecution | undefined, token: Token): JsonObject {
  return frozenView(execution?.state ?? token.state);
}
