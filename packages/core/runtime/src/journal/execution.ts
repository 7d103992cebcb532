import {
  type Amounts,
  type Bound,
  type FirstMember,
  isJsonObject,
  type JsonValue,
  jsonEqual,
  type OpReport,
  type RequestDefinition,
  type Run,
  type SessionWrites,
  type Task,
  type TaskEnd,
  type Token,
  toDecision,
  type UndoableCall,
  type Update,
  type Validator,
  type WakeTime,
} from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { Secrets } from '../sensitive/secrets.ts';
import { withWrites } from '../session/session-writes.ts';
import { AwaitedRecords } from './awaited-records.ts';
import { Delivery } from './delivery.ts';
import type { DriverLink } from './driver-link.ts';
import type { EffectTools } from './effect-tools.ts';
import { Effects } from './effects.ts';
import { frozen, recorded } from './freeze.ts';
import { earlierJournal, inGroup, OpJournal, recordedOrder } from './op-journal.ts';
import type { Operation } from './operation.ts';
import type { Effect } from './perform-effect.ts';
import { forever, Progress } from './progress.ts';
import { Results } from './results.ts';
import type { RunOptions } from './run-options.ts';
import { requireThat } from './shape.ts';
import { tokenOf } from './task-token.ts';
import { type AskMore, Waits } from './waits.ts';

type JudgeReport = Omit<Extract<OpReport, { type: 'judge' }>, 'type' | 'op'>;

/** What an execution needs of the driver of its run: see `DriverLink`, through which its parts see it. */
export interface ExecutionHost {
  report(execution: TaskExecution, op: OpReport): void;
  finish(execution: TaskExecution, end: TaskEnd): void;
  /** What is known to be sensitive in this run. Another one after the run was loaded anew. */
  readonly secrets: Secrets;
  flushed(): Promise<void>;
  readonly clock: Clock;
  current(): Run;
}

/**
 * One execution of a handler, from its first line (design 4.5): what its code asks for, and what it comes to.
 *  1. A recorded operation is never performed again: its result is delivered in recorded order (`Results`).
 *  2. A `once` operation is performed only after its intent is durable; any effect only after all earlier facts are
 *     (`Effects`).
 *  3. Waiting is a promise that does not settle (`Waits`); when nothing but waits is left, the execution ends as
 *     suspended (`Progress`).
 *  4. A recorded operation that is not asked for again, or asked with other arguments, is a mismatch, not a failure
 *     (`OpJournal`, `Progress`).
 *  5. An execution that is over reports nothing but how a `once` operation ended.
 */
export class TaskExecution implements DriverLink {
  readonly task: Task;
  readonly token: Token;
  readonly #host: ExecutionHost;
  readonly #progress: Progress;
  readonly #journal: OpJournal;
  readonly #results: Results;
  /** Made when it is asked for: most handlers wait for nothing, and many do nothing outside. */
  #ownWaits: Waits | undefined;
  #ownEffects: Effects | undefined;
  readonly #updates: Update[] = [];
  #told: SessionWrites | undefined;
  #undo: UndoableCall[] | undefined;

  constructor(host: ExecutionHost, task: Task, run: Run) {
    this.#host = host;
    this.task = task;
    this.token = tokenOf(run, task);
    const { clock } = host;
    const earlier = earlierJournal(task);
    const awaited = new AwaitedRecords();
    const delivery = new Delivery(recordedOrder(earlier), fn => clock.soon(fn));
    const progress = new Progress(this, delivery, awaited);
    const journal = new OpJournal(this, progress, earlier);
    const results = new Results(journal, progress, delivery, awaited, task.execution?.startedAt ?? run.at);
    this.#progress = progress;
    this.#journal = journal;
    this.#results = results;
  }

