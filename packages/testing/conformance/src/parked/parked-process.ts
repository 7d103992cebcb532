import type { JsonObject } from '@signalbox/kernel';
import type { ParkedPlan } from './parked-graph.ts';

/** What a process is started for. */
export interface LaunchOptions {
  readonly plan: ParkedPlan;
  /** How far its clock is ahead of real time, ms: a process that comes later has more of it. */
  readonly ahead: number;
}

export interface OpenQuestion {
  readonly id: string;
  readonly title: string;
}

export interface AnswerGiven {
  readonly values: JsonObject;
  /** Idempotency key. */
  readonly key: string;
}

/** `accepted`, or the code of the refusal. */
export type AnswerOutcome = string;

export interface RunHistory {
  readonly status: string;
  readonly events: readonly { readonly type: string; readonly data: JsonObject }[];
  /** Questions of this run that the inbox still shows. */
  readonly open: number;
}

/** What is asked of a process. All of it is JSON, so that it may go over a wire. */
export interface ParkedCalls {
  /** Starts a run; resolves with its id. */
  start(): Promise<string>;
  /** What is open once the run has come to rest. */
  questions(runId: string): Promise<readonly OpenQuestion[]>;
  answer(requestId: string, answer: AnswerGiven): Promise<AnswerOutcome>;
  /** Once the run has come to rest. */
  history(runId: string): Promise<RunHistory>;
}

/** A process at work on the store, which can be killed. */
export interface ParkedProcess extends ParkedCalls {
  /** It dies on the spot. Resolves when it is dead; killing it again does nothing. */
  kill(): Promise<void>;
}

/** Data of one check, empty at first. */
export interface ParkedFixture {
  /** Starts a process on the data. Several may be alive at once. */
  launch(options: LaunchOptions): Promise<ParkedProcess>;
  /** The marks that effects have left, in whichever process. */
  marks(): readonly string[];
  /** Called after all processes were killed. */
  dispose?(): void | Promise<void>;
}

export type ParkedFactory = () => ParkedFixture | Promise<ParkedFixture>;
