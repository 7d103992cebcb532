import { isSignalboxError } from '../../error/error.ts';
import type { ErrorData, OpRef } from '../../event/run-event.ts';
import { sha256Hex } from '../../json/digest.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { doubtRequest } from '../../request/doubt.ts';
import { commitTime } from '../../time/commit-time.ts';
import { globalKey, opKey } from '../keys.ts';
import type { OpRecord } from '../node-execution.ts';
import type { RequestState } from '../request-state.ts';
import type { LaterOp, Run } from '../run.ts';

/** @param later what it was beyond the point of a fork or rollback. */
export function doubtQuestion(run: Run, ref: OpRef, record: OpRecord, later: LaterOp | undefined): RequestDefinition {
  const begunAs = { ...ref, visit: record.from ?? ref.visit };
  const known = later !== undefined && later.unknown === undefined;
  // In a fork, or after a rollback, what was begun earlier had a key that the run cannot derive any more.
  // That of a tool's call tells in which attempt it was judged, which stands with the judgement.
  const isOfAttempt = record.kind === 'tool' && record.attempt !== undefined;
  const isKeyKnown = run.fork === undefined && run.generation === 0 && !isOfAttempt;
  // What stands beyond the point was begun when it was begun there, not when the code came to it again.
  const begun = later === undefined ? record.begun : later.at;
  const context: JsonObject = {
    operation: opKey(begunAs, ref.op),
    ...(record.request?.arguments === undefined ? {} : { arguments: JSON.stringify(record.request.arguments) }),
    ...(begun === undefined ? {} : { begun: commitTime(begun) }),
    ...(isKeyKnown ? { idempotencyKey: sha256Hex(globalKey(run, begunAs, ref.op)) } : {}),
    // As text, like its arguments: what an operation got and gave must not be read as part of the question.
    ...(known && later.error === undefined ? { gave: JSON.stringify(later.value ?? null) } : {}),
    ...(known && later.error !== undefined ? { failedWith: JSON.stringify(later.error) } : {}),
  };
  return doubtRequest({ name: ref.op.replace(/#1$/, ''), node: ref.node, context, known });
}

/** What the operation gave beyond the point, as the question tells it. */
export function knownEnd({ definition }: RequestState): { readonly value?: JsonValue; readonly error?: ErrorData } {
  const context = isJsonObject(definition?.context) ? definition.context : {};
  if (typeof context.failedWith === 'string') return { error: JSON.parse(context.failedWith) as ErrorData };
  return { value: typeof context.gave === 'string' ? (JSON.parse(context.gave) as JsonValue) : null };
}

interface ResultFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A result goes on as what the operation gave, so that text which is no JSON must not pass for it. */
export function resultFaults({ outcome, result }: JsonObject): readonly ResultFault[] {
  if (outcome !== 'done') return [];
  try {
    parsedResult(result);
    return [];
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    const message = `must be JSON, such as "booked as 77" or {"id":77}: ${error.message}`;
    return [{ pointer: '/result', code: 'json', message }];
  }
}

/** Nothing given is null. @throws SignalboxError `InvalidJson` */
export function parsedResult(text: JsonValue | undefined): JsonValue {
  return typeof text !== 'string' || text.trim() === '' ? null : parseStrictJson(text);
}
