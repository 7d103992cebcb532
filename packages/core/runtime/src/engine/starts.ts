import {
  assertJsonValue,
  type CommandBody,
  digestOf,
  type JsonValue,
  type Principal,
  type Program,
  SignalboxError,
} from '@signalbox/kernel';
import { type Clock, type EventStore, type Host, type IdGenerator, isStoreConflict } from '@signalbox/ports';
import type { CommandExtras } from '../drive/command-queue.ts';
import type { RunDriver } from '../drive/run-driver.ts';
import type { Background } from './background.ts';
import type { Drivers } from './drivers.ts';
import type { GraphRegistry, RegisteredGraph } from './graph-registry.ts';
import type { Sweeps } from './sweeps.ts';

export interface StartOptions {
  readonly key?: string;
  readonly session?: string;
  readonly requestId?: string;
  readonly label?: string;
  readonly decisions?: 'on' | 'off' | 'unattended';
  readonly tenant?: string;
  readonly as?: Principal;
  readonly runId?: string;
}

/** What starts need of the engine. */
export interface StartsDeps {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly host: Host;
  readonly graphs: GraphRegistry;
  readonly drivers: Drivers;
  readonly sweeps: Sweeps;
  readonly background: Background;
}

/** A start whose options are filled in. `digest`: of graph and input; empty where there is no key. */
type Filled = StartOptions & { readonly runId: string; readonly tenant: string; readonly digest: string };

/**
 * Starts of runs.
 *  1. The same key, graph and input give the same run; a key that stands for others is a conflict. Whether it is free the
 *     store decides, in the commit that starts the run.
 *  2. A run starts claimed by this process, and its driver is known here before the start is durable.
 *  3. No run is started before this process gives signs of life: others would take it for left behind.
 *  4. The definition of its graph version is stored with the first run of it.
 */
export class Starts {
  readonly #deps: StartsDeps;

  constructor(deps: StartsDeps) {
    this.#deps = deps;
  }

  /** Resolves with the id of the run when `run.started` is durable. */
  async start(
    graph: Pick<RegisteredGraph, 'name' | 'program'>,
    input: JsonValue,
    options: StartOptions,
  ): Promise<string> {
    await this.#deps.sweeps.ready();
    const { key, tenant = 'default' } = options;
    // Of use with a key alone, and costly for a large input.
    const digest = key === undefined ? '' : digestOf({ graph: graph.name, input });
    if (key !== undefined) {
      const existing = await this.#startedBefore(tenant, key, digest);
      if (existing !== undefined) return existing;
    }
    const runId = options.runId ?? `run_${this.#deps.ids.uuid()}`;
    try {
      await this.#startNew(graph.program, input, { ...options, runId, tenant, digest });
      return runId;
    } catch (error) {
      const existing =
        key !== undefined && isStoreConflict(error) ? await this.#startedBefore(tenant, key, digest) : undefined;
      if (existing === undefined) throw error;
      return existing;
    }
  }

  async #startedBefore(tenant: string, key: string, digest: string): Promise<string | undefined> {
    const known = await this.#deps.store.startKey(tenant, key);
    if (known === undefined || known.digest === digest) return known?.runId;
    throw new SignalboxError('StartKeyConflict', `Start key "${key}" was used for another graph or input.`, {
      hint: 'Use a new key, or repeat the very same start.',
      details: { key, runId: known.runId },
    });
  }

  async #startNew(program: Program, input: JsonValue, options: Filled): Promise<void> {
    const { clock, host, graphs, drivers, background } = this.#deps;
    const { runId } = options;
    const driver = drivers.forStart(runId, program);
    const extras = this.#extras(program, options);
    const body = assertJsonValue(this.#command(driver, input, options), 'The start') as unknown as CommandBody;
    const by = assertJsonValue(options.as ?? { kind: 'system', id: 'start' }, 'The principal');
    await drivers.started(runId, driver, () => driver.submit(body, by as unknown as Principal, extras));
    graphs.markStored(program.hash);
    if (background.stopped) return await driver.stop(0);
    host.schedule(runId, clock.now());
  }

  #extras(program: Program, { key, tenant, runId, digest }: Filled): CommandExtras {
    const document = this.#deps.graphs.document(program, this.#deps.clock.now());
    return {
      ...(key === undefined ? {} : { startKey: { tenant, key, runId, digest } }),
      ...(document === undefined ? {} : { documents: [document] }),
    };
  }

  #command(driver: RunDriver, input: JsonValue, options: Filled): CommandBody {
    const { runId, tenant, key, session, label, decisions } = options;
    return {
      type: 'start',
      runId,
      tenant,
      input,
      requestId: options.requestId ?? `cor_${this.#deps.ids.uuid()}`,
      claim: driver.claimByStart(),
      ...(key === undefined ? {} : { key }),
      ...(session === undefined ? {} : { session }),
      ...(label === undefined ? {} : { label }),
      ...(decisions === undefined ? {} : { decisions }),
    };
  }
}
