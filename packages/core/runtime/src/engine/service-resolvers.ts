import { isSignalboxError, type Principal, type RunEvents } from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { Committed } from '../drive/driver-deps.ts';
import { type RequestView, requestView } from '../views/request-view.ts';
import { type AnswerInput, answerRun } from './answer-run.ts';
import type { Engine } from './engine.ts';

/**
 * Answers the questions that are asked of a service (`service:risk` under the name `risk`). Nothing, or an error, gives the
 * question back; so does the end of its time, at which `signal` aborts. It may be called again after a crash, never twice at once by one
 * process, and what it says is an answer like any other.
 */
export type Resolver = (
  request: RequestView,
  tools: { readonly signal: AbortSignal },
) => AnswerInput | undefined | Promise<AnswerInput | undefined>;

export type Resolvers = Readonly<Record<string, Resolver>>;

/** Refusals that say that the question is not the service's any more, which is nobody's fault. */
const OVER: ReadonlySet<string> = new Set([
  ...['AlreadyAnswered', 'RequestClosed', 'RequestExpired', 'UnknownRequest'],
  ...['NotAssigned', 'NotClaimed', 'AlreadyClaimed'],
]);

type Claimed = RunEvents['request.claimed'];

/** Asks services whose turn it is, in the process that drives the run. What becomes of a silent one the kernel says: its claim has an end. */
export class ServiceResolvers {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #resolvers: Resolvers;
  readonly #tell: (error: unknown, runId: string) => void;
  readonly #asked = new Set<AbortController>();
  /** What is under way, by run. */
  readonly #underWay = new Map<string, Set<Promise<void>>>();

  constructor(engine: Engine, clock: Clock, resolvers: Resolvers, tell: (error: unknown, runId: string) => void) {
    this.#engine = engine;
    this.#clock = clock;
    this.#resolvers = resolvers;
    this.#tell = tell;
  }

  /** A service's turn begins with a claim in its name. */
  committed({ runId, events }: Committed): void {
    for (const { type, data } of events) {
      if (type !== 'request.claimed' || data.by.kind !== 'service' || data.until === undefined) continue;
      const resolver = Object.hasOwn(this.#resolvers, data.by.id) ? this.#resolvers[data.by.id] : undefined;
      if (resolver !== undefined) this.#begin(runId, data, resolver);
    }
  }

  #begin(runId: string, data: Claimed, resolver: Resolver): void {
    const underWay = this.#underWay.get(runId) ?? new Set();
    this.#underWay.set(runId, underWay);
    const asking = this.#ask(runId, data, resolver).catch(error => this.#tell(error, runId));
    underWay.add(asking);
    void asking.then(() => {
      underWay.delete(asking);
      if (underWay.size === 0) this.#underWay.delete(runId);
    });
  }

  /** Resolves when what is asked of services about that run by now has come to something; undefined when nothing is. */
  answered(runId: string): Promise<unknown> | undefined {
    const underWay = this.#underWay.get(runId);
    return underWay && Promise.all(underWay);
  }

  stop(): void {
    for (const asked of this.#asked) asked.abort();
  }

  async #ask(runId: string, { request: id, by, until }: Claimed, resolver: Resolver): Promise<void> {
    const { run, program } = await this.#engine.load(runId);
    const request = run.requests.get(id);
    if (request === undefined) return;
    const abort = new AbortController();
    this.#asked.add(abort);
    const stop = this.#clock.at(until!, () => abort.abort());
    try {
      await this.#say(runId, id, by, () => resolver(requestView(run, request, program), { signal: abort.signal }));
    } catch (error) {
      if (!(isSignalboxError(error) && OVER.has(error.code))) throw error;
    } finally {
      stop();
      this.#asked.delete(abort);
    }
  }

  async #say(runId: string, request: string, by: Principal, resolve: () => ReturnType<Resolver>): Promise<void> {
    let reason = 'no answer';
    try {
      const answer = await resolve();
      if (answer !== undefined) return await answerRun(this.#engine, runId, { ...answer, request }, by);
    } catch (error) {
      if (isSignalboxError(error) && OVER.has(error.code)) return;
      this.#tell(error, runId);
      reason = error instanceof Error ? error.message : String(error);
    }
    await this.#engine.command(runId, { type: 'releaseRequest', request, reason }, by);
  }
}
