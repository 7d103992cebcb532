import type { JsonObject, JsonValue } from '../json/value.ts';
import { decodeRun, encodeRun } from './codec.ts';
import type { Run } from './run.ts';

/** What a rollback sets back: where the tokens are and their state. Counters and episodes go on. */
export type Frame = Pick<Run, 'tokens' | 'scopes' | 'signals'>;

export function toFrame(run: Run): JsonObject {
  const { tokens, scopes, signals } = run;
  const { body, lists } = encodeRun({ tokens, scopes, signals });
  return { body, lists: lists.map(list => list.toList()) };
}

export function fromFrame(frame: JsonObject): Frame {
  const lists = (frame.lists as readonly (readonly JsonValue[])[]).map(list => list.slice());
  return decodeRun<Partial<Run>>(frame.body as JsonObject, lists) as Frame;
}
