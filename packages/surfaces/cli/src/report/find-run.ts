import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { unknownRun } from '@signalbox/runtime';

/** `run_` and so many more letters may stand for the one run whose id begins with them. */
const BEGINNING = /^run_[\w-]{4,}$/;
const PAGE = 500;
const TOLD = 5;

/**
 * The id of a run, by its id or the beginning of its id.
 *
 * @throws SignalboxError `UnknownRun`, `AmbiguousTarget`
 */
export async function findRun(store: EventStore, given: string): Promise<string> {
  if ((await store.run(given)) !== undefined && (await store.head(given)) !== undefined) return given;
  const found = BEGINNING.test(given) ? await beginningWith(store, given) : [];
  if (found.length === 0) throw unknownRun(given);
  if (found.length === 1) return found[0]!;
  throw new SignalboxError('AmbiguousTarget', `Several runs begin with ${given}.`, {
    hint: `Such as ${found.slice(0, TOLD).join(', ')}.`,
    details: { run: given },
  });
}

async function beginningWith(store: EventStore, given: string): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.runs({ tenant: 'default', limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { runId } of page.rows) if (runId.startsWith(given)) found.push(runId);
    after = page.next;
  } while (after !== undefined && found.length <= TOLD);
  return found;
}
