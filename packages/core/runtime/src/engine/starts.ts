import {
  assertJsonValue,
  type CommandBody,
  digestOf,
  handlersOf,
  type JsonValue,
  type Principal,
  type Program,
  SignalboxError,
  type StartCommand,
} from '@signalbox/kernel';
import {
  type Clock,
  type EventStore,
  type Host,
  type IdGenerator,
  isStoreConflict,
  type KeyRing,
} from '@signalbox/ports';
import type { Contracts, PinnedContracts } from '../agent/contracts.ts';
import type { Breath } from '../drive/breath.ts';
import type { CommandExtras } from '../drive/command-queue.ts';
import type { RunDriver } from '../drive/run-driver.ts';
import { isStoredDigest } from '../sensitive/stored-digest.ts';
import { callingRun } from '../session/inside-run.ts';
import { sentCommandId } from '../session/sent-id.ts';
import type { SessionEvent } from '../session/session-event.ts';
import { assertSessionId } from '../session/session-id.ts';
import { isTurnOf } from '../session/session-record.ts';
import type { Sessions } from '../session/sessions.ts';
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
  /** The run of the same session that starts it, beside which it executes; a start inside a handler names its own. */
  readonly parent?: string;
  readonly as?: Principal;
  readonly runId?: string;
}

/** What starts need of the engine. */
export interface StartsDeps {
  readonly store: EventStore;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly host: Host;
  readonly graphs: GraphRegistry;
  readonly contracts: Contracts;
  readonly sessions: Sessions;
  readonly drivers: Drivers;
  readonly sweeps: Sweeps;
  readonly background: Background;
  readonly breath: Breath;
}

/** A start whose options are filled in. `digest`: of graph and input; empty where there is no key. */
type Filled = StartOptions & Turn & { readonly runId: string; readonly tenant: string; readonly digest: string };

/** What a start in a session has to say of it. */
type Turn = Pick<StartCommand, 'turns' | 'view' | 'parent'>;

/** What goes into the session with the start. */
export type SessionPart = readonly SessionEvent[];

/** Of what a start key stands for. */
export function startDigest(graph: Pick<RegisteredGraph, 'name'>, input: JsonValue): string {
  return digestOf({ graph: graph.name, input });
}

/** How often a start is decided anew when its turn in the session is taken by another at the same time. */
const ATTEMPTS = 50;

