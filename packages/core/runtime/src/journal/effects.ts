import { type Amounts, type Bound, type JsonValue, type OpReport, SignalboxError, type Task } from '@signalbox/kernel';
import type { DriverLink } from './driver-link.ts';
import { type EffectResult, factOf } from './effect-result.ts';
import { LazyEffectTools } from './effect-tools.ts';
import { revivedError, stackOf } from './error-data.ts';
import { PERMANENT } from './handler.ts';
import type { OpJournal } from './op-journal.ts';
import { needsIntent, type Operation, operationOf } from './operation.ts';
import { type Effect, performEffect } from './perform-effect.ts';
import { forever, type Progress } from './progress.ts';
import type { Results } from './results.ts';
import { checkRunOptions, type RunOptions } from './run-options.ts';
import { unminded } from './unminded.ts';

/**
 * What a handler does outside of its run (`ctx.run`, `ctx.model`, `ctx.tool`).
 *  1. An effect is performed only after all earlier facts are durable; one of class `once`, or that reserves, only after
 *     its intent is.
 *  2. A `once` effect that took too long is in doubt: only a word on it, or its own end, says what became of it.
 *  3. When the execution is over or told to stop, no effect begins, and nothing is reported but how a `once` one ended.
 *  4. A compensation is done as a whole or tried again as a whole: nothing of it is recorded.
 */
export class Effects {
  readonly #link: DriverLink;
  readonly #progress: Progress;
  readonly #journal: OpJournal;
  readonly #results: Results;
  /** `once` operations under way. */
  #once: Set<Promise<unknown>> | undefined;

  constructor(link: DriverLink, progress: Progress, journal: OpJournal, results: Results) {
    this.#link = link;
    this.#progress = progress;
    this.#journal = journal;
    this.#results = results;
    this.#once = undefined;
  }

  run(name: string, fn: Effect, options: RunOptions): Promise<unknown> {
    const read = () => {
      checkRunOptions(options);
      return operationOf(options);
    };
    return this.#begin(options?.once === true, this.#run(name, fn, read));
  }

