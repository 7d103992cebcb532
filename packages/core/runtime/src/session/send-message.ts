import { isJsonObject, isSignalboxError, type JsonValue, type Principal, SignalboxError } from '@signalbox/kernel';
import type { Engine } from '../engine/engine.ts';
import type { RegisteredGraph } from '../engine/graph-registry.ts';
import type { StartOptions } from '../engine/starts.ts';
import { requestView } from '../views/request-view.ts';
import { messageEvent } from './change-session.ts';
import { fittingAnswer } from './fitting-answer.ts';
import type { SessionPlace } from './session-id.ts';

/** What a message does while a question of the session is open. */
export type WhileOpen = 'newRun' | 'answer' | 'reject';

export interface Sent {
  readonly graph: Pick<RegisteredGraph, 'name' | 'program'>;
  readonly message: JsonValue;
  readonly input: JsonValue;
  readonly whileOpen: WhileOpen;
  readonly start: StartOptions;
  readonly by: Principal;
}

export interface SentTo {
  readonly runId: string;
  /** The question that it answered; absent: it began the run. */
  readonly request?: string;
}

/** Somebody else was first with the question: what was said to it is said to a new run. */
const CLOSED: ReadonlySet<string> = new Set(['AlreadyAnswered', 'RequestClosed', 'RequestExpired', 'InvalidAnswer']);

/**
 * A message from outside, and what it leads to, in one commit.
 * @throws SignalboxError `QuestionOpen` where that is what it is to lead to.
 */
export async function sendMessage(engine: Engine, place: SessionPlace, sent: Sent): Promise<SentTo> {
  const { graph, message, input, whileOpen, start, by } = sent;
  if (whileOpen !== 'newRun') {
    const answered = await answerOrReject(engine, place, sent);
    if (answered !== undefined) return answered;
  }
  const options = { ...start, session: place.id, tenant: place.tenant, as: by };
  return { runId: await engine.start(graph, input, options, [messageEvent('user', message)]) };
}

async function answerOrReject(engine: Engine, place: SessionPlace, sent: Sent): Promise<SentTo | undefined> {
  const { id: session, tenant } = place;
  const { rows } = await engine.store.requests({ tenant, session, status: 'open', limit: 100 });
  if (sent.whileOpen === 'reject' && rows.length > 0) throw questionOpen(rows.map(({ requestId }) => requestId));
  const [only, ...others] = rows;
  if (only === undefined || others.length > 0) return undefined;
  const { runId, requestId } = only;
  const { run, program } = await engine.load(runId);
  const request = run.requests.get(requestId);
  if (request === undefined) return undefined;
  const values = fittingAnswer(requestView(run, request, program), sent.message, run.zone);
  if (values === undefined) return undefined;
  try {
    const said = { session: [messageEvent('user', sent.message)] };
    await engine.command(runId, { type: 'answer', request: requestId, values }, sent.by, said);
    return { runId, request: requestId };
  } catch (error) {
    if (isSignalboxError(error) && CLOSED.has(error.code)) return undefined;
    throw error;
  }
}

function questionOpen(open: readonly string[]): SignalboxError {
  return new SignalboxError('QuestionOpen', 'A question of this session is open, and is to be answered first.', {
    hint: `Answer ${open.join(', ')}.`,
    details: { open: [...open] },
  });
}

/** What a graph gets that is not told otherwise: the message as its `message`, or as its members. */
export function inputOf(message: JsonValue): JsonValue {
  return isJsonObject(message) ? message : { message };
}
