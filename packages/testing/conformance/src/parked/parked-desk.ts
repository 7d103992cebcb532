import { Signalbox } from '@signalbox/core';
import { createEmbeddedHost, createIdGenerator, createSystemClock } from '@signalbox/host-embedded';
import { isSignalboxError } from '@signalbox/kernel';
import type { Clock, EventStore } from '@signalbox/ports';
import { parkedGraph } from './parked-graph.ts';
import type {
  AnswerGiven,
  AnswerOutcome,
  LaunchOptions,
  OpenQuestion,
  ParkedCalls,
  RunHistory,
} from './parked-process.ts';

/** The work of a process: a box with the graph of its plan. */
export class ParkedDesk implements ParkedCalls {
  readonly #box: Signalbox;
  readonly #graph: ReturnType<typeof parkedGraph>;

  constructor(store: EventStore, clock: Clock, plan: LaunchOptions['plan'], mark: (line: string) => void) {
    this.#graph = parkedGraph(plan, mark);
    this.#box = new Signalbox({
      store,
      clock,
      ids: createIdGenerator(),
      host: createEmbeddedHost({ clock }),
      graphs: [this.#graph],
    });
  }

  async ready(): Promise<void> {
    await this.#box.ready();
  }

  async start(): Promise<string> {
    return (await this.#box.start(this.#graph.name, {})).id;
  }

  async questions(runId: string): Promise<readonly OpenQuestion[]> {
    const { requests } = await this.#box.get(runId).settled();
    return requests.map(({ id, title }) => ({ id, title }));
  }

  async answer(requestId: string, answer: AnswerGiven): Promise<AnswerOutcome> {
    try {
      await this.#box.answer(requestId, { ...answer, as: 'user:finn' });
      return 'accepted';
    } catch (error) {
      if (isSignalboxError(error)) return error.code;
      throw error;
    }
  }

  async history(runId: string): Promise<RunHistory> {
    const run = this.#box.get(runId);
    const { status } = await run.settled();
    const events = [];
    for await (const { type, data } of run.events()) events.push({ type, data });
    const { rows } = await this.#box.inbox({ runId });
    return { status, events, open: rows.length };
  }
}

/** Real time, so much later. */
export function clockAhead(by: number): Clock {
  const real = createSystemClock();
  return { ...real, now: () => real.now() + by, at: (at, fn) => real.at(at - by, fn) };
}