  perform(name: string, fn: Effect, operation: Operation): Promise<unknown> {
    return this.#begin(
      operation.class === 'once',
      this.#run(name, fn, () => operation),
    );
  }

  #begin(isOnce: boolean, begun: Promise<unknown>): Promise<unknown> {
    const running = unminded(begun);
    if (!isOnce) return running;
    this.#once ??= new Set();
    const once = this.#once;
    const over = () => void once.delete(running);
    once.add(running);
    running.then(over, over);
    return running;
  }

  /**
   * Resolves when no `once` operation is under way any more; undefined when none is. The handler has come to its end,
   * but one that it did not wait for may be half done: the node must not be over before how that ended is recorded.
   */
  settled(): Promise<void> | undefined {
    if (this.#once === undefined || this.#once.size === 0) return undefined;
    return Promise.allSettled(this.#once).then(() => this.settled());
  }

  async #run(name: string, fn: Effect, read: () => Operation): Promise<unknown> {
    const operation = read();
    const op = this.#journal.name(name);
    if (this.#link.task.kind === 'compensation') {
      if (operation.class === 'once') throw onceInCompensation(this.#link.task, op);
      return await this.#unrecorded(op, fn, operation);
    }
    const { kind } = operation;
    const digest = this.#journal.digest(kind, operation.args);
    const known = this.#journal.known(op, kind, digest);
    if (known !== undefined) return await this.#results.replayed(known);
    const behind = this.#progress.caughtUp();
    if (behind !== undefined) await behind;
    this.#results.begin();
    this.#progress.performs();
    try {
      if (needsIntent(operation)) return await this.#performIntended(op, digest, fn, operation);
      await this.#link.flushed();
      if (this.#progress.isToStop) return await this.#progress.stall();
      const result = await this.#perform(op, fn, operation);
      if (this.#progress.over) return await forever();
      return await this.#performed(op, digest, operation, result);
    } finally {
      this.#progress.performed();
    }
  }

  /** Its operations keep their key, which is the same at every attempt. */
  async #unrecorded(op: string, fn: Effect, operation: Operation): Promise<unknown> {
    const result = await this.#perform(`~${op}`, fn, operation);
    if ('error' in result) throw revivedError(result.error, stackOf(result.thrown));
    return result.value;
  }

  #perform(op: string, fn: Effect, operation: Operation): Promise<EffectResult> {
    const tools = new LazyEffectTools(this.#journal, this.#progress, op, operation.key);
    return performEffect(this.#link.clock, op, fn, operation, tools);
  }

  /** Records a result and hands it out in its turn. */
  #performed(
    op: string,
    digest: string,
    { kind }: Operation,
    result: EffectResult,
    usage?: Amounts,
  ): Promise<JsonValue> {
    const inTurn = this.#results.mustWaitForRecord ? this.#results.whenRecorded(op) : undefined;
    this.#link.report({
      type: 'record',
      op,
      kind,
      digest,
      ...factOf(result),
      ...(usage === undefined ? {} : { usage }),
    });
    return inTurn ?? this.#results.performed(op, kind, result);
  }

  // ── with an intent ─────────────────────────────────────────────────────────────────────────────────────────

  /**
   * A `once` operation that takes too long is in doubt, as after a crash. Where it may be tried again with its key, it has
   * failed like any other, and its node's policy says whether it is.
   */
  async #performIntended(op: string, digest: string, fn: Effect, operation: Operation): Promise<JsonValue> {
    while (await this.#intended(op, () => intent(op, digest, operation))) {
      if (this.#progress.isToStop) return await this.#progress.stall();
      const result = await this.#perform(op, fn, operation);
      const usage = operation.spent?.(result);
      if (result.late === undefined || operation.class !== 'once' || operation.onDoubt === 'retry') {
        if (operation.class !== 'once' && this.#progress.over) return await forever();
        return await this.#performed(op, digest, operation, result, usage);
      }
      void result.late.then(outcome => this.#cameLate(op, digest, operation, outcome));
      if (this.#progress.over) return await forever();
      this.#link.report({ type: 'doubt', op });
      await this.#link.flushed();
    }
    return await this.#results.whenRecorded(op);
  }

  /** Counts unless the operation was begun again meanwhile, or somebody has said how it ended. */
  #cameLate(op: string, digest: string, { kind }: Operation, outcome: EffectResult | undefined): void {
    const status = this.#journal.current(op)?.status;
    if (outcome === undefined || status === 'intended' || status === 'recorded') return;
    this.#link.report({ type: 'record', op, kind, digest, ...factOf(outcome) });
  }

  /** Resolves with true when the effect may happen, with false when its outcome stands or is about to. */
  async #intended(op: string, report: () => Promise<OpReport>): Promise<boolean> {
    for (;;) {
      if (this.#progress.isToStop) return await this.#progress.stall();
      const before = this.#journal.current(op);
      if (before?.status === 'doubted' || before?.status === 'held') {
        if ((await this.#outOfDoubt(op)) === 'recorded') return false;
        continue;
      }
      this.#link.report(await report());
      await this.#link.flushed();
      const record = this.#journal.current(op);
      if (record?.status === 'recorded') return false;
      if (record?.status === 'intended') return true;
      if (record === undefined) return await this.#progress.stall();
    }
  }

  /** Whether there is as much of the budgets, asked as an operation asks that is about to begin. */
  afford(name: string, wanted: Amounts, bounds: () => Promise<readonly Bound[]>): Promise<JsonValue> {
    return unminded(this.#afford(this.#journal.name(name), wanted, bounds));
  }

  // It begins as `#run` does, and shares no function with it: one turn of the promise queue more there, and another of two results
  // that come together is the first (adversarial.test.ts).
  async #afford(op: string, wanted: Amounts, bounds: () => Promise<readonly Bound[]>): Promise<JsonValue> {
    const digest = this.#journal.digest('decide', wanted);
    const known = this.#journal.known(op, 'decide', digest);
    if (known !== undefined) return await this.#results.replayed(known);
    const behind = this.#progress.caughtUp();
    if (behind !== undefined) await behind;
    this.#results.begin();
    this.#progress.performs();
    try {
      await this.#intended(op, async () => ({ type: 'afford', op, digest, wanted, bounds: await bounds() }));
      return await this.#results.whenRecorded(op);
    } finally {
      this.#progress.performed();
    }
  }

  /** Somebody is asked how the operation ended, or whether it may begin; that is a wait like any other. */
  async #outOfDoubt(op: string): Promise<'recorded' | 'retried'> {
    const settled = this.#results.outOfDoubt(op);
    this.#progress.performed();
    const outcome = await settled;
    this.#progress.performs();
    return outcome;
  }
}

async function intent(op: string, digest: string, operation: Operation): Promise<OpReport> {
  const { kind, class: effect, onDoubt, request, reserve, bounds, approval } = operation;
  const more = {
    ...(onDoubt === undefined ? {} : { onDoubt }),
    ...(request === undefined ? {} : { request }),
    ...(reserve === undefined ? {} : { reserve }),
    ...(bounds === undefined ? {} : { bounds: await bounds() }),
    ...(approval === undefined ? {} : { approval }),
  };
  return { type: 'intend', op, kind, digest, class: effect, ...more };
}

/** What is not recorded cannot be known to have been done, so nothing can be promised of it. */
function onceInCompensation({ node }: Task, op: string): SignalboxError {
  const message = `The compensation of "${node}" asks for "${op}" once, but what a compensation does is not recorded.`;
  const hint = 'Leave `once` out and give the other side the idempotency key, which is the same at every attempt.';
  return Object.assign(new SignalboxError('CompensationOnce', message, { hint }), { [PERMANENT]: true });
}
