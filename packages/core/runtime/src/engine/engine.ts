import {
  assertJsonValue,
  type CommandBody,
  type Decision,
  digestOf,
  handlersOf,
  type JsonValue,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
  SignalboxError,
} from '@signalbox/kernel';
import {
  type Clock,
  type DueRun,
  type EventStore,
  type Host,
  type IdGenerator,
  isStoreConflict,
  storeErrors,
} from '@signalbox/ports';
import { Breath } from '../drive/breath.ts';
import type { CommandExtras } from '../drive/command-queue.ts';
import type { Check, DriverDeps, Observer } from '../drive/driver-deps.ts';
import { DriverLost, RunDriver } from '../drive/run-driver.ts';
import type { RequestCodec } from '../journal/context.ts';
import { PAYLOAD_LIMIT } from '../log/payloads.ts';
import { type LoadedRun, loadRun } from '../log/run-log.ts';
import { BackOff } from './back-off.ts';
import { Changes } from './changes.ts';
import { Coalesced } from './coalesced.ts';
import { ForeignChanges } from './foreign-changes.ts';
import { GraphRegistry, type RegisteredGraph } from './graph-registry.ts';
import { Labels } from './labels.ts';
import { RestedRuns } from './rested-runs.ts';

export interface EngineOptions {
  readonly store: EventStore;
  readonly host: Host;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly codec: RequestCodec;
  /** Names this build of the user's code in `run.claimed`. */
  readonly build?: string;
  readonly checks?: readonly Check[];
  readonly observer?: Observer;
  /** Drivers that may die at one point before the node fails; default 3. */
  readonly crashLimit?: number;
  /** How long a cancelled handler may take to stop, ms; default 5,000. */
  readonly cancelGrace?: number;
  /** Data larger than this stand as payloads, in UTF-16 units of JSON; default 65,536. */
  readonly payloadLimit?: number;
  /** How long this process counts as alive after its last sign of life, ms; default 10,000. */
  readonly lease?: number;
}

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

interface DriverEntry {
  readonly driver: Promise<RunDriver>;
  users: number;
}

/** Due runs that are read at once. */
const SWEEP_PAGE = 500;
/** Commands with parts of the engine's own (a program, a run): they come from here, not from outside. */
const OWN_PARTS: ReadonlySet<string> = new Set(['migrate', 'rollback']);
const AT_WORK: ReadonlySet<string> = new Set(['running', 'cancelling', 'compensating']);
/** Who has not heard of a change looks again after this long, ms. */
const POLL_MS = 250;

/**
 * The embedded engine: runs, their drivers and the host of one process.
 *  1. Safety rests on the store's compare-and-set and on terms; drivers, leases and schedules only decide who tries.
 *  2. A run at work here has one driver here; all commands of this process go through it.
 *  3. Whatever is due is found by a sweep, so nothing depends on having been told.
 */
export class Engine {
  readonly store: EventStore;
  readonly graphs: GraphRegistry;
  readonly labels: Labels;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly owner: string;
  readonly payloadLimit: number;
  readonly #host: Host;
  readonly #deps: DriverDeps;
  readonly #drivers = new Map<string, DriverEntry>();
  readonly #changes = new Changes();
  /** Runs that a driver has just left: what `settled` waits for, lest it look at every step of a long run. */
  readonly #rests = new Changes();
  readonly #rested: RestedRuns;
  readonly #lease: number;
  readonly #sweeps = new Coalesced(() => this.#lookAround());
  readonly #follows = new Coalesced(() => this.#follow());
  readonly #foreign: ForeignChanges;
  readonly #backOff = new BackOff();
  #ready: Promise<void> | undefined;
  #stopSweeping: (() => void)[] = [];
  #stopped = false;

