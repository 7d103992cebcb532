import type { OpReport, Run, Task, TaskEnd } from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { Secrets } from '../sensitive/secrets.ts';

/** What the parts of an execution need of the driver of its run: to tell it something, and to know how the run stands. */
export interface DriverLink {
  readonly task: Task;
  readonly clock: Clock;
  /** What is known to be sensitive in the run. */
  readonly secrets: Secrets;
  /** Queues a fact; it is committed together with whatever else is queued. */
  report(op: OpReport): void;
  /** Queues the end of the task. */
  finish(end: TaskEnd): void;
  /** Resolves when everything queued so far is durable. Rejects when the driver has lost the run. */
  flushed(): Promise<void>;
  /** The run as it stands, committed facts and queued ones decided so far. */
  current(): Run;
}
