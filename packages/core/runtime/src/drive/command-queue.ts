import type { CommandBody, Decision, Principal, Run } from '@signalbox/kernel';
import { type CommitBatch, isStoreConflict } from '@signalbox/ports';
import type { TaskExecution } from '../journal/execution.ts';
import type { SessionEvent } from '../session/session-event.ts';

/** What goes with a command into its commit. */
export interface CommandExtras {
  readonly commandId?: { readonly id: string; readonly outcome: (decision: Decision, run: Run) => string };
  /** Claimed when the command is accepted. */
  readonly startKey?: CommitBatch['startKey'];
  readonly documents?: CommitBatch['documents'];
  readonly erasures?: CommitBatch['erasures'];
  /** What else goes into the stream of the run's session. */
  readonly session?: readonly SessionEvent[];
}

export interface Queued {
  /** Replaced when it cannot be decided: see `failureInstead`. */
  body: CommandBody;
  readonly actor: Principal;
  readonly extras: CommandExtras;
  readonly outside: boolean;
  /** Of a report: the execution it came from. */
  readonly execution?: TaskExecution;
  /** It comes to nothing. */
  readonly isVoid?: true;
  readonly resolve: (decision: Decision) => void;
  readonly reject: (error: unknown) => void;
}

type Report = Extract<CommandBody, { type: 'report' }>;

/** What a driver has yet to decide and commit, in order, and who waits until all before is durable. */
export class CommandQueue {
  readonly #items: Queued[] = [];
  readonly #waiters: { readonly seq: number; readonly resolve: () => void }[] = [];
  #queued = 0;
  #durable = 0;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  push(queued: Queued): void {
    this.#items.push(queued);
    this.#queued += 1;
  }

  holds(execution: TaskExecution): boolean {
    return this.#items.some(queued => queued.execution === execution);
  }

  /** The report of that execution to which more can be added, if it is the last thing here. */
  openReport(execution: TaskExecution): Report | undefined {
    const last = this.#items.at(-1);
    if (last?.execution !== execution || last.body.type !== 'report') return undefined;
    return last.body.end === undefined ? last.body : undefined;
  }

  /** An outside command has a commit of its own, with its own actor; what the driver itself queued goes together. */
  takeBatch(): Queued[] {
    if (this.#items[0]!.outside) return [this.#items.shift()!];
    const end = this.#items.findIndex(queued => queued.outside);
    return this.#items.splice(0, end === -1 ? this.#items.length : end);
  }

  /** To be decided again, before anything else. */
  putBack(batch: readonly Queued[]): void {
    this.#items.unshift(...batch);
  }

  /** So many were dealt with; who waited for them is told by `flush` alone. */
  dealtWith(count: number): void {
    this.#durable += count;
  }

  flush(): void {
    while (this.#waiters[0] !== undefined && this.#waiters[0].seq <= this.#durable) this.#waiters.shift()!.resolve();
  }

  /** Resolves when all that is queued now is durable; undefined when it is. */
  flushed(): Promise<void> | undefined {
    if (this.#durable >= this.#queued) return undefined;
    return new Promise(resolve => this.#waiters.push({ seq: this.#queued, resolve }));
  }

  /** Whoever waits waits for ever: their code is dropped, and must not go on to its effects. */
  forgetWaiters(): void {
    this.#waiters.length = 0;
  }

  rejectAll(error: unknown): void {
    for (const queued of this.#items.splice(0)) queued.reject(error);
  }
}

/** The command's own id or key is there already: it was carried out by somebody else, and trying again cannot help. */
export function takenMeanwhile({ body, extras: { commandId, startKey } }: Queued, error: unknown): boolean {
  if (body.type === 'start' || !isStoreConflict(error)) return false;
  const { details } = error;
  return (
    (commandId !== undefined && details.commandId === commandId.id) ||
    (startKey !== undefined && details.startKey === startKey.key && details.tenant === startKey.tenant)
  );
}

/** It was carried out elsewhere: it only keeps its place, for those who wait until all up to it is durable. */
export function voided(queued: Queued): Queued {
  return { ...queued, extras: {}, isVoid: true };
}
