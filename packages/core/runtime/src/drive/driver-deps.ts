import type { CommandBody, JsonValue, NodeType, Principal, Program, Run, RunEvent, Task } from '@signalbox/kernel';
import type { Clock, EventStore, IdGenerator, KeyRing } from '@signalbox/ports';
import type { AgentWorld } from '../agent/agent-node.ts';
import type { RequestCodec } from '../journal/context.ts';
import type { ExecutionHost } from '../journal/execution.ts';
import type { Handler } from '../journal/handler.ts';
import type { Performer } from '../journal/performer.ts';
import type { Recall } from '../memory/recall.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Breath } from './breath.ts';
import type { LastGood } from './last-good.ts';

/** What a check says before a node runs. `ask` opens a confirmation; only its approval lets the node go on. */
export type CheckVerdict =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'pause'; readonly reason: string }
  | { readonly verdict: 'deny'; readonly reason: string }
  | {
      readonly verdict: 'ask';
      readonly title: string;
      readonly message?: string;
      readonly assignees?: readonly string[];
    };

/**
 * A check port: the chain is asked in order before each node, whether it has a handler or the engine runs it; the first
 * that does not allow decides.
 */
export interface Check {
  readonly name: string;
  before(task: {
    readonly runId: string;
    readonly graph: string;
    readonly node: string;
    /** `step` of every node with a handler. */
    readonly type: NodeType;
    readonly visit: number;
    readonly attempt: number;
    readonly input: JsonValue;
    readonly state: JsonValue;
  }): CheckVerdict | Promise<CheckVerdict>;
}

/** What an observer is told of a commit. */
export interface Committed {
  readonly runId: string;
  readonly firstSeq: number;
  readonly events: readonly RunEvent[];
}

/** Observers of a run's life. What they throw is told to `onError` and changes nothing. */
export interface Observer {
  /**
   * Called for each commit of a run, in order, when it is durable; `run`, as its driver holds it, may be ahead of it. What is
   * sensitive is masked in both.
   */
  committed?(commit: Committed, run: Run): void;
  onError?(error: unknown, where: { readonly runId: string; readonly node?: string }): void;
  /**
   * Partial text of a model's reply, as it comes, with what is known to be sensitive masked; it is no fact, and a reply that
   * comes to nothing has none.
   */
  text?(where: { readonly runId: string; readonly node: string }, delta: string): void;
}

export interface DriverDeps {
  readonly store: EventStore;
  readonly sessions: Sessions;
  readonly recall: Recall;
  readonly lastGood: LastGood;
  readonly clock: Clock;
  /** Shared by the drivers of a process. */
  readonly breath: Breath;
  readonly ids: IdGenerator;
  readonly keys: KeyRing;
  /** This process, as `run.claimed` names it; new at every start. */
  readonly owner: string;
  readonly build: string;
  readonly crashLimit: number;
  /** Commits of a run that may be on their way to the store at once; 1 waits for each. */
  readonly runAhead: number;
  /** How long a cancelled handler may take to end by itself, ms. */
  readonly cancelGrace: number;
  readonly payloadLimit: number;
  readonly codec: RequestCodec;
  readonly checks: readonly Check[];
  readonly observer: Observer;
  readonly agents: AgentWorld;
  handler(key: string): Handler | undefined;
  program(tenant: string, version: string): Promise<Program>;
  schedule(runId: string, at: number): void;
}

/** `recordedAs`: of a run that is executed once more, how its log names what the check said. */
export type TaskCheck = Check & { readonly recordedAs?: string };

/** What of that the execution of one task needs. */
export interface TaskDeps extends Pick<DriverDeps, 'handler' | 'codec' | 'observer' | 'clock'>, ReadByOperations {
  readonly checks: readonly TaskCheck[];
  readonly spare?: Performer;
}

/** Where operations are spared there is none of them. */
type ReadByOperations = Partial<Pick<DriverDeps, 'store' | 'recall' | 'lastGood' | 'agents'>>;

/** What a task's execution may ask of the driver of its run. */
export interface TaskHost extends ExecutionHost {
  submit(body: CommandBody, actor: Principal): Promise<unknown>;
}

export const DRIVER: Principal = { kind: 'system', id: 'driver' };

export function taskKey(task: Pick<Task, 'kind' | 'token' | 'node' | 'visit' | 'attempt'>): string {
  return `${task.kind}:${task.token}/${task.node}#${task.visit}@${task.attempt}`;
}
