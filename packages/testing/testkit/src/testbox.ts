import {
  BOX_OPTIONS,
  type BoxOptions,
  type Graph,
  isRunnable,
  type RunHandle,
  Signalbox,
  type StartOptions,
} from '@signalbox/core';
import { createEmbeddedHost } from '@signalbox/host-embedded';
import { checkOptions, FLAG, NUMBER, OBJECT, type OptionKinds, STRING } from '@signalbox/kernel';
import type { KeyRing } from '@signalbox/ports';
import { passingKeys } from '@signalbox/runtime';
import { createMemoryData, createMemoryStore, type MemoryData } from '@signalbox/store-memory';
import { createMortalProcess, type MortalProcess } from './mortal-process.ts';
import { createSeededIds } from './seeded-ids.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';
import { checkStubs, type Stubs, stubGraph } from './stub-handlers.ts';

export interface TestboxOptions extends Partial<Omit<BoxOptions, 'store' | 'host' | 'clock'>> {
  /** Code in place of that of the nodes of these names. */
  readonly handlers?: Stubs;
  /** When it is at first: epoch ms or RFC 3339; default 2026-01-01T00:00:00Z. */
  readonly start?: number | string;
  /** Keep the log as hash-chained text, as durable stores do; default false. */
  readonly chain?: boolean;
}

const { store: _store, host: _host, clock: _clock, ...OF_BOX } = BOX_OPTIONS;

const OPTIONS: OptionKinds<TestboxOptions> = {
  ...OF_BOX,
  handlers: OBJECT,
  start: { what: 'epoch ms, or a time as RFC 3339 writes it', fits: value => STRING.fits(value) || NUMBER.fits(value) },
  chain: FLAG,
};

/** What is different in the process that takes over. What is not named stays. */
export interface RestartOptions
  extends Pick<TestboxOptions, 'graphs' | 'types' | 'handlers' | 'build' | 'checks' | 'channels'> {
  /** The process before stops in good order; by default it dies on the spot. */
  readonly clean?: boolean;
}

/** What outlives a process of a testbox. */
export interface World {
  readonly data: MemoryData;
  readonly clock: SimulatedClock;
  readonly keys: KeyRing;
  /** Processes so far, so that each has ids of its own. */
  processes: number;
}

export function createWorld(options: Pick<TestboxOptions, 'start' | 'chain'> = {}): World {
  const data = createMemoryData(options.chain === undefined ? {} : { chain: options.chain });
  return { data, clock: createSimulatedClock(options), keys: passingKeys(), processes: 0 };
}

/**
 * A box in memory whose time stands still until it is told to go on. Two boxes of one world are two processes at work on
 * the same data at the same time.
 */
export class Testbox extends Signalbox {
  readonly clock: SimulatedClock;
  /** What went wrong in the background, oldest first; what an engine would tell its log. */
  readonly errors: readonly unknown[];
  readonly #world: World;
  readonly #process: MortalProcess;
  readonly #options: TestboxOptions;

  constructor(options: TestboxOptions, world: World) {
    checkOptions('testbox', options, OPTIONS);
    const { handlers = {}, start: _, chain: __, graphs = [], types = [], ...rest } = options;
    checkStubs(graphs, handlers);
    world.processes += 1;
    const errors: unknown[] = [];
    const process = createMortalProcess(createMemoryStore({ shared: world.data }), world.clock);
    const { store, clock } = process;
    super({
      ids: createSeededIds(world.processes),
      keys: world.keys,
      ...rest,
      types,
      graphs: graphs.map(graph => stubGraph(graph, handlers, types)),
      store,
      clock,
      host: createEmbeddedHost({ clock }),
      observer: {
        ...rest.observer,
        onError(error, where) {
          errors.push(error);
          rest.observer?.onError?.(error, where);
        },
      },
    });
    this.clock = world.clock;
    this.errors = errors;
    this.#world = world;
    this.#process = process;
    this.#options = options;
  }

  override start<Input, Output>(
    graph: Graph<Input, Output> | string,
    input: Input,
    options: StartOptions = {},
  ): Promise<RunHandle<Output>> {
    const { handlers = {}, types } = this.#options;
    return super.start(
      typeof graph === 'string' || !isRunnable(graph) ? graph : stubGraph(graph, handlers, types),
      input,
      options,
    );
  }

  /** Lets time pass, `2h` or ms; see {@link SimulatedClock.advance}. */
  async advance(by: string | number): Promise<this> {
    await this.ready();
    await this.clock.advance(by);
    return this;
  }

  /** Resolves when everything that can go on without time or the outside world has done so. */
  async settle(): Promise<this> {
    await this.ready();
    await this.clock.settle();
    return this;
  }

  /**
   * Another process takes over: the one of this box dies, or stops in good order. The data and the time stay; handles of
   * this box are dead then, and the new box gives others for the same ids.
   */
  async restart(changes: RestartOptions = {}): Promise<Testbox> {
    const { clean = false, ...different } = changes;
    if (clean) await this.close();
    else {
      this.#process.kill();
      // As if so much time had passed that the dead process counts as dead.
      await createMemoryStore({ shared: this.#world.data }).lease(this.engine.owner, 0);
    }
    const next = new Testbox({ ...this.#options, ...different }, this.#world);
    return await next.settle();
  }

  /** Stops at once: time does not pass by itself, so nobody is waited for. */
  override async close(options: { readonly grace?: number } = {}): Promise<void> {
    await this.clock.settle();
    await super.close({ grace: 0, ...options });
  }
}

/** Everything a test needs: memory store, simulated clock, embedded host, ids that are the same every time. */
export function testbox(options: TestboxOptions = {}): Testbox {
  return new Testbox(options, createWorld(options));
}