/**
 * Starts of runs.
 *  1. The same key, graph and input give the same run; a key that stands for others is a conflict. Whether it is free the
 *     store decides, in the commit that starts the run.
 *  2. A run starts claimed by this process, and its driver is known here before the start is durable.
 *  3. No run is started before this process gives signs of life: others would take it for left behind.
 *  4. In a session a run begins only with its turn, and what is said with the start is in the same commit.
 *  5. The definition of its graph version is stored with the first run of it.
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
    said: SessionPart = [],
  ): Promise<string> {
    await this.#deps.sweeps.ready();
    // Hundreds may be started at once, while others are at work.
    const breath = this.#deps.breath.take();
    if (breath !== undefined) await breath;
    const { key, tenant = 'default' } = options;
    // Of use with a key alone, and costly for a large input.
    const digest = key === undefined ? '' : startDigest(graph, input);
    if (key !== undefined) {
      const existing = await this.startedBefore(tenant, key, digest);
      if (existing !== undefined) return existing;
    }
    const runId = options.runId ?? `run_${this.#deps.ids.uuid()}`;
    try {
      await this.#startInTurn(graph.program, input, { ...options, runId, tenant, digest }, said);
      return runId;
    } catch (error) {
      const existing =
        key !== undefined && isStoreConflict(error) ? await this.startedBefore(tenant, key, digest) : undefined;
      if (existing === undefined) throw error;
      return existing;
    }
  }

  /** The run that stands under a key. @throws SignalboxError `StartKeyConflict` when it is of another graph or input. */
  async startedBefore(tenant: string, key: string, digest: string): Promise<string | undefined> {
    const known = await this.#deps.store.startKey(tenant, key);
    if (known === undefined) return undefined;
    const stored = { ...known, commandId: sentCommandId(key), startKey: key };
    if (await isStoredDigest(this.#deps, stored, digest)) return known.runId;
    throw new SignalboxError('StartKeyConflict', `Start key "${key}" was used for another graph or input.`, {
      hint: 'Use a new key, or repeat the very same start.',
      details: { key, runId: known.runId },
    });
  }

  async #startInTurn(program: Program, input: JsonValue, options: Filled, said: SessionPart): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#startNew(program, input, { ...options, ...(await this.#turn(program, options)) }, said);
      } catch (error) {
        const isTaken = isStoreConflict(error) && error.details.stream === options.session;
        if (!isTaken || options.session === undefined || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  async #turn(program: Program, { session, tenant, runId, parent }: Filled): Promise<Turn> {
    if (session === undefined) return {};
    assertSessionId(session);
    const record = await this.#deps.sessions.current(session, tenant);
    const news = this.#deps.sessions.news({ session, sessionView: undefined });
    const view = news === undefined ? {} : { view: news };
    const calling = callingRun();
    const starter = parent ?? (calling?.session === session ? calling.run : undefined);
    if (starter !== undefined) return { ...view, parent: starter };
    const hasCode = [...handlersOf(program)].every(key => this.#deps.graphs.handler(key) !== undefined);
    return { ...view, turns: hasCode && isTurnOf(record, runId) ? 'taken' : 'queued' };
  }

  async #startNew(program: Program, input: JsonValue, options: Filled, said: SessionPart): Promise<void> {
    const { clock, host, graphs, contracts, drivers, background } = this.#deps;
    const { runId } = options;
    const pinned = await contracts.pin(program, key => graphs.handler(key), clock.now(), graphs.folderOf(program));
    const driver = drivers.forStart(runId, program);
    const extras = { ...this.#extras(program, options, pinned), ...(said.length === 0 ? {} : { session: said }) };
    const body = assertJsonValue(this.#command(driver, input, options, pinned), 'The start') as unknown as CommandBody;
    const by = assertJsonValue(options.as ?? { kind: 'system', id: 'start' }, 'The principal');
    await drivers.started(runId, driver, () => driver.submit(body, by as unknown as Principal, extras));
    graphs.markStored(program.hash);
    if (pinned !== undefined) contracts.markStored(pinned);
    if (background.stopped) return await driver.stop(0);
    host.schedule(runId, clock.now());
  }

  #extras(program: Program, { key, tenant, runId, digest }: Filled, pinned?: PinnedContracts): CommandExtras {
    const documents = [...this.#deps.graphs.documents(program, this.#deps.clock.now()), ...(pinned?.documents ?? [])];
    return {
      ...(key === undefined ? {} : { startKey: { tenant, key, runId, digest } }),
      ...(documents.length === 0 ? {} : { documents }),
    };
  }

  #command(driver: RunDriver, input: JsonValue, options: Filled, pinned?: PinnedContracts): CommandBody {
    const { runId, tenant, key, session, label, decisions, turns, view, parent } = options;
    return {
      type: 'start',
      runId,
      tenant,
      input,
      requestId: options.requestId ?? `cor_${this.#deps.ids.uuid()}`,
      ...(turns === 'queued' ? {} : { claim: driver.claimByStart() }),
      ...(key === undefined ? {} : { key }),
      ...(session === undefined ? {} : { session }),
      ...(turns === undefined ? {} : { turns }),
      ...(view === undefined ? {} : { view }),
      ...(parent === undefined ? {} : { parent }),
      ...(label === undefined ? {} : { label }),
      ...(decisions === undefined ? {} : { decisions }),
      ...(pinned === undefined ? {} : { contracts: pinned.contracts }),
    };
  }
}
