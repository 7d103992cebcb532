import {
  afterWrites,
  type CompiledContract,
  type CompiledStateKey,
  type GateFacts,
  graphInput,
  type JsonObject,
  type JsonValue,
  NO_CALLS,
  type Run,
  type StateView,
  type ToolHistory,
  type ToolTally,
  visibleAnswers,
  withEnd,
} from '@signalbox/kernel';
import type { TaskExecution } from '../journal/execution.ts';
import { frozenView } from '../journal/freeze.ts';

/**
 * What the gate may read in one visit of a node: the run as it was when the node began, and what this visit has seen
 * since, in the order in which its own code saw it. So a handler that is executed again finds the same facts.
 */
export class VisitFacts {
  readonly #execution: TaskExecution;
  readonly #run: Run;
  readonly #contract: CompiledContract;
  readonly #own = new Map<string, ToolTally>();
  /** Calls that were let through, or wait for an approval, and have not ended. */
  readonly #underWay = new Map<string, number>();
  readonly #keys: ReadonlyMap<string, CompiledStateKey>;
  /** What its tools wrote, in order: it is in the state when the node has succeeded. */
  readonly #writes: JsonObject[] = [];
  #view: StateView;
  #state: JsonObject | undefined;
  #changes = 0;

  /** `keys`: of the graph that the node is in; `view`: the state as the node finds it. */
  constructor(
    execution: TaskExecution,
    run: Run,
    contract: CompiledContract,
    { keys, view }: { readonly keys: ReadonlyMap<string, CompiledStateKey>; readonly view: StateView },
  ) {
    this.#execution = execution;
    this.#run = run;
    this.#contract = contract;
    this.#keys = keys;
    this.#view = view;
  }

  get state(): JsonObject {
    this.#state ??= frozenView(this.#view);
    return this.#state;
  }

  wrote(writes: JsonObject): void {
    this.#writes.push(writes);
    this.#see(afterWrites(this.#keys, this.#view, writes));
  }

  /** The state was read anew: what the visit wrote stands on it. */
  read(state: JsonObject): void {
    let view: StateView = state;
    for (const writes of this.#writes) view = afterWrites(this.#keys, view, writes);
    this.#see(view);
  }

  #see(view: StateView): void {
    this.#view = view;
    this.#state = undefined;
    this.#changes += 1;
  }

  /** How often state or history have changed in this visit. */
  get changes(): number {
    return this.#changes;
  }

  /** A call that is not refused counts from here on, so that calls side by side keep a limit together. */
  begun(tool: string): void {
    this.#count(tool, 1);
    this.#changes += 1;
  }

  ended(tool: string, failed: boolean): void {
    this.#count(tool, -1);
    this.#own.set(tool, withEnd(this.#own.get(tool) ?? NO_CALLS, failed));
    this.#changes += 1;
  }

  /** Before it had begun. */
  refused(tool: string): void {
    const before = this.#own.get(tool) ?? NO_CALLS;
    this.#own.set(tool, { ...before, refused: before.refused + 1 });
    this.#changes += 1;
  }

  /** It had begun, and comes to nothing: nobody lets it through. Whether it counts as refused is for the caller to say. */
  dropped(tool: string): void {
    this.#count(tool, -1);
    this.#changes += 1;
  }

  /** What `read` gives where one call of the tool that is under way is not counted: a call is not held by itself. */
  without<Result>(tool: string, read: () => Result): Result {
    this.#count(tool, -1);
    try {
      return read();
    } finally {
      this.#count(tool, 1);
    }
  }

  #count(tool: string, more: 1 | -1): void {
    this.#underWay.set(tool, (this.#underWay.get(tool) ?? 0) + more);
  }

  get now(): GateFacts {
    const { token, task } = this.#execution;
    const { id, requestId, session } = this.#run;
    const episode = task.execution?.episode ?? 0;
    const view = task.execution?.session;
    return {
      state: this.state,
      session: { id: session ?? null, state: view?.state ?? {}, metadata: view?.metadata ?? {} },
      input: graphInput(this.#run, token),
      answers: visibleAnswers(this.#run, token) as unknown as JsonValue,
      run: { id, requestId, session: session ?? null, step: token.steps, episode },
      now: this.#execution.now(),
      tools: Object.fromEntries([...this.#contract.tools.keys()].map(name => [name, this.#history(name)])),
    };
  }

  #history(tool: string): ToolHistory {
    const before = this.#execution.task.execution?.tools?.get(tool) ?? NO_CALLS;
    const own = this.#own.get(tool) ?? NO_CALLS;
    const callsInNode = own.calls + (this.#underWay.get(tool) ?? 0);
    return {
      calls: before.calls + callsInNode,
      callsInNode,
      succeeded: before.succeeded + own.succeeded,
      failed: before.failed + own.failed,
      failedInARow: own.succeeded > 0 ? own.failedInARow : before.failedInARow + own.failedInARow,
      refused: before.refused + own.refused,
    };
  }
}
