import type { EventStore } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import type { Names } from './names.ts';
import { deleteChunks, deleteSnapshot, deleteSnapshots, upsertChunk, upsertSnapshot } from './sql/content.ts';
import { deleteLease, upsertLease } from './sql/runs.ts';
import type { WriteQueue } from './write-queue.ts';

/** Writes that lose nothing when they are lost, so they are never synced. */
export function smallWrites(
  db: Connection,
  names: Names,
  queue: WriteQueue,
): Pick<EventStore, 'lease' | 'saveSnapshot' | 'dropSnapshots'> {
  const write = (writer: string, run: () => void): Promise<void> => queue.write({ writer, sync: false, run });
  return {
    lease: (owner, until) =>
      write('', () => {
        const id = names.wordIdFor(owner);
        db.run(until === 0 ? deleteLease(id) : upsertLease(id, until));
      }),
    saveSnapshot: ({ stream, seq, format, body }, chunks) => {
      const kept = chunks.map(chunk => ({ ...chunk }));
      return write(stream, () => {
        const id = names.streamIdFor(stream);
        db.run(upsertSnapshot(id, seq, format, body));
        for (const chunk of kept) db.run(upsertChunk(id, chunk.id, chunk.text));
      });
    },
    dropSnapshots: (stream, only) => {
      const seqs = only === undefined ? undefined : [...only];
      return write(stream, () => {
        const id = names.streamIdFor(stream);
        if (seqs !== undefined) {
          for (const seq of seqs) db.run(deleteSnapshot(id, seq));
          return;
        }
        db.run(deleteSnapshots(id));
        db.run(deleteChunks(id));
      });
    },
  };
}
