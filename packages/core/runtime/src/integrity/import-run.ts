import { type GraphDefinition, type Run, SignalboxError } from '@signalbox/kernel';
import type { CommitBatch, EventStore } from '@signalbox/ports';
import { sealText } from '../log/commit-codec.ts';
import {
  type CheckedRunFile,
  checkRunFile,
  type FileCommit,
  isManifest,
  type ReadOptions,
  type RunLines,
  readRunFile,
} from './check-run-file.ts';
import { type CopyNames, copiedRun, copyCommit, copyNames } from './copied-run.ts';
import { ImportWriter } from './import-writer.ts';
import { importInvalid } from './run-file.ts';
import { sealedCommits } from './sealed-commits.ts';

export type ImportedRows = Pick<CommitBatch, 'runs' | 'requests' | 'startKey'>;

export interface ImportOptions extends ReadOptions {
  /**
   * Another id for the run: it is chained anew under it, its requests get ids of their own, and its start key is not
   * claimed. Without it the run keeps its id and every byte of its log.
   */
  readonly as?: string;
  /** The rows of the run as it stands; its definition where the file holds it. */
  readonly rowsOf: (run: Run, definition: GraphDefinition | undefined) => ImportedRows | Promise<ImportedRows>;
}

export interface ImportedRun {
  readonly runId: string;
  readonly tenant: string;
  readonly commits: number;
  readonly events: number;
  /** The very run was in the store already; nothing was written. */
  readonly existed: boolean;
}

/**
 * Brings an exported run into a store. The whole file is proved before the first write; the rows come in the last one, so
 * nobody sees a run that is not whole, and an import that was cut off is continued by the next. What a file does not hold
 * (snapshots, leases) the store's users make anew.
 *
 * @throws SignalboxError `ImportInvalid` (with the line), `ImportConflict` when the store has that run with another history,
 * or its start key with another run.
 */
export async function importRun(store: EventStore, lines: RunLines, options: ImportOptions): Promise<ImportedRun> {
  const file = await checkRunFile(lines, options);
  const { manifest } = file;
  const names = options.as === undefined ? undefined : copyNames(file.run, options.as);
  const runId = options.as ?? manifest.runId;
  const result = { runId, tenant: manifest.tenant, commits: manifest.commits, events: manifest.head.seq };
  const last = await lastBatch(file, names, options);
  const there = (await store.head(runId))?.seq ?? 0;
  const known = (await store.run(runId)) !== undefined;
  if (there > manifest.head.seq || (known && there < manifest.head.seq))
    throw conflict(runId, `it ends at ${there} there`);
  await checkStartKey(store, runId, last);

  const writer = new ImportWriter(store, manifest.tenant);
  const present = sealedCommits(store, runId, there);
  for await (const { commit, text, attachments } of targetCommits(lines, options, names, manifest.head.hash)) {
    if (commit.firstSeq > there) {
      await writer.add(commit, text, attachments);
      continue;
    }
    const next = await present.next();
    if (next.done === true || next.value.text !== text)
      throw conflict(runId, `its commit at ${commit.firstSeq} is another there`);
  }
  if (known) return { ...result, existed: true };
  await writer.finish(last);
  return { ...result, existed: false };
}

type Ready = Pick<FileCommit, 'commit' | 'text' | 'attachments'>;

/** The commits as they are to be stored. That the file is still the one that was proved shows in its chain. */
async function* targetCommits(
  lines: RunLines,
  options: ReadOptions,
  names: CopyNames | undefined,
  head: string,
): AsyncGenerator<Ready> {
  let before: string | undefined;
  let copied: string | undefined;
  let line = 1;
  for await (const entry of readRunFile(lines, options)) {
    if (isManifest(entry)) continue;
    line = entry.line;
    if (entry.commit.prev !== before) break;
    before = entry.hash;
    if (names === undefined) yield entry;
    else {
      const commit = copyCommit(entry.commit, names, copied);
      const { text, hash } = sealText(JSON.stringify(commit));
      copied = hash;
      yield { commit, text, attachments: entry.attachments };
    }
  }
  if (before !== head) throw importInvalid(line, 'the file was changed while it was read');
}

type LastBatch = ImportedRows & Pick<CommitBatch, 'documents'>;

async function lastBatch(
  file: CheckedRunFile,
  names: CopyNames | undefined,
  options: ImportOptions,
): Promise<LastBatch> {
  const run = names === undefined ? file.run : copiedRun(file.run, names);
  const { startKey, ...rows } = await options.rowsOf(run, file.definitions.get(run.version)?.definition);
  const documents = [...file.definitions].map(([hash, { definition, text }]) => ({
    kind: 'graph',
    name: definition.name,
    hash,
    createdAt: run.startedAt,
    text,
  }));
  return { ...rows, documents, ...(startKey === undefined || names !== undefined ? {} : { startKey }) };
}

async function checkStartKey(store: EventStore, runId: string, { startKey }: LastBatch): Promise<void> {
  const holder = startKey === undefined ? undefined : await store.startKey(startKey.tenant, startKey.key);
  if (startKey !== undefined && holder !== undefined && holder.runId !== runId)
    throw conflict(runId, `its start key ${JSON.stringify(startKey.key)} belongs to run ${holder.runId}`);
}

function conflict(runId: string, reason: string): SignalboxError {
  return new SignalboxError('ImportConflict', `Run ${runId} cannot be imported here: ${reason}.`, {
    hint: 'Nothing was changed. Import it under another id.',
    details: { run: runId, reason },
  });
}