  constructor(options: EngineOptions) {
    this.store = options.store;
    this.clock = options.clock;
    this.ids = options.ids;
    this.graphs = new GraphRegistry(options.store);
    this.#rested = new RestedRuns(options.store);
    this.#foreign = new ForeignChanges(options.store);
    this.labels = new Labels(options.store, () => options.clock.now());
    this.owner = `process_${options.ids.uuid()}`;
    this.#host = options.host;
    this.#lease = options.lease ?? 10_000;
    this.payloadLimit = options.payloadLimit ?? PAYLOAD_LIMIT;
    const observer = options.observer ?? {};
    this.#deps = {
      store: options.store,
      clock: options.clock,
      breath: new Breath(options.clock),
      ids: options.ids,
      owner: this.owner,
      build: options.build ?? 'unknown',
      crashLimit: options.crashLimit ?? 3,
      cancelGrace: options.cancelGrace ?? 5_000,
      payloadLimit: this.payloadLimit,
      codec: options.codec,
      checks: options.checks ?? [],
      observer: {
        ...observer,
        committed: (run: Run, events: readonly RunEvent[]) => {
          observer.committed?.(run, events);
          this.#changes.changed(run.id);
        },
      },
      handler: key => this.graphs.handler(key),
      program: (_tenant, version) => this.graphs.program(version),
      schedule: (runId, at) => this.#host.schedule(runId, at),
    };
    this.#host.onDue(runId => this.#quietly(this.#drive(runId), runId));
  }

  register(graph: RegisteredGraph): void {
    const isNew = [...graph.handlers].some(([key]) => this.graphs.handler(key) === undefined);
    this.graphs.register(graph);
    if (isNew) this.#backOff.clear();
  }

  /** Begins to look for work: what an earlier process left behind, what falls due, what others write. */
  ready(): Promise<void> {
    this.#ready ??= this.#begin().catch(error => {
      this.#ready = undefined; // A store that cannot be reached now may be reached by the next who asks.
      throw error;
    });
    return this.#ready;
  }

  async #begin(): Promise<void> {
    await this.#beat();
    const stopBeating = this.clock.every(this.#lease / 3, () => void this.#quietly(this.#beat()));
    const stopSweeping = this.clock.every(Math.max(1_000, this.#lease / 2), () => void this.#quietly(this.#sweep()));
    const stopWatching = this.store.onForeignCommit(() => void this.#quietly(this.#follows.run()));
    this.#stopSweeping = [stopBeating, stopSweeping, stopWatching];
    // What a first look does not find, the next one does.
    await this.#quietly(this.#sweep());
  }

  async #beat(): Promise<void> {
    await this.store.lease(this.owner, this.clock.now() + this.#lease);
  }

  /** Looks for due runs and hands them to the host; the next timer beyond is scheduled too. */
  async #lookAround(): Promise<void> {
    if (this.#stopped) return;
    await this.#foreign.skip();
    const now = this.clock.now();
    const seen = new Set<string>();
    // To the end: runs at work here, and those that nobody can drive, are due all the while and must hide no others.
    for await (const { runId, owner } of this.#dueRuns(now)) {
      seen.add(runId);
      const known = this.#drivers.get(runId);
      if (known !== undefined && owner === this.owner)
        void this.#quietly(known.driver.then(driver => driver.refresh()));
      else if (!this.#backOff.isOff(runId, now)) this.#host.schedule(runId, now);
    }
    this.#backOff.keepOnly(seen);
    await this.#awaitNext(now);
  }

  async #awaitNext(now: number): Promise<void> {
    const next = await this.store.nextDue(now);
    if (next !== undefined && !this.#stopped) this.#sweepAt(next);
  }

  /** Another process has written: the streams that changed are looked at, and no others. */
  async #follow(): Promise<void> {
    if (this.#stopped) return;
    const changed = await this.#foreign.take();
    if (changed === undefined) {
      this.#changes.changedAll();
      this.#rests.changedAll();
      return await this.#sweep();
    }
    const now = this.clock.now();
    for (const [stream, lastSeq] of changed) {
      this.#tellRest(stream);
      const known = this.#drivers.get(stream);
      if (known !== undefined)
        void this.#quietly(
          known.driver.then(driver => refreshTo(driver, lastSeq)),
          stream,
        );
      else if (await this.#isLeft(stream)) this.#host.schedule(stream, now);
    }
    await this.#awaitNext(now);
  }

  async *#dueRuns(now: number): AsyncGenerator<DueRun> {
    for (let after: DueRun | undefined; !this.#stopped; ) {
      const query = { now, owner: this.owner, limit: SWEEP_PAGE };
      const page = await this.store.due(after === undefined ? query : { ...query, after });
      yield* page;
      after = page.at(-1);
      if (page.length < SWEEP_PAGE) return;
    }
  }

  #sweep(): Promise<void> {
    return this.#sweeps.run();
  }

  #nextSweep: { readonly at: number; readonly cancel: () => void } | undefined;

  #sweepAt(at: number): void {
    if (this.#nextSweep !== undefined && this.#nextSweep.at <= at) return;
    this.#nextSweep?.cancel();
    const cancel = this.clock.at(at, () => {
      this.#nextSweep = undefined;
      void this.#quietly(this.#sweep());
    });
    this.#nextSweep = { at, cancel };
  }

  async #quietly(work: Promise<unknown>, runId = ''): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!this.#stopped) this.#deps.observer.onError?.(error, { runId });
    }
  }

  // ── drivers ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Uses the run's driver, made for the purpose when there is none; it goes when nobody uses it and it only waits. */
  async withDriver<Result>(runId: string, use: (driver: RunDriver) => Promise<Result>): Promise<Result> {
    const entry = await this.#entry(runId);
    try {
      return await use(await entry.driver);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) await this.#rest(runId, entry);
      void this.#quietly(this.#release(runId, entry));
    }
  }

  /** One that has lost its run does nothing any more; whoever comes next gets another. */
  async #entry(runId: string): Promise<DriverEntry> {
    for (;;) {
      const entry = this.#drivers.get(runId) ?? this.#open(runId, this.#load(runId));
      entry.users += 1;
      const driver = await entry.driver.catch(() => undefined);
      if (driver?.lost !== true) return entry;
      entry.users -= 1;
      if (this.#drivers.get(runId) === entry) this.#drivers.delete(runId);
    }
  }

  #open(runId: string, driver: Promise<RunDriver>): DriverEntry {
    const entry = { driver, users: 0 };
    this.#drivers.set(runId, entry);
    return entry;
  }

  /** Two drivers of one run in one process would both hold its term: one that still works is kept until it is idle. */
  async #release(runId: string, entry: DriverEntry): Promise<void> {
    if (entry.users > 0) return;
    const driver = await entry.driver.catch(() => undefined);
    await driver?.idle();
    if (entry.users === 0 && (driver === undefined || driver.isIdle) && this.#drivers.get(runId) === entry)
      this.#drivers.delete(runId);
  }

  /** The run as the store has it, folded only when no driver of this process has left it so. */
  async #loaded(runId: string): Promise<LoadedRun> {
    const loaded = (await this.#rested.find(runId)) ?? (await loadRun(this.store, runId));
    if (loaded === undefined) throw unknownRun(runId);
    return loaded;
  }

  async #load(runId: string): Promise<RunDriver> {
    const loaded = await this.#loaded(runId);
    return new RunDriver(this.#deps, runId, await this.graphs.program(loaded.run.version), loaded);
  }

  async #drive(runId: string): Promise<void> {
    if (this.#stopped || !(await this.#mayTake(runId))) return;
    try {
      const stranded = await this.withDriver(runId, async driver => {
        await driver.drive();
        return AT_WORK.has(driver.current().status) && this.#missing(driver.program).length > 0;
      });
      if (stranded) this.#backOff.failed(runId, this.clock.now());
      else this.#backOff.forget(runId);
    } catch (error) {
      this.#backOff.failed(runId, this.clock.now());
      throw error;
    }
    this.#tellRest(runId);
  }

  #missing(program: Program): string[] {
    return [...handlersOf(program)].filter(key => this.graphs.handler(key) === undefined);
  }

  /** Kept before anybody is told, so that whoever waited finds it. */
  async #rest(runId: string, entry: DriverEntry): Promise<void> {
    const driver = await entry.driver.catch(() => undefined);
    const rested = entry.users === 0 ? driver?.rested() : undefined;
    if (rested !== undefined) this.#rested.keep(rested);
    this.#tellRest(runId);
  }

  #tellRest(runId: string): void {
    this.#changes.changed(runId);
    this.#rests.changed(runId);
  }

  /** A run that another process owns is taken only when that process gives no sign of life any more. */
  async #mayTake(runId: string): Promise<boolean> {
    if (this.#drivers.has(runId)) return true;
    const row = await this.store.run(runId);
    if (row === undefined) return false;
    return row.owner === null || row.owner === this.owner || (await this.#isLeft(runId));
  }

  /** Due, and nobody else holds it who gives a sign of life. */
  async #isLeft(runId: string): Promise<boolean> {
    return (await this.store.due({ now: this.clock.now(), owner: this.owner, limit: 1, runId })).length > 0;
  }

  /**
   * Handler keys that a run at work needs and this process does not have, when nobody else alive drives it. Such a run
   * goes on as soon as a process comes that has them.
   */
  async missingHandlers(runId: string): Promise<readonly string[]> {
    const row = await this.store.run(runId);
    if (row === undefined || !AT_WORK.has(row.status)) return [];
    const missing = this.#missing(await this.graphs.program(row.version));
    if (missing.length === 0) return [];
    const isOurs = row.owner === null || row.owner === this.owner;
    return isOurs || (await this.#isLeft(runId)) ? missing.sort() : [];
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Resolves when `run.started` is durable. The same key, graph and input give the same run. */
  async start(
    graph: Pick<RegisteredGraph, 'name' | 'program'>,
    input: JsonValue,
    options: StartOptions = {},
  ): Promise<string> {
    await this.ready();
    const tenant = options.tenant ?? 'default';
    // Of use with a key alone, and costly for a large input.
    const digest = options.key === undefined ? '' : digestOf({ graph: graph.name, input });
    if (options.key !== undefined) {
      const existing = await this.#startedBefore(tenant, options.key, digest);
      if (existing !== undefined) return existing;
    }
    const runId = options.runId ?? `run_${this.ids.uuid()}`;
    try {
      await this.#startNew(runId, graph.program, input, { ...options, tenant, digest });
      return runId;
    } catch (error) {
      const existing =
        options.key !== undefined && isStoreConflict(error)
          ? await this.#startedBefore(tenant, options.key, digest)
          : undefined;
      if (existing === undefined) throw error;
      return existing;
    }
  }

  async #startedBefore(tenant: string, key: string, digest: string): Promise<string | undefined> {
    const known = await this.store.startKey(tenant, key);
    if (known === undefined || known.digest === digest) return known?.runId;
    throw new SignalboxError('StartKeyConflict', `Start key "${key}" was used for another graph or input.`, {
      hint: 'Use a new key, or repeat the very same start.',
      details: { key, runId: known.runId },
    });
  }

  async #startNew(
    runId: string,
    program: Program,
    input: JsonValue,
    options: StartOptions & { tenant: string; digest: string },
  ): Promise<void> {
    const { tenant, key, session, label, decisions, digest } = options;
    const driver = new RunDriver(this.#deps, runId, program, undefined);
    const document = this.graphs.document(program, this.clock.now());
    const extras: CommandExtras = {
      ...(key === undefined ? {} : { startKey: { tenant, key, runId, digest } }),
      ...(document === undefined ? {} : { documents: [document] }),
    };
    const body: CommandBody = {
      type: 'start',
      runId,
      tenant,
      input,
      requestId: options.requestId ?? `cor_${this.ids.uuid()}`,
      claim: driver.claimByStart(),
      ...(key === undefined ? {} : { key }),
      ...(session === undefined ? {} : { session }),
      ...(label === undefined ? {} : { label }),
      ...(decisions === undefined ? {} : { decisions }),
    };
    const clean = assertJsonValue(body, 'The start') as unknown as CommandBody;
    const by = assertJsonValue(options.as ?? { kind: 'system', id: 'start' }, 'The principal');
    await this.#begun(runId, driver, () => driver.submit(clean, by as unknown as Principal, extras));
    this.graphs.markStored(program.hash);
    if (this.#stopped) return await driver.stop(0);
    this.#host.schedule(runId, this.clock.now());
  }

  /** Known before the start has landed: whoever hears of the run before us must not make a second driver for it. */
  async #begun(runId: string, driver: RunDriver, start: () => Promise<Decision>): Promise<void> {
    if (this.#drivers.has(runId)) throw storeErrors.lostUpdate(runId, 0, 1);
    const entry = this.#open(runId, Promise.resolve(driver));
    entry.users += 1;
    try {
      const { refusal } = await start();
      if (refusal !== undefined) throw refusal;
    } catch (error) {
      if (this.#drivers.get(runId) === entry) this.#drivers.delete(runId);
      throw error;
    } finally {
      entry.users -= 1;
    }
  }

  /** Carries out a command from outside. A refusal is thrown; facts it left (a refused answer) are durable then. */
  async command(runId: string, body: CommandBody, actor: Principal, extras: CommandExtras = {}): Promise<Decision> {
    await this.ready();
    const clean = OWN_PARTS.has(body.type) ? body : (assertJsonValue(body, 'The command') as unknown as CommandBody);
    const by = assertJsonValue(actor, 'The principal') as unknown as Principal;
    const decision = await this.#submit(runId, driver => driver.submit(clean, by, extras));
    if (decision.refusal !== undefined) throw decision.refusal;
    this.#host.schedule(runId, this.clock.now());
    return decision;
  }

  /** A driver that loses the run hands back what it had not begun: the next one takes it. */
  async #submit(runId: string, submit: (driver: RunDriver) => Promise<Decision>): Promise<Decision> {
    for (;;) {
      try {
        return await this.withDriver(runId, submit);
      } catch (error) {
        if (!(error instanceof DriverLost)) throw error;
      }
    }
  }

  /** Loads a run as it stands, or as of a sequence number. */
  async load(runId: string, until?: number): Promise<{ run: Run; program: Program; hash: string | undefined }> {
    const loaded = until === undefined ? await this.#loaded(runId) : await loadRun(this.store, runId, until);
    if (loaded === undefined) throw unknownRun(runId);
    return { run: loaded.run, hash: loaded.hash, program: await this.graphs.program(loaded.run.version) };
  }

  /** Resolves at the next commit of the run, or soon when another process may have made one. */
  async nextChange(runId: string): Promise<void> {
    await this.ready();
    await this.#changes.next(runId, POLL_MS);
  }

  /** Resolves with the run once it is neither at work nor about to be. */
  async settled(runId: string): Promise<void> {
    await this.ready();
    for (;;) {
      const changed = this.#rests.next(runId, POLL_MS);
      const row = await this.store.run(runId);
      if (row === undefined) throw unknownRun(runId);
      if (AT_WORK.has(row.status)) {
        if ((await this.missingHandlers(runId)).length > 0) return;
      } else if (!this.#atWork(runId)) return;
      await changed;
    }
  }

  #atWork(runId: string): boolean {
    return (this.#drivers.get(runId)?.users ?? 0) > 0;
  }

  /** Has the run looked at soon. */
  async wake(runId: string): Promise<void> {
    await this.ready();
    this.#host.schedule(runId, this.clock.now());
  }

  async stop(grace = 5_000): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#nextSweep?.cancel();
    for (const stop of this.#stopSweeping) stop();
    const drivers = await Promise.allSettled([...this.#drivers.values()].map(entry => entry.driver));
    await Promise.all(drivers.map(result => (result.status === 'fulfilled' ? result.value.stop(grace) : undefined)));
    await this.#host.stop();
    await this.store.lease(this.owner, 0);
  }
}

/** What a driver has written itself it knows. */
async function refreshTo(driver: RunDriver, seq: number): Promise<void> {
  if (driver.current().seq < seq) await driver.refresh();
}

export function unknownRun(runId: string): SignalboxError {
  return new SignalboxError('UnknownRun', `There is no run ${runId}.`, { hint: 'See `signalbox runs`.' });
}
