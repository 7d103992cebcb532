import { type JsonObject, requestIdOf } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { createSimulatedClock, type SimulatedClock } from '@signalbox/testkit';
import { createSignalbox, isSignalboxError, type Signalbox } from 'signalbox';
import { askingGraphs } from './asking-graphs.ts';
import type { Asker, Delivery, Message } from './plan.ts';

export interface StartCall {
  readonly runId: string;
  readonly asker: Asker;
  /** Until it is let go. */
  readonly held: boolean;
  readonly expires: boolean;
}

export interface DeliverCall {
  readonly request: string;
  readonly messages: readonly Message[];
  readonly deliveries: readonly Delivery[];
}

/** `accepted`, or the code of the refusal; what is no refusal is told in full. */
export type Outcome = string;

/** What the log says of a run. */
export interface RunRecord {
  readonly status: string;
  readonly opened: readonly string[];
  readonly answered: readonly JsonObject[];
  readonly expired: number;
  readonly withdrawn: number;
  /** Times that the run went on behind its question: the asking node ended, or a pass was begun anew. */
  readonly continued: number;
  readonly refused: number;
}

/** What is asked of a process. All of it is JSON. */
export interface DeskCalls {
  /** Resolves with the id that the question of the run will have. */
  start(call: StartCall): Promise<string>;
  letGo(runId: string): Promise<null>;
  /** Resolves when the run waits, or has ended. */
  rested(runId: string): Promise<null>;
  /** The outcomes, in the order of the deliveries. */
  deliver(call: DeliverCall): Promise<readonly Outcome[]>;
  cancel(runId: string): Promise<Outcome>;
  advance(ms: number): Promise<null>;
  record(runId: string): Promise<RunRecord>;
}

/** Far longer than a clock is moved on: nobody is taken for dead because one clock is moved before the other. */
const LEASE_MS = 10_000 * 86_400_000;
const ASKING: ReadonlySet<unknown> = new Set(['ask', 'askInTime']);

/** One process: a box on the store, with a clock that stands until it is moved. */
export class AnsweringDesk implements DeskCalls {
  readonly #box: Signalbox;
  readonly #clock: SimulatedClock;
  readonly #graphs: ReturnType<typeof askingGraphs>;
  readonly #gates = new Map<string, { readonly open: () => void; readonly opened: Promise<void> }>();

  constructor(store: EventStore, pay: (runId: string) => void) {
    this.#clock = createSimulatedClock();
    this.#graphs = askingGraphs({ pay, gate: runId => this.#gateOf(runId).opened });
    const graphs = Object.values(this.#graphs) as never[];
    this.#box = createSignalbox({ store, clock: this.#clock, graphs, lease: LEASE_MS });
  }

  #gateOf(runId: string) {
    let gate = this.#gates.get(runId);
    if (gate === undefined) {
      let open = () => {};
      const opened = new Promise<void>(resolve => {
        open = resolve;
      });
      gate = { open, opened };
      this.#gates.set(runId, gate);
    }
    return gate;
  }

  async ready(): Promise<void> {
    await this.#box.ready();
  }

  async start({ runId, asker, held, expires }: StartCall): Promise<string> {
    await this.#box.engine.start(this.#graphs[asker] as never, { held, expires }, { runId });
    const node = expires && asker !== 'handler' ? 'askInTime' : 'ask';
    return requestIdOf({ id: runId, generation: 0 }, { token: '', node, visit: 1 }, 'ask#1');
  }

  async letGo(runId: string): Promise<null> {
    this.#gateOf(runId).open();
    this.#gates.delete(runId);
    return null;
  }

  async rested(runId: string): Promise<null> {
    await this.#box.get(runId).settled();
    return null;
  }

  async deliver({ request, messages, deliveries }: DeliverCall): Promise<readonly Outcome[]> {
    return await Promise.all(
      deliveries.map(async ({ message, turns }) => {
        for (let turn = 0; turn < turns; turn += 1) await new Promise(resolve => setImmediate(resolve));
        return await outcomeOf(this.#box.answer(request, messages[message]!));
      }),
    );
  }

  async cancel(runId: string): Promise<Outcome> {
    return await outcomeOf(this.#box.get(runId).cancel({ reason: 'enough' }));
  }

  async advance(ms: number): Promise<null> {
    await this.#clock.advance(ms);
    return null;
  }

  async record(runId: string): Promise<RunRecord> {
    const run = this.#box.get(runId);
    const events: { readonly type: string; readonly data: JsonObject }[] = [];
    for await (const { type, data } of run.events()) events.push({ type, data });
    const ofType = (type: string) => events.filter(event => event.type === type);
    const ended = ofType('node.succeeded').filter(({ data }) => ASKING.has(data.node));
    return {
      status: (await run.view()).status,
      opened: ofType('request.opened').map(({ data }) => String(data.request)),
      answered: ofType('request.answered').map(({ data }) => data),
      expired: ofType('request.expired').length,
      withdrawn: ofType('request.withdrawn').length,
      continued: ended.length + ofType('episode.started').length,
      refused: ofType('request.refused').length,
    };
  }

  async close(): Promise<void> {
    await this.#box.close({ grace: 0 });
  }
}

async function outcomeOf(act: Promise<unknown>): Promise<Outcome> {
  try {
    await act;
    return 'accepted';
  } catch (error) {
    if (isSignalboxError(error)) return error.code;
    return error instanceof Error ? `${error.stack}` : String(error);
  }
}
