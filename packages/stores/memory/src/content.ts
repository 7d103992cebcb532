import type { DocumentRow, EventStore, LabelRow, Snapshot } from '@signalbox/ports';
import { keyOf, type MemoryData } from './memory-data.ts';

type ContentCalls = Pick<
  EventStore,
  | 'snapshot'
  | 'saveSnapshot'
  | 'chunks'
  | 'snapshotSeqs'
  | 'dropSnapshots'
  | 'payload'
  | 'payloadErased'
  | 'document'
  | 'documents'
  | 'label'
  | 'labels'
>;

/** Snapshots, payloads, documents and labels. */
export function contentCalls(open: () => MemoryData): ContentCalls {
  return {
    async snapshot(stream, maxSeq = Number.MAX_SAFE_INTEGER) {
      const found = open()
        .snapshots.get(stream)
        ?.findLast(({ seq }) => seq <= maxSeq);
      return found && { ...found };
    },
    async saveSnapshot(snapshot, chunks) {
      const data = open();
      const others = (data.snapshots.get(snapshot.stream) ?? []).filter(({ seq }) => seq !== snapshot.seq);
      const known = data.chunks.get(snapshot.stream) ?? new Map<string, string>();
      data.snapshots.set(snapshot.stream, [...others, { ...snapshot }].sort(bySeq));
      for (const { id, text } of chunks) known.set(id, text);
      data.chunks.set(snapshot.stream, known);
    },
    async chunks(stream, ids) {
      const known = open().chunks.get(stream);
      return ids.flatMap(id => {
        const text = known?.get(id);
        return text === undefined ? [] : [{ id, text }];
      });
    },
    async snapshotSeqs(stream) {
      return (open().snapshots.get(stream) ?? []).map(({ seq }) => seq).sort((a, b) => a - b);
    },
    async dropSnapshots(stream, seqs) {
      const data = open();
      if (seqs !== undefined) {
        const kept = (data.snapshots.get(stream) ?? []).filter(({ seq }) => !seqs.includes(seq));
        data.snapshots.set(stream, kept);
        return;
      }
      data.snapshots.delete(stream);
      data.chunks.delete(stream);
    },
    async payload(tenant, digest) {
      return open().payloads.get(keyOf(tenant, digest)) ?? undefined;
    },
    async payloadErased(tenant, digest) {
      return open().payloads.get(keyOf(tenant, digest)) === null;
    },
    async document(kind, hash) {
      for (const row of open().documents.values()) if (row.kind === kind && row.hash === hash) return row.text;
      return undefined;
    },
    async documents(kind, name) {
      return [...open().documents.values()].filter(row => row.kind === kind && isNamed(row, name)).map(toDocumentRow);
    },
    async label(tenant, kind, name, label) {
      return open().labels.get(keyOf(tenant, kind, name, label))?.hash;
    },
    async labels(tenant, kind, name) {
      return [...open().labels.values()]
        .filter(row => row.tenant === tenant && row.kind === kind && isNamed(row, name))
        .map(row => ({ kind: row.kind, name: row.name, label: row.label, hash: row.hash }))
        .sort(byNameThenLabel);
    },
  };
}

function bySeq(a: Snapshot, b: Snapshot): number {
  return a.seq - b.seq;
}

function isNamed(row: { readonly name: string }, name: string | undefined): boolean {
  return name === undefined || row.name === name;
}

function toDocumentRow({ kind, name, hash, createdAt }: DocumentRow): DocumentRow {
  return { kind, name, hash, createdAt };
}

function byNameThenLabel(a: LabelRow, b: LabelRow): number {
  return compare(a.name, b.name) || compare(a.label, b.label);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
