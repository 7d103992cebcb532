import type { EventStore } from '@signalbox/ports';
import type { Testbox } from '@signalbox/testkit';
import { askingGraph } from './channel.ts';

export const graph = askingGraph();
export const FINN = 'user:finn';

/** Starts a run and waits until its question is open. */
export async function asked(box: Testbox, options: { readonly tenant?: string } = {}) {
  const run = await box.start(graph, {}, options);
  const view = await run.settled();
  await box.settle();
  return { run, request: view.status === 'suspended' ? view.requests[0]!.id : '' };
}

/** Types of the events in a channel's record, in a store that keeps commits as they are. */
export async function eventsOf(store: EventStore, stream = 'delivery_default/desk'): Promise<string[]> {
  const commits = await store.read(stream);
  return commits.flatMap(({ commit }) => commit!.events.map(({ type }) => type));
}
