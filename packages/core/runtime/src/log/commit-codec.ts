import * as crypto from 'node:crypto';
import { type Commit, isJsonObject, SignalboxError } from '@signalbox/kernel';
import type { Append, Sealed, StoredCommit } from '@signalbox/ports';

/** From Node 20.12 on; a quarter quicker for texts of a kilobyte. */
const hashAtOnce: typeof crypto.hash | undefined = crypto.hash;

/** Lower-case hex SHA-256. The kernel has one in plain JavaScript; on the hot path the platform's is many times faster. */
export function sha256(text: string): string {
  return hashAtOnce === undefined
    ? crypto.createHash('sha256').update(text).digest('hex')
    : hashAtOnce('sha256', text, 'hex');
}

/** A commit ready to be appended; its text is made when a store asks for it, and only once. */
export function toAppend(commit: Commit): Append {
  let sealed: Sealed | undefined;
  return {
    stream: commit.stream,
    expectedSeq: commit.firstSeq - 1,
    expectedHash: commit.prev,
    lastSeq: commit.firstSeq + commit.events.length - 1,
    commit,
    seal() {
      sealed ??= sealText(JSON.stringify(commit));
      return sealed;
    },
  };
}

export function sealText(text: string): Sealed {
  return { text, hash: sha256(text) };
}

/**
 * The commit that a store gave back, checked against its hash. A commit that cannot be read is never a null:
 *
 * @throws SignalboxError `LogUnreadable` naming stream and first seq.
 */
export function openCommit(stored: StoredCommit): Commit {
  if (stored.commit !== undefined) return stored.commit;
  const { sealed, stream, firstSeq } = stored;
  if (sealed === undefined) throw unreadable(stream, firstSeq, 'it has no content');
  if (sha256(sealed.text) !== sealed.hash) throw unreadable(stream, firstSeq, 'its text does not match its hash');
  let commit: unknown;
  try {
    commit = JSON.parse(sealed.text);
  } catch (error) {
    throw unreadable(stream, firstSeq, error instanceof Error ? error.message : String(error));
  }
  if (
    !isJsonObject(commit) ||
    commit.stream !== stream ||
    commit.firstSeq !== firstSeq ||
    !Array.isArray(commit.events)
  )
    throw unreadable(stream, firstSeq, 'it is not the commit that was expected there');
  return commit as unknown as Commit;
}

export function unreadable(stream: string, seq: number, reason: string): SignalboxError {
  return new SignalboxError('LogUnreadable', `The log of ${stream} cannot be read at ${seq}: ${reason}.`, {
    hint: 'Nothing is accepted for this run until its log is mended; see `signalbox verify`.',
    details: { stream, seq, reason },
  });
}
