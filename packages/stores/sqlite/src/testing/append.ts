import { createHash } from 'node:crypto';
import type { Append } from '@signalbox/ports';

/** An append of one event. */
export function append(stream: string, expectedSeq: number, note = ''): Append {
  const firstSeq = expectedSeq + 1;
  const commit = {
    stream,
    firstSeq,
    at: '2026-11-30T10:00:00.000Z',
    actor: { kind: 'system', id: 'test' },
    events: [{ type: 'note.added', data: { note } }],
  } as const;
  const text = JSON.stringify(commit);
  return {
    stream,
    expectedSeq,
    lastSeq: firstSeq,
    commit,
    seal: () => ({ text, hash: createHash('sha256').update(text).digest('hex') }),
  };
}
