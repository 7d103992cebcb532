import { createHash } from 'node:crypto';
import type { Append } from '@signalbox/ports';

/** An append of one event; with `prev`, the hash before. */
export function append(stream: string, expectedSeq: number, note = '', prev?: string): Append {
  const firstSeq = expectedSeq + 1;
  const commit = {
    stream,
    firstSeq,
    at: '2026-11-30T10:00:00.000Z',
    actor: { kind: 'system', id: 'test' },
    ...(prev === undefined ? {} : { prev }),
    events: [{ type: 'note.added', data: { note } }],
  } as const;
  const text = JSON.stringify(commit);
  return {
    stream,
    expectedSeq,
    expectedHash: prev,
    lastSeq: firstSeq,
    commit,
    seal: () => ({ text, hash: createHash('sha256').update(text).digest('hex') }),
  };
}

/** The first commits of a stream, each with the hash of the one before. */
export function chain(stream: string, notes: readonly string[]): Append[] {
  const appends: Append[] = [];
  for (const note of notes) appends.push(append(stream, appends.length, note, appends.at(-1)?.seal().hash));
  return appends;
}
