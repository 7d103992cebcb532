import { type Commit, initialState, type Run } from '@signalbox/kernel';
import type { RequestRow } from '@signalbox/ports';
import { verifyStream } from '@signalbox/runtime';
import { createMemoryData, createMemoryStore, type MemoryData } from '@signalbox/store-memory';
import type { Act } from './behaviour.ts';
import { actsFor, Client, describe } from './client.ts';
import type { Faults } from './faulty-store.ts';
import type { Witness } from './handlers.ts';
import { checkRun } from './invariants.ts';
import { commitsOf, factsOf, foldOn } from './log.ts';
import { plainText } from './plain.ts';
import { SimulatedProcess } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { type RandomGraph, randomGraph } from './random-graph.ts';
import { World } from './world.ts';

/** What a simulation may be cut down by, so that a failure can be made small. */
export interface SimulationOptions {
  readonly seed: number;
  /** About how many blocks the graph has. */
  readonly size?: number;
  /** Faults given out at most: of the store, deaths, standstills. */
  readonly faults?: number;
  /** Acts of the controller and signals at most, beyond answers. */
  readonly commands?: number;
  /** Turns of the scheduler before all faults stop. */
  readonly turns?: number;
  /** In place of a random one. */
  readonly graph?: RandomGraph;
}

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  readonly commits: readonly Commit[];
  readonly graph: RandomGraph;
  readonly status: string;
}

/** Seeds that share a graph: to compile one takes longer than to run it. */
const RUNS_PER_GRAPH = 20;
const PROCESSES = 3;
const LATER_TURNS = 4_000;

