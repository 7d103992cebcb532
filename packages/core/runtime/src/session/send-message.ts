import {
  type Decision,
  isJsonObject,
  isSignalboxError,
  type JsonValue,
  jsonEqual,
  MASK,
  maskBySchema,
  type Principal,
  SignalboxError,
} from '@signalbox/kernel';
import { isStoreConflict } from '@signalbox/ports';
import type { CommandExtras } from '../drive/command-queue.ts';
import type { Engine } from '../engine/engine.ts';
import type { RegisteredGraph } from '../engine/graph-registry.ts';
import { type StartOptions, startDigest } from '../engine/starts.ts';
import { Secrets } from '../sensitive/secrets.ts';
import { requestView } from '../views/request-view.ts';
import { messageEvent } from './change-session.ts';
import { fittingAnswer } from './fitting-answer.ts';
import { sentCommandId } from './sent-id.ts';
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
 * A message from outside, and what it leads to, in one commit. The same message under the same start key leads to the same,
 * whatever has been asked meanwhile.
 * @throws SignalboxError `QuestionOpen` where that is what it is to lead to.
 */
export async function sendMessage(engine: Engine, place: SessionPlace, sent: Sent): Promise<SentTo> {
  const { graph, input, whileOpen, start, by } = sent;
  const before = await sentBefore(engine, place, sent);
  if (before !== undefined) return before;
  if (whileOpen !== 'newRun') {
    const answered = await answerOrReject(engine, place, sent);
    if (answered !== undefined) return answered;
  }
  const options = { ...start, session: place.id, tenant: place.tenant, as: by };
  const runId = await engine.start(graph, input, options, [messageEvent('user', shownMessage(sent))]);
  // Sent twice at once, the other may have answered.
  return (await sentBefore(engine, place, sent)) ?? { runId };
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
  const { fields, ...question } = requestView(run, request, program);
  const values = fittingAnswer({ ...question, fields }, sent.message, run.zone);
  if (values === undefined) return undefined;
  const isSensitive = fields.some(({ name, sensitive }) => sensitive === true && Object.hasOwn(values, name));
  const to = { runId, request: requestId };
  try {
    const said = { session: [messageEvent('user', isSensitive ? MASK : sent.message)], ...underKey(place, sent, to) };
    await engine.command(runId, { type: 'answer', request: requestId, values }, sent.by, said);
    return to;
  } catch (error) {
    const before = isStoreConflict(error) ? await sentBefore(engine, place, sent) : undefined;
    if (before !== undefined) return before;
    const code = isStoreConflict(error) ? await refusedBefore(engine, sent, runId) : codeOf(error);
    if (code !== undefined && CLOSED.has(code)) return undefined;
    if (code === undefined || !isStoreConflict(error)) throw error;
    throw new SignalboxError(code, 'This message was refused as an answer before.', { details: to });
  }
}

function codeOf(error: unknown): string | undefined {
  return isSignalboxError(error) ? error.code : undefined;
}

// ── under a key ──────────────────────────────────────────────────────────────────────────────────────────────

interface Outcome {
  readonly request: string;
  readonly refused: string | null;
}

/** The key stands for the run from the commit that accepts the answer, which the run's stream remembers beside it. */
function underKey({ tenant }: SessionPlace, sent: Sent, { runId, request }: Required<SentTo>): CommandExtras {
  const { key } = sent.start;
  if (key === undefined) return {};
  const outcome = ({ refusal }: Decision) =>
    JSON.stringify({ request, refused: refusal?.code ?? null } satisfies Outcome);
  return {
    startKey: { tenant, key, runId, digest: startDigest(sent.graph, sent.input) },
    commandId: { id: sentCommandId(key), outcome },
  };
}

/** @throws SignalboxError `StartKeyConflict` when the key stands for something else. */
async function sentBefore(engine: Engine, { tenant }: SessionPlace, sent: Sent): Promise<SentTo | undefined> {
  const { key } = sent.start;
  if (key === undefined) return undefined;
  const runId = await engine.startedBefore(tenant, key, startDigest(sent.graph, sent.input));
  if (runId === undefined) return undefined;
  const outcome = await outcomeOf(engine, runId, key);
  return outcome === undefined ? { runId } : { runId, request: outcome.request };
}

/** What the run has refused under this key. */
async function refusedBefore(engine: Engine, { start: { key } }: Sent, runId: string): Promise<string | undefined> {
  const outcome = key === undefined ? undefined : await outcomeOf(engine, runId, key);
  return outcome?.refused ?? undefined;
}

async function outcomeOf(engine: Engine, runId: string, key: string): Promise<Outcome | undefined> {
  const stored = await engine.store.commandOutcome(runId, sentCommandId(key));
  return stored === undefined ? undefined : (JSON.parse(stored) as Outcome);
}

function questionOpen(open: readonly string[]): SignalboxError {
  return new SignalboxError('QuestionOpen', 'A question of this session is open, and is to be answered first.', {
    hint: `Answer ${open.join(', ')}.`,
    details: { open: [...open] },
  });
}

/**
 * The message as its session keeps it: what the graph marks as sensitive stays in the run. Where the graph gets something
 * else, what is marked in that is masked as it turns up in the message by the run's commit, which masks whatever goes into
 * the session; a value too short to be found in a text hides all of it.
 */
function shownMessage({ graph, message, input }: Sent): JsonValue {
  const schema = graph.program.graphs.get('')?.definition.input;
  const shown = schema === undefined ? input : maskBySchema(schema, input);
  if (shown === input) return message;
  if (jsonEqual(input, inputOf(message))) return isJsonObject(message) || !isJsonObject(shown) ? shown : shown.message!;
  const marked = new Secrets();
  marked.learn(input, shown);
  return marked.areFoundWithin ? message : MASK;
}

/** What a graph gets that is not told otherwise: the message as its `message`, or as its members. */
export function inputOf(message: JsonValue): JsonValue {
  return isJsonObject(message) ? message : { message };
}
