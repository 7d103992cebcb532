import { AsyncLocalStorage } from 'node:async_hooks';
import { CHECK_PREFIX, globalKey, type Journal, type OpKind, type OpRecord, type Task } from '@signalbox/kernel';
import { sha256 } from '../log/commit-codec.ts';
import { isErased } from '../log/payloads.ts';
import type { DriverLink } from './driver-link.ts';
import { recorded } from './freeze.ts';
import type { Progress } from './progress.ts';
import { requireThat, textOf } from './shape.ts';
import { unminded } from './unminded.ts';

const groups = new AsyncLocalStorage<string>();

/** The operations that `fn` asks for are named within the group. */
export function inGroup<Result>(name: string, fn: () => Promise<Result>): Promise<Result> {
  const full = `${groups.getStore() ?? ''}${textOf(name, 'The name of a group')}/`;
  return unminded(groups.run(full, async () => await fn()));
}

/**
 * What the journal calls the operations of an execution, and what it holds of them.
 *  1. The n-th operation of a name has the same key at every execution; a fallback's and a check's are names of their own.
 *  2. `earlier` and `known` tell what stood when this execution began, `current` what stands by now.
 *  3. A recorded operation that is asked for as another kind or with other arguments is a mismatch.
 *  4. What was taken over from before is used where it fits, and otherwise as if it were not there.
 */
export class OpJournal {
  readonly #link: DriverLink;
  readonly #progress: Progress;
  readonly #journal: Journal;
  /** A fallback stands in within the same visit, so its operations have names of their own. */
  readonly #prefix: string;
  /** How often each name was used so far; most handlers name nothing. */
  #counts: Map<string, number> | undefined;
  /** Operations whose results were taken over from before. */
  #takenOver: Set<string> | undefined;
  #derived = 0;
  #isPassed = false;

  constructor(link: DriverLink, progress: Progress, journal: Journal) {
    this.#link = link;
    this.#progress = progress;
    this.#journal = journal;
    const fallback = link.task.execution?.fallback;
    this.#prefix = fallback === undefined ? '' : `${fallback.node}/`;
  }

  // ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** The checks have let it pass: from here on, names are the handler's own, and none of them is a check's. */
  passed(): void {
    this.#isPassed = true;
  }

  /** Names an operation: the n-th of its name within its group. */
  name(name: string): string {
    const own = `${groups.getStore() ?? ''}${textOf(name, 'The name of an operation')}`;
    const isReserved = this.#isPassed && own.startsWith(CHECK_PREFIX);
    requireThat(!isReserved, `Names that begin with "${CHECK_PREFIX}" are those of checks.`);
    const full = `${this.#prefix}${own}`;
    this.#counts ??= new Map();
    const count = (this.#counts.get(full) ?? 0) + 1;
    this.#counts.set(full, count);
    return `${full}#${count}`;
  }

  /** What the last operation of that name is called. */
  lastNamed(name: string): string {
    const full = `${this.#prefix}${groups.getStore() ?? ''}${name}`;
    return `${full}#${this.#counts?.get(full) ?? 0}`;
  }

  digest(kind: OpKind, args: unknown): string {
    if (args === undefined || args === null) return '';
    const given = recorded(args, 'The arguments');
    const digest = sha256(`${kind}:${JSON.stringify(given)}`).slice(0, 16);
    this.#link.secrets.learnDigestOf(given, digest);
    return digest;
  }

  idempotencyKey(op: string): string {
    return sha256(globalKey(this.#link.current(), this.#link.task, op));
  }

  /** The n-th value derived from the journal key: the same at every execution. */
  derived(kind: string): string {
    this.#derived += 1;
    return sha256(`${globalKey(this.#link.current(), this.#link.task, `${kind}#${this.#derived}`)}`);
  }

  // ── records ────────────────────────────────────────────────────────────────────────────────────────────────

  /** What was there of the operation when this execution began, whatever it was. */
  earlier(op: string): OpRecord | undefined {
    return this.#journal.get(op);
  }

  /** What was there of the first operation of that name. */
  earlierNamed(name: string): OpRecord | undefined {
    return this.#journal.get(`${this.#prefix}${name}#1`);
  }

  /** Nothing of the handler's own was recorded so far; names that begin with `prefix` are not its own. */
  isFresh(prefix: string): boolean {
    for (const op of this.#journal.keys()) if (!op.startsWith(`${this.#prefix}${prefix}`)) return false;
    return true;
  }

  /** The record of an earlier execution; one that does not fit is a mismatch, or passed over when it was only taken over. */
  known(op: string, kind: OpKind, digest: string): OpRecord | undefined {
    const record = this.#journal.get(op);
    if (record === undefined) return undefined;
    // Of arguments that were erased nobody can tell whether they are the same.
    const isSame = record.digest === digest || kind === 'refresh' || isErased(record.digest);
    const fits = record.kind === kind && isSame;
    if (record.adopted !== undefined) return fits ? this.#takeOver(record) : undefined;
    if (!fits)
      this.#progress.mismatch(
        `It recorded ${describe(record.kind, record.op, record.digest)} and now asks for ${describe(kind, op, digest)}.`,
      );
    return record.status === 'recorded' || !fits ? record : undefined;
  }

  #takeOver(record: OpRecord): OpRecord {
    this.#takenOver ??= new Set();
    this.#takenOver.add(record.op);
    return record;
  }

  /** It was not performed in this visit: its result stood before. */
  isTakenOver(op: string): boolean {
    return this.#takenOver?.has(op) === true;
  }

  /** How an operation stands now; what was only taken over from before does not count. */
  current(op: string): OpRecord | undefined {
    const { token, node, visit } = this.#link.task;
    const at = this.#link.current().tokens.get(token)?.at;
    if (at?.kind !== 'node' || at.node !== node || at.visit !== visit) return undefined;
    const record = at.journal.get(op);
    return record?.adopted === undefined ? record : undefined;
  }
}

/** Most executions find nothing. */
const NOTHING: Journal = new Map();

/**
 * The journal as an execution of the task finds it: what is recorded from then on comes by way of the driver. A fallback does
 * not find what the handler that it stands in for has left.
 */
export function earlierJournal({ execution }: Task): Journal {
  if (execution === undefined || execution.journal.size === 0) return NOTHING;
  const journal = new Map(execution.journal);
  if (execution.fallback === undefined) return journal;
  for (const [op, { left }] of execution.journal) if (left) journal.delete(op);
  return journal;
}

/** The operations whose results an execution is to ask for, in the order in which they are handed out. */
export function recordedOrder(journal: Journal): string[] {
  return [...journal.values()]
    .filter(record => record.status === 'recorded' && record.adopted === undefined)
    .sort((a, b) => a.order - b.order)
    .map(record => record.op);
}

function describe(kind: OpKind, op: string, digest: string): string {
  return `${kind} "${op}"${digest === '' ? '' : ` (arguments ${digest})`}`;
}
