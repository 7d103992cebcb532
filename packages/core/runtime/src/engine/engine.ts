import {
  assertJsonValue,
  type CommandBody,
  type Decision,
  type JsonValue,
  type Principal,
  type Program,
  type Run,
  type Validator,
} from '@signalbox/kernel';
import type {
  Clock,
  EventStore,
  Host,
  Identity,
  IdGenerator,
  KeyRing,
  LongTermMemory,
  MemoryOwner,
} from '@signalbox/ports';
import { Contracts } from '../agent/contracts.ts';
import { boundInSession, sharedBounds } from '../agent/shared-bounds.ts';
import { DriverLost } from '../drive/batches.ts';
import { Breath } from '../drive/breath.ts';
import type { CommandExtras } from '../drive/command-queue.ts';
import { type Committed, DRIVER, type DriverDeps, type Observer } from '../drive/driver-deps.ts';
import { LastGoodInStore } from '../drive/last-good.ts';
import { RUN_AHEAD } from '../drive/run-ahead.ts';
import type { RunDriver } from '../drive/run-driver.ts';
import { tellCommit, tellError, tellText } from '../drive/tell.ts';
import type { RequestCodec } from '../journal/context.ts';
import { PAYLOAD_LIMIT } from '../log/payloads.ts';
import { type LoadedRun, loadRun } from '../log/run-log.ts';
import type { MemoryEvent } from '../memory/memory-fold.ts';
import { Recall } from '../memory/recall.ts';
import { UserMemories } from '../memory/user-memories.ts';
import { keysOfEnvironment } from '../sensitive/local-keys.ts';
import { Opening } from '../sensitive/opening.ts';
import { Sessions } from '../session/sessions.ts';
import { Background } from './background.ts';
import { Drivers } from './drivers.ts';
import { DueRuns, isAtWork, waitsForTurn } from './due-runs.ts';
import type { EngineOptions } from './engine-options.ts';
import { GraphRegistry, type RegisteredGraph } from './graph-registry.ts';
import { Labels } from './labels.ts';
import { RunChanges } from './run-changes.ts';
import { type SessionPart, type StartOptions, Starts } from './starts.ts';
import { Sweeps } from './sweeps.ts';
import { TextDeltas, type TextFollower } from './text-deltas.ts';
import { unknownRun } from './unknown-run.ts';

/** A run and the program of its version. */
export interface EngineRun {
  readonly run: Run;
  readonly program: Program;
  readonly hash: string | undefined;
}

