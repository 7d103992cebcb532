import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { unknownRun } from '@signalbox/runtime';
import type { Cli } from '../cli.ts';

/** `run_` and so many more letters may stand for the one run whose id begins with them. */
const BEGINNING = /^run_[\w-]{4,}$/;
const PAGE = 500;
const TOLD = 5;

/**
 * The id of a run, by its id or the beginning of its id.
 *
 * @throws SignalboxError `UnknownRun`, `AmbiguousTarget`
 */
export async function findRun({ tenant }: Pick<Cli, 'tenant'>, store: EventStore, given: string): Promise<string> {
  const row = await store.run(given);
  if (row !== undefined && row.tenant !== tenant) throw ofOtherTenant(given, row.tenant);
  if (row !== undefined && (await store.head(given)) !== undefined) return given;
  const found = BEGINNING.test(given) ? await beginningWith(store, tenant, given) : [];
  if (found.length === 0) throw unknownRun(given);
  if (found.length === 1) return found[0]!;
  throw new SignalboxError('AmbiguousTarget', `Several runs begin with ${given}.`, {
    hint: `Such as ${found.slice(0, TOLD).join(', ')}.`,
    details: { run: given },
  });
}

function ofOtherTenant(runId: string, tenant: string): SignalboxError {
  return new SignalboxError('UnknownRun', `There is no run ${runId} of this tenant.`, {
    hint: `It is a run of tenant ${JSON.stringify(tenant)}: say --tenant.`,
    details: { run: runId, tenant },
  });
}

async function beginningWith(store: EventStore, tenant: string, given: string): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.runs({ tenant, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { runId } of page.rows) if (runId.startsWith(given)) found.push(runId);
    after = page.next;
  } while (after !== undefined && found.length <= TOLD);
  return found;
}
