import { createEmbeddedHost } from '@signalbox/host-embedded';
import { isSignalboxError, type Run } from '@signalbox/kernel';
import type { Host } from '@signalbox/ports';
import type { Committed } from '@signalbox/runtime';
import { Engine, type RegisteredGraph } from '@signalbox/runtime';
import { createMemoryStore, type MemoryData } from '@signalbox/store-memory';
import { createSeededIds } from '@signalbox/testkit';
import { type Faults, faultyStore, InjectedFault, type StoreOwner } from './faulty-store.ts';
import { handlersOf, type Witness } from './handlers.ts';
import type { Random } from './random.ts';
import type { RandomGraph } from './random-graph.ts';
import type { ProcessClock, World } from './world.ts';

export interface ProcessOptions {
  readonly name: string;
  readonly world: World;
  readonly data: MemoryData;
  readonly graph: RandomGraph;
  readonly order: Random;
  readonly faults: Faults;
  readonly skew: number;
  readonly witness: (owner: SimulatedProcess) => Witness;
  committed(commit: Committed, run: Run): void;
  /** An error of the background that nobody injected. */
  failed(error: unknown): void;
}

/** Time that passes while a call of the store is on its way makes a slow store of it: what is told of that is no fault of the engine. */
function isOfFaults(error: unknown): boolean {
  if (error instanceof InjectedFault) return true;
  return isSignalboxError(error) && error.code === 'Timeout' && error.message.startsWith('Looking in other runs');
}

/** One engine with a store, a clock and code of its own; it can die at any point, or stand still for a while. */
export class SimulatedProcess implements StoreOwner {
  readonly name: string;
  readonly engine: Engine;
  readonly clock: ProcessClock;
  readonly graph: RegisteredGraph;
  alive = true;
  frozen = false;
  readonly #world: World;

  constructor(options: ProcessOptions) {
    const { name, world, data, graph, order, faults, skew } = options;
    this.name = name;
    this.#world = world;
    this.clock = world.clock(skew);
    const store = faultyStore(createMemoryStore({ shared: data }), this, world, order, faults);
    this.engine = new Engine({
      store,
      clock: this.clock,
      ids: createSeededIds(name),
      host: this.#tracedHost(),
      codec: { toDefinition: request => request as never },
      observer: {
        committed: (commit, run) => options.committed(commit, run),
        onError: error => {
          if (!isOfFaults(error)) options.failed(error);
        },
      },
    });
    this.graph = {
      name: graph.definition.name,
      definition: graph.definition,
      program: graph.program,
      handlers: handlersOf(graph, options.witness(this)),
      code: {},
    };
    this.engine.register(this.graph);
  }

  #tracedHost(): Host {
    const host = createEmbeddedHost({ clock: this.clock });
    const onDue: Host['onDue'] = drive =>
      host.onDue(async runId => {
        this.#world.note(`${this.name} drives`);
        await drive(runId);
        this.#world.note(`${this.name} rests`);
      });
    return { ...host, onDue };
  }

  kill(): void {
    if (!this.alive) return;
    this.#world.note(`${this.name} dies`);
    this.alive = false;
    this.clock.kill();
    this.#world.unpark(this);
  }
}
