import type { EventStore } from '@signalbox/ports';
import { unknownRun } from '@signalbox/runtime';

/** @throws SignalboxError `UnknownRun` */
export async function assertRun(store: EventStore, runId: string): Promise<void> {
  if ((await store.head(runId)) === undefined || (await store.run(runId)) === undefined) throw unknownRun(runId);
}
