import { type Commit, isJsonObject, SignalboxError } from '@signalbox/kernel';
import type { EventStore, StoredCommit } from '@signalbox/ports';
import { unreadable } from '../log/commit-codec.ts';
import { payloadsOf } from '../log/payloads.ts';
import {
  type Attachment,
  type ManifestDocument,
  manifestLine,
  outcomeAttachment,
  RUN_FILE_FORMAT,
  RUN_FILE_VERSION,
  type RunManifest,
} from './run-file.ts';
import { sealedCommits } from './sealed-commits.ts';
import { StreamWalk } from './verify-stream.ts';

/**
 * A run as lines of a run file, without their line ends (see `run-file.ts`). The history is checked before the first line is
 * given, so a damaged one is never exported as a whole one. A store without a chain gets one here.
 *
 * @param options.madeAt RFC 3339 UTC, for the manifest.
 * @throws SignalboxError `UnknownRun`, `LogUnreadable`
 */
export async function* exportRun(
  store: EventStore,
  runId: string,
  options: { readonly madeAt: string },
): AsyncGenerator<string> {
  const manifest = await manifestOf(store, runId, options.madeAt);
  yield manifestLine(manifest);
  for await (const { text, commit } of sealedCommits(store, runId, manifest.head.seq)) {
    for await (const attachment of attachmentsOf(store, manifest.tenant, commit)) yield JSON.stringify(attachment);
    yield text;
  }
}

async function manifestOf(store: EventStore, runId: string, madeAt: string): Promise<RunManifest> {
  const walk = new StreamWalk(store, runId);
  const versions = new Set<string>();
  let hash = '';
  let payloads = 0;
  for await (const { stored, commit, hash: own } of sealedCommits(store, runId)) {
    await checked(walk, stored, runId);
    hash = own;
    payloads += new Set(payloadsOf(commit)).size;
    for (const { type, data } of commit.events) {
      if (type === 'run.started') versions.add(String(data.version));
      if (type === 'run.migrated') versions.add(String(data.to));
    }
  }
  const { run } = walk;
  if (run === undefined)
    throw new SignalboxError('UnknownRun', `There is no run ${runId}.`, { details: { run: runId } });
  return {
    format: RUN_FILE_FORMAT,
    formatVersion: RUN_FILE_VERSION,
    runId,
    tenant: run.tenant,
    graph: run.graph,
    version: run.version,
    semantics: run.semantics,
    head: { seq: run.seq, hash },
    commits: walk.report().commits,
    payloads,
    documents: await documentsOf(store, versions),
    madeAt,
  };
}

async function checked(walk: StreamWalk, stored: StoredCommit, runId: string): Promise<void> {
  if (await walk.check(stored)) return;
  const { seq = stored.firstSeq, reason = '' } = walk.report().firstBad ?? {};
  throw unreadable(runId, seq, reason);
}

async function* attachmentsOf(store: EventStore, tenant: string, commit: Commit): AsyncGenerator<Attachment> {
  for (const digest of new Set(payloadsOf(commit))) {
    const text = await store.payload(tenant, digest);
    yield text === undefined ? { erased: digest } : { payload: digest, text };
  }
  for (const command of commit.commands ?? [])
    yield outcomeAttachment(command, (await store.commandOutcome(commit.stream, command)) ?? null);
}

async function documentsOf(store: EventStore, versions: Iterable<string>): Promise<ManifestDocument[]> {
  const documents: ManifestDocument[] = [];
  for (const hash of versions) {
    const text = await store.document('graph', hash);
    if (text === undefined) continue;
    const definition: unknown = JSON.parse(text);
    if (!isJsonObject(definition)) continue;
    const name = String(definition.name);
    const whole = JSON.stringify(definition) === text;
    documents.push({ kind: 'graph', name, hash, ...(whole ? { definition } : { text }) });
  }
  return documents;
}
