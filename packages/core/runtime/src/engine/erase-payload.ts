import type { Commit, Principal } from '@signalbox/kernel';
import type { StoredCommit } from '@signalbox/ports';
import { openCommit } from '../log/commit-codec.ts';
import { payloadsOf, unknownPayload } from '../log/payloads.ts';
import { commitsFrom } from '../log/run-log.ts';
import type { Engine } from './engine.ts';

/**
 * Deletes the bytes of a payload. Every run whose log refers to it (forks and copies share it) records the erasure, so
 * that whoever holds the value in a snapshot or in memory lets go of it; the run that was named comes last, so an erasure
 * that was cut off is seen to be unfinished and may be asked for again. Reads through the log of the whole store.
 *
 * @throws SignalboxError `UnknownPayload` when no event of this run refers to it.
 */
export async function erasePayload(
  engine: Engine,
  runId: string,
  digest: string,
  reason: string,
  by: Principal,
): Promise<void> {
  if (!(await refersTo(engine, runId, digest))) throw unknownPayload(digest);
  const { run } = await engine.view(runId);
  const others = await streamsWith(engine, digest);
  others.delete(runId);
  const failures: unknown[] = [];
  for (const stream of [...others, runId]) {
    try {
      await engine.store.dropSnapshots(stream);
      const erasures = [{ tenant: run.tenant, digest }];
      await engine.command(stream, { type: 'erased', digest, reason }, by, { erasures });
    } catch (error) {
      // A damaged copy must not keep the others.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function refersTo(engine: Engine, runId: string, digest: string): Promise<boolean> {
  for await (const { lean } of commitsFrom(engine.store, runId)) if (payloadsOf(lean).includes(digest)) return true;
  return false;
}

const PAGE = 500;

/** Runs that refer to a payload and have not recorded its erasure. */
async function streamsWith({ store }: Engine, digest: string): Promise<Set<string>> {
  const streams = new Set<string>();
  for (let after: string | undefined; ; ) {
    const page = await store.feed({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const stored of page.commits) {
      const commit = mentioning(stored, digest);
      if (commit === undefined) continue;
      if (payloadsOf(commit).includes(digest)) streams.add(commit.stream);
      if (commit.events.some(event => event.type === 'payload.erased' && event.data.digest === digest))
        streams.delete(commit.stream);
    }
    if (page.commits.length < PAGE) return streams;
    after = page.cursor;
  }
}

/** Only a text that holds the digest is read; one that is damaged counts for nothing here, as it does for its run. */
function mentioning(stored: StoredCommit, digest: string): Commit | undefined {
  if (stored.sealed !== undefined && !stored.sealed.text.includes(digest)) return undefined;
  try {
    return openCommit(stored);
  } catch {
    return undefined;
  }
}
