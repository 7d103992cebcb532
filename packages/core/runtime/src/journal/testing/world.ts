import type { JsonObject, JsonValue } from '@signalbox/kernel';
import { type Testbox, type TestboxOptions, testbox } from '@signalbox/testkit';
import type { RegisteredGraph } from '../../engine/graph-registry.ts';

export interface Event {
  readonly seq: number;
  readonly type: string;
  readonly data: JsonObject;
}

export interface View {
  readonly status: string;
  readonly reason?: string;
  readonly details?: JsonObject;
  readonly error?: JsonObject;
  readonly output?: JsonValue;
  readonly requests: readonly { readonly id: string; readonly title: string; readonly about: string }[];
}

/** A run in a testbox, by id: the box may be replaced under it. */
export class World {
  box: Testbox;
  id = '';

  constructor(graph: RegisteredGraph, options: TestboxOptions = {}) {
    this.box = testbox({ chain: true, ...options, graphs: [graph as never] });
  }

  async start(input: JsonValue = {}): Promise<this> {
    this.id = (await this.box.start<unknown, unknown>('coded', input)).id;
    await this.box.settle();
    return this;
  }

  get run() {
    return this.box.get(this.id);
  }

  async view(): Promise<View> {
    await this.box.settle();
    return (await this.run.view()) as unknown as View;
  }

  async settled(): Promise<View> {
    await this.run.settled();
    return await this.view();
  }

  async events(type?: string): Promise<Event[]> {
    const events: Event[] = [];
    for await (const event of this.run.events()) if (type === undefined || event.type === type) events.push(event);
    return events;
  }

  async answer(action = 'approve', values?: JsonObject): Promise<this> {
    await this.run.answer({ action, ...(values === undefined ? {} : { values }) });
    await this.box.settle();
    return this;
  }

  /** The process dies, or stops in good order; another takes over, with other code where a graph is given. */
  async restart(graph?: RegisteredGraph, options: { clean?: boolean } = {}): Promise<this> {
    this.box = await this.box.restart({ ...options, ...(graph === undefined ? {} : { graphs: [graph as never] }) });
    await this.box.settle();
    return this;
  }
}

export async function startWorld(graph: RegisteredGraph, options: TestboxOptions = {}): Promise<World> {
  return await new World(graph, options).start();
}