export const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Runs one seed: first with faults, then without until everything has come to its end, and then looks at what is left. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const simulation = new Simulation(options);
  await simulation.run();
  return simulation.result();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #world = new World();
  readonly #data: MemoryData;
  readonly #graph: RandomGraph;
  readonly #order: Random;
  readonly #choices: Random;
  readonly #faults: Faults;
  readonly #client: Client;
  readonly #processes: SimulatedProcess[] = [];
  readonly #violations: string[] = [];
  readonly #performed = new Map<string, number>();
  /** The driver's run as text, after some of the commits that it knew to have landed. */
  readonly #live = new Map<number, string>();
  #run: Run = initialState();
  #seen = 0;
  #value = 0;
  #born = 0;
  #commandsLeft: number;

  constructor(options: SimulationOptions) {
    const { seed, size = 5, faults = 6, commands = 4 } = options;
    this.#options = options;
    this.#graph = options.graph ?? randomGraph(Math.floor(seed / RUNS_PER_GRAPH), size);
    this.#data = createMemoryData({ chain: seed % 4 === 0 });
    this.#order = createRandom(seed, 'order');
    this.#choices = createRandom(seed, 'choices');
    this.#faults = { left: faults, random: createRandom(seed, 'faults') };
    this.#commandsLeft = this.#choices.int(commands + 1);
    this.#client = new Client(this.#world, createRandom(seed, 'client'), what => this.#violations.push(what));
  }

  result(): SimulationResult {
    return {
      seed: this.#options.seed,
      violations: this.#violations,
      trace: this.#world.trace,
      commits: commitsOf(this.#data, this.#run.id),
      graph: this.#graph,
      status: this.#run.status,
    };
  }

  async run(): Promise<void> {
    const { turns = 120 } = this.#options;
    this.#spawn();
    this.#client.start(this.#choices.chance(0.1) ? 'unattended' : 'on');
    for (let turn = 0; turn < turns && this.#violations.length === 0; turn += 1) {
      await this.#world.quiet();
      this.#look();
      if (ENDED.has(this.#run.status) && this.#client.unsettled.length === 0 && this.#commandsLeft === 0) break;
      this.#disturb();
    }
    this.#world.note('── no more faults ──');
    this.#faults.left = 0;
    for (const process of this.#processes) process.frozen = false;
    for (let turn = 0; this.#violations.length === 0; turn += 1) {
      await this.#world.quiet();
      this.#look();
      if (this.#isOver()) break;
      if (turn > LATER_TURNS || !this.#carryOn(turn)) {
        this.#violations.push(`The run is stuck: ${this.#run.status} ${JSON.stringify(this.#run.suspend ?? null)}`);
        break;
      }
    }
    await this.#end();
  }

  async #end(): Promise<void> {
    for (const process of this.#processes) process.kill();
    if (this.#violations.length > 0) return;
    const { ok, firstBad } = await verifyStream(createMemoryStore({ shared: this.#data }), this.#run.id);
    if (!ok)
      this.#violations.push(`The stream does not verify: ${firstBad?.code} at ${firstBad?.seq}: ${firstBad?.reason}`);
    const commits = commitsOf(this.#data, this.#run.id);
    this.#violations.push(
      ...checkRun({
        data: this.#data,
        program: this.#graph.program,
        commits,
        live: this.#live,
        performed: this.#performed,
        commands: this.#client.commands,
        pick: this.#choices,
      }),
    );
  }

  #isOver(): boolean {
    return ENDED.has(this.#run.status) && this.#world.parked.length === 0 && this.#client.unsettled.length === 0;
  }

  /** Folds what has landed meanwhile. */
  #look(): void {
    const [row] = this.#data.runs.values();
    const stored = row === undefined ? [] : (this.#data.streams.get(row.runId) ?? []);
    if (stored.length === this.#seen || row === undefined) return;
    this.#run = foldOn(this.#run, commitsOf(this.#data, row.runId, this.#seen));
    this.#seen = stored.length;
  }

  // ── processes ──────────────────────────────────────────────────────────────────────────────────────────────

  #spawn(): SimulatedProcess {
    this.#born += 1;
    const name = `p${this.#born}`;
    this.#world.note(`${name} is born`);
    const process = new SimulatedProcess({
      name,
      world: this.#world,
      data: this.#data,
      graph: this.#graph,
      order: this.#order,
      faults: this.#faults,
      skew: this.#choices.chance(0.2) ? this.#choices.int(4_000) - 2_000 : 0,
      witness: owner => this.#witness(owner),
      committed: ({ firstSeq, events }, run) => {
        if (run.seq > firstSeq + events.length - 1) return; // Ahead of what is on disk.
        if (this.#choices.chance(ENDED.has(run.status) ? 0.5 : 0.05)) this.#live.set(run.seq, plainText(run));
      },
      failed: error => this.#violations.push(`In the background of ${name}: ${describe(error)}`),
    });
    this.#processes.push(process);
    void process.engine.ready().catch(() => {});
    return process;
  }

  #alive(): SimulatedProcess[] {
    return this.#processes.filter(({ alive }) => alive);
  }

  #witness(owner: SimulatedProcess): Witness {
    return {
      perform: async (key, act, where) => {
        if (!owner.alive) return await new Promise<never>(() => {});
        const count = (this.#performed.get(key) ?? 0) + 1;
        this.#performed.set(key, count);
        this.#world.note(`${owner.name} performs ${where} ${act.name}${act.once ? ' (once)' : ''}`);
        if (act.once && !this.#isIntended(act))
          this.#violations.push(`${where} ${act.name} was performed before its intent.`);
        if (this.#order.chance(0.6)) await this.#world.park(owner, `${owner.name} ${act.name} done`);
        if (count <= act.failures) throw new Error(`${act.name} fails`);
        this.#value += 1;
        return this.#value;
      },
    };
  }

  #isIntended({ name }: Act & { name: string }): boolean {
    const [row] = this.#data.runs.values();
    const facts = factsOf(commitsOf(this.#data, row?.runId ?? ''));
    return facts.some(({ event }) => event.type === 'op.intended' && event.data.op.startsWith(`${name}#`));
  }

  // ── the scheduler ──────────────────────────────────────────────────────────────────────────────────────────

  #disturb(): void {
    if (this.#alive().length === 0) this.#spawn();
    const { parked, nextTimer } = this.#world;
    const alive = this.#alive();
    const act = this.#order.weighted([
      [parked.length > 0 ? 30 : 0, 'release'],
      [this.#client.unsettled.length > 0 ? 5 : 0, 'send'],
      [this.#run.requests.size > 0 ? 4 : 0, 'answer'],
      [this.#commandsLeft > 0 && this.#run.seq > 0 ? 3 : 0, 'steer'],
      [nextTimer === undefined ? 0 : parked.length > 0 ? 1 : 6, 'time'],
      [1, 'jump'],
      [alive.length < PROCESSES ? 3 / alive.length ** 2 : 0, 'spawn'],
      [this.#faults.left > 0 ? 1 : 0, 'crash'],
      [this.#faults.left > 0 ? 1 : 0, 'freeze'],
      [alive.some(({ frozen }) => frozen) ? 2 : 0, 'thaw'],
      [this.#client.commands.length > 0 ? 1 : 0, 'again'],
    ] as const);
    this.#do(act, alive);
  }

  #do(act: string, alive: readonly SimulatedProcess[]): void {
    const process = this.#order.pick(alive);
    switch (act) {
      case 'release':
        return void this.#world.release(this.#order, owner => !(owner as SimulatedProcess).frozen);
      case 'send':
        return this.#client.send(this.#order.pick(this.#client.unsettled), process);
      case 'again':
        return this.#sendAgain(process);
      case 'answer':
        return this.#answer(process);
      case 'steer':
        return this.#steer(process);
      case 'time':
        return this.#pass(this.#world.nextTimer!);
      case 'jump':
        return this.#pass(this.#world.now + this.#order.pick([500, 4_000, 12_000]));
      case 'spawn':
        return void this.#spawn();
      case 'crash':
        this.#faults.left -= 1;
        return process.kill();
      case 'freeze':
        this.#faults.left -= 1;
        process.frozen = true;
        return this.#world.note(`${process.name} stands still`);
      case 'thaw':
        for (const { frozen, name } of alive) if (frozen) this.#world.note(`${name} goes on`);
        for (const each of alive) each.frozen = false;
    }
  }

  #pass(at: number): void {
    this.#world.tickTo(Math.min(at, this.#world.nextTimer ?? at));
    this.#world.note(`it is +${this.#world.now - Date.UTC(2026, 0, 1)}`);
    for (const process of this.#alive()) if (!process.frozen) process.clock.beat();
  }

  /** A duplicate of something sent before; only what bears a key may be sent twice. */
  #sendAgain(process: SimulatedProcess): void {
    const keyed = this.#client.commands.filter(command => command.keyed);
    if (keyed.length > 0) this.#client.send(this.#order.pick(keyed), process);
  }

  #openRows(): RequestRow[] {
    return [...this.#data.requests.values()].filter(({ status }) => status === 'open');
  }

  #answer(process: SimulatedProcess): void {
    const rows = this.#order.chance(0.8) ? this.#openRows() : [...this.#data.requests.values()];
    if (rows.length > 0) this.#client.send(this.#client.answer(this.#order.pick(rows)), process);
  }

  #steer(process: SimulatedProcess): void {
    this.#commandsLeft -= 1;
    const { id } = this.#run;
    if (this.#order.chance(0.4))
      return this.#client.send(this.#client.signal(id, this.#order.pick(['go', 'come'])), process);
    this.#client.send(this.#client.steer(this.#run, this.#order.pick(actsFor(this.#run))), process);
  }

  /** One step towards the end, as a patient outside would take it. False: there is none. */
  #carryOn(turn: number): boolean {
    if (this.#world.release(this.#order, () => true)) return true;
    if (this.#alive().length === 0) this.#spawn();
    const process = this.#order.pick(this.#alive());
    const [unsettled] = this.#client.unsettled;
    // Everything is at rest, so a command that has no outcome yet is lost.
    if (unsettled !== undefined) this.#client.send(unsettled, process);
    else if (this.#run.status === 'paused') this.#client.send(this.#client.steer(this.#run, 'resume'), process);
    else if (this.#world.nextTimer !== undefined && (turn % 2 === 0 || this.#run.requests.size === 0))
      this.#pass(this.#world.nextTimer);
    else if (this.#openRows().length > 0) this.#client.send(this.#client.answer(this.#openRows()[0]!), process);
    else return this.#wakeOrSignal(process);
    return true;
  }

  #idle = 0;

  #wakeOrSignal(process: SimulatedProcess): boolean {
    this.#idle += 1;
    const waiting = [...this.#run.tokens.values()].flatMap(({ at }) =>
      at.kind === 'node'
        ? [...at.journal.values()].flatMap(({ status, wait, first }) =>
            status === 'recorded' ? [] : [wait, ...Object.values(first ?? {})],
          )
        : [],
    );
    const signal = waiting.find(wait => wait?.signal !== undefined)?.signal;
    if (signal !== undefined) this.#client.send(this.#client.signal(this.#run.id, signal), process);
    else this.#pass(this.#world.now + 15_000);
    return this.#idle < 60;
  }
}