  get #waits(): Waits {
    this.#ownWaits ??= new Waits(this, this.#progress, this.#journal, this.#results);
    return this.#ownWaits;
  }

  get #effects(): Effects {
    this.#ownEffects ??= new Effects(this, this.#progress, this.#journal, this.#results);
    return this.#ownEffects;
  }

  // ── what the code asks for ─────────────────────────────────────────────────────────────────────────────────

  run<Result>(
    name: string,
    fn: (tools: EffectTools) => Result | Promise<Result>,
    options: RunOptions = {},
  ): Promise<Result> {
    return this.#effects.run(name, fn, options) as Promise<Result>;
  }

  perform(name: string, fn: Effect, operation: Operation): Promise<JsonValue> {
    return this.#effects.perform(name, fn, operation) as Promise<JsonValue>;
  }

  ask(name: string, request: RequestDefinition, more?: AskMore): Promise<JsonValue> {
    return this.#waits.ask(name, request, more);
  }

  /** What the last operation that was asked for under that name is called in the journal. */
  lastNamed(name: string): string {
    return this.#journal.lastNamed(name);
  }

  /** A budget kept the operation from beginning. */
  isRefused(op: string): boolean {
    return this.#journal.current(op)?.refused === true;
  }

  /** The attempt that came to what the journal holds of it, which an attempt after may have taken over. */
  attemptOf(op: string): number {
    return (this.#journal.current(op) ?? this.#journal.earlier(op))?.attempt ?? 1;
  }

  /** Of the arguments with which it was begun. */
  digestOf(op: string): string {
    return this.#journal.current(op)?.digest ?? '';
  }

  /** Its result was not come to now: it stood before. */
  isTakenOver(op: string): boolean {
    return this.#journal.isTakenOver(op);
  }

  sleep(name: string, until: WakeTime): Promise<void> {
    return this.#waits.sleep(name, until);
  }

  signal(name: string, schema?: Validator): Promise<JsonValue> {
    return this.#waits.signal(name, schema);
  }

  /** `schemas`: those of signals, by the name of the member. */
  first(of: Readonly<Record<string, FirstMember>>, schemas?: ReadonlyMap<string, Validator>): Promise<JsonValue> {
    return this.#waits.first(of, schemas);
  }

  refresh(): Promise<JsonValue> {
    return this.#waits.refresh();
  }

  /** What an earlier execution decided or asked under that name; undefined when it did neither. */
  resumed(name: string): Promise<JsonValue> | undefined {
    return this.#waits.resumed(name);
  }

  group<Result>(name: string, fn: () => Promise<Result>): Promise<Result> {
    return inGroup(name, fn);
  }

  update(changes: unknown): void {
    if (this.over) return;
    const update = recorded(changes, 'The update');
    requireThat(isJsonObject(update), 'An update is no object of state keys.');
    this.#updates.push(update);
  }

  /** Something for the session of the run. */
  tell(writes: SessionWrites): void {
    if (!this.over) this.#told = withWrites(this.#told, writes);
  }

  /** It succeeded, and is to be undone with the visit. */
  undoable(call: UndoableCall): void {
    this.#undo ??= [];
    this.#undo.push(call);
  }

  /**
   * `name`: what it is called in the journal, if that is not its point. `answered`: the question whose latest answer it is;
   * then it is the decision of whoever answered.
   */
  decide(point: string, decision: unknown, name = point, answered?: string): void {
    if (this.task.kind === 'compensation' || this.over) return;
    const op = this.#journal.name(name);
    if (this.#journal.current(op)?.status === 'recorded') return this.#results.passed(op);
    const given = recorded(decision, `The decision "${point}"`);
    const by = { decidedBy: `node:${this.task.node}` };
    const data = toDecision(isJsonObject(given) ? { ...by, ...given, point } : given);
    const before = this.#journal.earlier(op);
    if (before?.kind === 'decide' && jsonEqual(before.value ?? null, data.chosen)) return;
    const answer = answered === undefined ? {} : { answer: this.#journal.lastNamed(answered) };
    this.report({ type: 'decide', op, decision: data, ...answer });
  }

  /**
   * What the gate said of a call: asked once, and the same at every execution. `make` is given its name in the journal. What an
   * attempt before was told there may be of another call: it stands again only where `isSame` says that it is of this one.
   */
  async judge(
    name: string,
    make: (op: string) => Promise<JudgeReport>,
    isSame: (before: JsonValue) => boolean,
  ): Promise<JsonValue> {
    const op = this.#journal.name(name);
    const before = this.#journal.current(op) ?? this.#journal.earlier(op);
    const known = before?.adopted === undefined || isSame(before.value ?? null) ? before : undefined;
    if (known?.status === 'recorded' && known.kind === 'decide') {
      this.#results.passed(op);
      return known.value ?? null;
    }
    this.#progress.performs();
    try {
      const report = await make(op);
      if (this.over) return await forever();
      this.report({ type: 'judge', op, ...report });
      const { tool, version, call, contract, stages, ...judged } = report;
      return frozen(judged as unknown as JsonValue);
    } finally {
      this.#progress.performed();
    }
  }

  /** Waits while somebody is asked for more of a budget than there is; rejects where there is no more. Reserves nothing. */
  afford(name: string, wanted: Amounts, bounds: () => Promise<readonly Bound[]>): Promise<JsonValue> {
    return this.#effects.afford(name, wanted, bounds);
  }

  /** Which tools there are as of now, told where `isNews`. */
  toolsChanged(contract: string, tools: { readonly on: readonly string[]; readonly off: readonly string[] }): void {
    const op = this.#journal.name('tools');
    if (this.#journal.current(op)?.status === 'recorded') return this.#results.passed(op);
    this.report({ type: 'tools', op, contract, ...tools });
  }

  /** When the node started, or when the last thing it waited for came. */
  now(): number {
    return this.#results.now;
  }

  /** The n-th value derived from the journal key: the same at every execution. */
  derived(kind: string): string {
    return this.#journal.derived(kind);
  }

  // ── what it has come to ────────────────────────────────────────────────────────────────────────────────────

  get abort(): AbortController {
    return this.#progress.abort;
  }

  get over(): boolean {
    return this.#progress.over;
  }

  /** Over, and its driver knows how. */
  get isConcluded(): boolean {
    return this.#progress.isConcluded;
  }

  get updates(): readonly Update[] {
    return this.#updates;
  }

  get told(): SessionWrites | undefined {
    return this.#told;
  }

  get undo(): readonly UndoableCall[] | undefined {
    return this.#undo;
  }

  /** Nothing of the handler's own was recorded so far; names that begin with `prefix` are not its own. */
  isFresh(prefix: string): boolean {
    return this.#journal.isFresh(prefix);
  }

  /** The checks have let it pass: from here on, what it asks for is the handler's own. */
  passed(): void {
    this.#journal.passed();
  }

  /** Called after every commit: what was waited for may have come. */
  committed(): void {
    this.#results.committed();
  }

  /** Resolves when no `once` operation is under way any more; undefined when none is. */
  settled(): Promise<void> | undefined {
    return this.#ownEffects?.settled();
  }

  end(end: TaskEnd): void {
    this.#progress.end(end);
  }

  /** Ends it, with how it ended yet to be told by `conclude`; false where there is nothing to tell. */
  close(end: TaskEnd): boolean {
    return this.#progress.close(end);
  }

  conclude(end: TaskEnd): void {
    this.#progress.conclude(end);
  }

  hold(): Promise<never> {
    return this.#progress.hold();
  }

  drop(reason: string): void {
    this.#progress.drop(reason);
  }

  // ── the link to its driver ─────────────────────────────────────────────────────────────────────────────────

  get clock(): Clock {
    return this.#host.clock;
  }

  report(op: OpReport): void {
    this.#host.report(this, op);
  }

  finish(end: TaskEnd): void {
    this.#host.finish(this, end);
  }

  get secrets(): Secrets {
    return this.#host.secrets;
  }

  /** What of `value` is not in `shown` (default: all of it) is sensitive, wherever it turns up in this run. */
  conceal(value: JsonValue, shown?: JsonValue): void {
    this.secrets.learn(value, shown);
  }

  flushed(): Promise<void> {
    return this.#host.flushed();
  }

  current(): Run {
    return this.#host.current();
  }
}
