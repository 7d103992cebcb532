import {
  type CommandBody,
  closedError,
  digestOf,
  isSignalboxError,
  type JsonValue,
  type Principal,
  SignalboxError,
} from '@signalbox/kernel';
import { isStoreConflict } from '@signalbox/ports';
import type { CommandExtras } from '../drive/command-queue.ts';
import { isStoredDigest } from '../sensitive/stored-digest.ts';
import { untilOpened } from './early-answers.ts';
import type { Engine } from './engine.ts';
import { requestOf, rolesOf } from './request-acts.ts';

export interface AnswerInput {
  readonly action?: string;
  readonly values?: JsonValue;
  readonly note?: string;
  /** Digest of what was looked at, as the question shows it; another than the question's is refused. */
  readonly subject?: string;
  /** Idempotency key: the same key with the same content gets the stored outcome. */
  readonly key?: string;
}

/** Answers a request by its id. Returns the run it belongs to. */
export async function answerRequest(
  engine: Engine,
  requestId: string,
  input: AnswerInput,
  by: Principal,
): Promise<string> {
  await untilOpened(engine, requestId);
  const row = await requestOf(engine, requestId);
  await answerRun(engine, row.runId, { ...input, request: requestId }, by);
  return row.runId;
}

/** Answers a run's one open question, or the one named. */
export async function answerRun(
  engine: Engine,
  runId: string,
  input: AnswerInput & { readonly request?: string },
  by: Principal,
): Promise<void> {
  const { key, ...content } = input;
  if (input.request !== undefined) await untilOpened(engine, input.request, runId);
  const roles = await knownRoles(engine, runId, by);
  const body = { type: 'answer' as const, ...content, ...(key === undefined ? {} : { key }), ...roles };
  if (key === undefined) {
    await answerOrTell(engine, runId, body, by);
    return;
  }
  const id = `answer:${key}`;
  const digest = digestOf({ ...content, by: { ...by } } as JsonValue);
  if (await answeredBefore(engine, runId, key, digest)) return;
  const extras: CommandExtras = {
    commandId: { id, outcome: decision => JSON.stringify({ digest, refused: decision.refusal?.code ?? null }) },
  };
  try {
    await answerOrTell(engine, runId, body, by, extras);
  } catch (error) {
    // Sent twice at once: whichever comes second sees what the first has left, and the outcome is that of the first.
    if (
      isStoreConflict(error)
        ? await answeredBefore(engine, runId, key, digest)
        : await wasAccepted(engine, runId, id, digest)
    )
      return;
    throw error;
  }
}

/** A look at the run's row is spared where nobody could say what roles there are. */
async function knownRoles(engine: Engine, runId: string, by: Principal): Promise<{ roles?: readonly string[] }> {
  if (engine.identity === undefined) return {};
  const row = await engine.store.run(runId);
  return row === undefined ? {} : await rolesOf(engine.identity, by, row.tenant);
}

type AnswerBody = Extract<CommandBody, { type: 'answer' }>;

/** What was closed long ago the run knows no more of; then the store says what became of it, and the run refuses by that. */
async function answerOrTell(
  engine: Engine,
  runId: string,
  body: AnswerBody,
  by: Principal,
  extras?: CommandExtras,
): Promise<void> {
  try {
    await engine.command(runId, body, by, extras);
  } catch (error) {
    if (!isSignalboxError(error) || error.code !== 'UnknownRequest' || body.request === undefined) throw error;
    const row = await engine.store.request(body.request);
    if (row === undefined || row.runId !== runId || row.status === 'open') throw error;
    await engine.command(runId, { ...body, closed: row.status }, by, extras);
  }
}

async function wasAccepted(engine: Engine, runId: string, id: string, digest: string): Promise<boolean> {
  const outcome = await outcomeOf(engine, runId, id);
  return (
    outcome?.refused === null &&
    (await isStoredDigest(engine, { runId, digest: outcome.digest, commandId: id }, digest))
  );
}

/** True when this very answer was accepted under this key; a refused one may be tried again under another. */
async function answeredBefore(engine: Engine, runId: string, key: string, digest: string): Promise<boolean> {
  const id = `answer:${key}`;
  const outcome = await outcomeOf(engine, runId, id);
  if (outcome === undefined) return false;
  if (!(await isStoredDigest(engine, { runId, digest: outcome.digest, commandId: id }, digest)))
    throw await usedKey(engine, runId, key);
  if (outcome.refused !== null)
    throw new SignalboxError(outcome.refused, 'This answer was refused before.', { details: { key: id } });
  return true;
}

/** With the answer that was accepted under the key, as far as the run still knows it. */
async function usedKey(engine: Engine, runId: string, key: string): Promise<SignalboxError> {
  const { run } = await engine.view(runId);
  const answered = [...run.closedRequests.values()].find(request => request.key === key);
  const told = answered === undefined ? undefined : closedError(answered);
  const message = `This key was used for another answer.${told === undefined ? '' : ` ${told.message}`}`;
  return new SignalboxError('AlreadyAnswered', message, { details: { ...told?.details, key: `answer:${key}` } });
}

interface Outcome {
  readonly digest: string;
  readonly refused: string | null;
}

async function outcomeOf({ store }: Engine, runId: string, id: string): Promise<Outcome | undefined> {
  const stored = await store.commandOutcome(runId, id);
  return stored === undefined ? undefined : (JSON.parse(stored) as Outcome);
}