/** Commands with parts of the engine's own (a program, a run): they come from here, not from outside. */
const OWN_PARTS: ReadonlySet<string> = new Set(['migrate', 'rollback']);

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
  readonly contracts: Contracts;
  readonly sessions: Sessions;
  readonly users: UserMemories;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly keys: KeyRing;
  readonly identity: Identity | undefined;
  readonly owner: string;
  readonly payloadLimit: number;
  readonly sessionMetadata: Validator | undefined;
  readonly codec: RequestCodec;
  readonly #host: Host;
  readonly #memory: LongTermMemory | undefined;
  readonly #changes = new RunChanges();
  readonly #texts = new TextDeltas();
  readonly #observer: Observer;
  readonly #background: Background;
  readonly #drivers: Drivers;
  readonly #dueRuns: DueRuns;
  readonly #sweeps: Sweeps;
  readonly #starts: Starts;

  constructor(options: EngineOptions) {
    this.store = options.store;
    this.clock = options.clock;
    this.ids = options.ids;
    this.keys = options.keys ?? keysOfEnvironment();
    this.identity = options.identity;
    this.graphs = new GraphRegistry(options.store);
    this.contracts = new Contracts(options.store);
    this.labels = new Labels(options.store, () => options.clock.now());
    this.owner = `process_${options.ids.uuid()}`;
    this.#host = options.host;
    this.#memory = options.memory;
    this.payloadLimit = options.payloadLimit ?? PAYLOAD_LIMIT;
    this.sessionMetadata = options.sessionMetadata;
    this.codec = options.codec;
    const observer = options.observer ?? {};
    this.users = new UserMemories(options.store, options.clock);
    this.sessions = new Sessions({
      users: this.users,
      ids: options.ids,
      payloadLimit: this.payloadLimit,
      store: options.store,
      clock: options.clock,
      schedule: (runId, at) => this.#host.schedule(runId, at),
    });
    const deps: DriverDeps = {
      store: options.store,
      sessions: this.sessions,
      recall: new Recall({
        sessions: this.sessions,
        users: this.users,
        clock: options.clock,
        longTerm: options.memory,
        program: (_tenant, version) => this.graphs.program(version),
        onError: (error, where) => tellError({ observer }, error, where),
      }),
      lastGood: new LastGoodInStore(this),
      clock: options.clock,
      breath: new Breath(options.clock, options.store.features.group),
      ids: options.ids,
      keys: this.keys,
      owner: this.owner,
      build: options.build ?? 'unknown',
      crashLimit: options.crashLimit ?? 3,
      runAhead: options.runAhead ?? RUN_AHEAD,
      cancelGrace: options.cancelGrace ?? 5_000,
      payloadLimit: this.payloadLimit,
      codec: options.codec,
      checks: options.checks ?? [],
      observer: {
        ...observer,
        committed: (commit: Committed, run: Run) => {
          observer.committed?.(commit, run);
          this.#texts.committed(commit.runId, commit.firstSeq + commit.events.length - 1);
          this.#changes.changed(run.id);
          if (options.memory?.written !== undefined && run.user !== undefined) this.#tellRemembered(commit, run);
        },
      },
      agents: {
        models: options.models,
        records: options.modelRecords,
        secrets: options.secrets ?? (name => process.env[name]),
        contract: hash => this.contracts.get(hash),
        program: version => this.graphs.program(version),
        inSession: (run, tool, most) => boundInSession(this.store, run, tool, most),
        shared: (run, budgets) => sharedBounds(this.store, run, budgets, this.clock.now()),
        text: (where, delta) => {
          this.#texts.tell(where, delta);
          tellText({ observer }, where, delta);
        },
      },
      handler: key => this.graphs.handler(key),
      program: (_tenant, version) => this.graphs.program(version),
      schedule: (runId, at) => this.#host.schedule(runId, at),
    };
    this.#observer = deps.observer;
    this.#background = new Background(observer);
    this.#drivers = new Drivers(deps, this.#background, this.#changes);
    const parts = {
      store: this.store,
      keys: this.keys,
      clock: this.clock,
      ids: this.ids,
      host: this.#host,
      owner: this.owner,
      lease: options.lease ?? 10_000,
      graphs: this.graphs,
      contracts: this.contracts,
      sessions: this.sessions,
      drivers: this.#drivers,
      changes: this.#changes,
      background: this.#background,
    };
    this.#dueRuns = new DueRuns(parts);
    this.#sweeps = new Sweeps({ ...parts, dueRuns: this.#dueRuns });
    this.#starts = new Starts({ ...parts, sweeps: this.#sweeps, breath: deps.breath });
    this.#host.onDue(runId => this.#background.quietly(this.#dueRuns.drive(runId), runId));
  }

  register(graph: RegisteredGraph): void {
    const isNew = [...graph.handlers].some(([key]) => this.graphs.handler(key) === undefined);
    this.graphs.register(graph);
    if (isNew) this.#dueRuns.tryAllAgain();
  }

  /** Begins to look for work: what an earlier process left behind, what falls due, what others write. */
  ready(): Promise<void> {
    return this.#sweeps.ready();
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Resolves when `run.started` is durable. The same key, graph and input give the same run. `said`: what goes into its session with it. */
  start(
    graph: Pick<RegisteredGraph, 'name' | 'program'>,
    input: JsonValue,
    options: StartOptions = {},
    said: SessionPart = [],
  ): Promise<string> {
    return this.#starts.start(graph, input, options, said);
  }

  /** The run that stands under a start key. @throws SignalboxError `StartKeyConflict` */
  startedBefore(tenant: string, key: string, digest: string): Promise<string | undefined> {
    return this.#starts.startedBefore(tenant, key, digest);
  }

  /** Carries out a command from outside. A refusal is thrown; facts it left (a refused answer) are durable then. */
  async command(runId: string, body: CommandBody, actor: Principal, extras: CommandExtras = {}): Promise<Decision> {
    await this.ready();
    const clean = OWN_PARTS.has(body.type) ? body : (assertJsonValue(body, 'The command') as unknown as CommandBody);
    const by = assertJsonValue(actor, 'The principal') as unknown as Principal;
    if (await this.#isAbandoned(runId)) await this.#submit(runId, driver => driver.submit({ type: 'idle' }, DRIVER));
    const decision = await this.#submit(runId, driver => driver.submit(clean, by, extras));
    if (decision.refusal !== undefined) throw decision.refusal;
    this.#host.schedule(runId, this.clock.now());
    return decision;
  }

  /** Only the leases tell that nobody is at it any more. What is done to it then is no sign that somebody was until then. */
  async #isAbandoned(runId: string): Promise<boolean> {
    const row = await this.store.run(runId);
    if (row === undefined || !isAtWork(row.status) || row.owner === this.owner) return false;
    return await this.#dueRuns.isLeft(runId);
  }

  /** Tells of a commit that no driver has made. `run` as it is with it. */
  tell(commit: Committed, run: Run): void {
    tellCommit({ observer: this.#observer }, commit, run);
  }

  /** A driver that loses the run hands back what it had not begun: the next one takes it. */
  async #submit(runId: string, submit: (driver: RunDriver) => Promise<Decision>): Promise<Decision> {
    for (;;) {
      try {
        return await this.#drivers.use(runId, submit);
      } catch (error) {
        if (!(error instanceof DriverLost)) throw error;
      }
    }
  }

  /** Loads a run as it stands, or as of a sequence number, to go on with it: what is sensitive is in the clear. */
  async load(runId: string, until?: number): Promise<EngineRun> {
    const opening = new Opening(this.keys);
    return await this.#withProgram(
      until === undefined ? await this.#drivers.loaded(runId) : await loadRun(this.store, runId, until, opening),
      runId,
    );
  }

  /** A run as it stands, or as of a sequence number, for whoever looks at it: what is sensitive is masked. */
  async view(runId: string, until?: number): Promise<EngineRun> {
    return await this.#withProgram(
      until === undefined ? await this.#drivers.seen(runId) : await loadRun(this.store, runId, until),
      runId,
    );
  }

  async #withProgram(loaded: LoadedRun | undefined, runId: string): Promise<EngineRun> {
    if (loaded === undefined) throw unknownRun(runId);
    return { run: loaded.run, hash: loaded.hash, program: await this.graphs.program(loaded.run.version) };
  }

  /** Resolves at the next commit of the run, or soon when another process may have made one. */
  async nextChange(runId: string): Promise<void> {
    await this.ready();
    await this.#changes.next(runId);
  }

  /** Partial text of models, of what this process drives; to be stopped by whoever asked for it. */
  followText(runId: string): TextFollower {
    return this.#texts.follow(runId);
  }

  /** Resolves with the run once it is neither at work nor about to be. */
  async settled(runId: string): Promise<void> {
    await this.ready();
    for (;;) {
      const changed = this.#changes.nextRest(runId);
      // Whoever drives it here tells when it rests: many that wait for many runs need not ask the store meanwhile.
      if (!this.#drivers.isUsed(runId)) {
        const row = await this.store.run(runId);
        if (row === undefined) throw unknownRun(runId);
        if (!isAtWork(row.status) && !waitsForTurn(row)) {
          if (!this.#drivers.isUsed(runId)) return;
        } else if ((await this.#dueRuns.missingFor(row)).length > 0) return;
      }
      await changed;
    }
  }

  /**
   * Handler keys that a run at work needs and this process does not have, when nobody else alive drives it. Such a run
   * goes on as soon as a process comes that has them.
   */
  missingHandlers(runId: string): Promise<readonly string[]> {
    return this.#dueRuns.missingHandlers(runId);
  }

  #tellRemembered({ events }: Committed, { tenant, user }: Run): void {
    for (const event of events)
      if (event.type === 'memory.written' && event.data.scope === 'user' && user !== undefined)
        void this.#background.quietly(this.tellLongTerm({ tenant, user }, event));
  }

  /** After it is stored. What the memory throws is told, and changes nothing. */
  async tellLongTerm(owner: MemoryOwner, change: Exclude<MemoryEvent, { type: 'memory.opened' }>): Promise<void> {
    const { tenant, user } = owner;
    const tell = async (memory: LongTermMemory) => {
      if (change.type === 'memory.written') await memory.written?.({ tenant, user }, change.data);
      else await memory.removed?.({ tenant, user }, change.data.key);
    };
    if (this.#memory !== undefined) await this.#background.quietly(tell(this.#memory));
  }

  /** Has the run looked at soon. */
  async wake(runId: string): Promise<void> {
    await this.ready();
    this.#host.schedule(runId, this.clock.now());
  }

  async stop(grace = 5_000): Promise<void> {
    if (this.#background.stopped) return;
    this.#background.stop();
    this.#sweeps.stop();
    await this.#drivers.stop(grace);
    await this.#host.stop();
    await this.store.lease(this.owner, 0);
  }
}
