import {
  findRequest,
  type JsonObject,
  type JsonValue,
  type Principal,
  type Program,
  type RequestState,
  type Run,
  type StoredEvent,
} from '@signalbox/kernel';
import type { DeliveryMessage, DeliveryType, EventStore } from '@signalbox/ports';
import { openCommit, unreadable } from '../log/commit-codec.ts';
import { loadRun } from '../log/run-log.ts';
import { type RequestView, requestView } from '../views/request-view.ts';
import { deliveredRequest } from './delivered-request.ts';
import { messageId, type QueuedMessage } from './delivery-event.ts';

export interface MessageSources {
  readonly store: EventStore;
  program(version: string): Promise<Program>;
}

/** UTF-16 units of JSON. */
const MOST = 65_536;
const CLOSING: ReadonlySet<DeliveryType> = new Set(['request.answered', 'request.expired', 'request.withdrawn']);
/** Left out first to last where a message would be too large. */
const DROPPABLE = ['displays', 'proposal', 'message', 'summary'] as const;

/**
 * Makes a message from the log. It is the same whenever and wherever it is made.
 *
 * @throws SignalboxError `LogUnreadable`
 */
export async function messageOf(sources: MessageSources, queued: QueuedMessage): Promise<DeliveryMessage> {
  const { event, at } = await eventOf(sources.store, queued);
  // What an event closes can be seen whole right before it.
  const seq = CLOSING.has(queued.type) ? queued.seq - 1 : queued.seq;
  const run = (await loadRun(sources.store, queued.run, seq))?.run;
  const request = run === undefined ? undefined : findRequest(run, queued.request);
  if (run === undefined || request === undefined)
    throw unreadable(queued.run, seq, `it does not hold request ${queued.request}`);
  return bounded({
    id: messageId(queued),
    type: queued.type,
    at,
    tenant: run.tenant,
    run: { id: run.id, graph: run.graph },
    ...(run.session === undefined ? {} : { session: run.session }),
    request: deliveredRequest(await viewOf(sources, run, request)),
    ...detailsOf(event),
  });
}

async function eventOf(
  store: EventStore,
  { run, seq }: QueuedMessage,
): Promise<{ readonly event: StoredEvent; readonly at: string }> {
  const [stored] = await store.read(run, { fromSeq: seq, toSeq: seq, limit: 1 });
  const commit = stored === undefined ? undefined : openCommit(stored);
  const event = commit?.events[seq - commit.firstSeq];
  if (commit === undefined || event === undefined) throw unreadable(run, seq, 'there is no such event');
  return { event, at: commit.at };
}

async function viewOf(sources: MessageSources, run: Run, request: RequestState): Promise<RequestView> {
  return requestView(run, request, request.status === 'open' ? await sources.program(run.version) : undefined);
}

function detailsOf({ type, data }: StoredEvent): Pick<DeliveryMessage, 'answer' | 'reason'> {
  if (type === 'request.answered') {
    const { action, by, at } = data as JsonObject & { by: JsonValue };
    return { answer: { action, by: by as unknown as Principal, at } as NonNullable<DeliveryMessage['answer']> };
  }
  if (type === 'request.withdrawn') return { reason: String(data.reason) };
  if (type === 'request.expired') return { reason: String(data.onExpire) };
  return {};
}

function bounded(message: DeliveryMessage): DeliveryMessage {
  let fitting = message;
  const truncated: string[] = [];
  for (const name of DROPPABLE) {
    if (JSON.stringify(fitting).length <= MOST) return fitting;
    if (fitting.request[name] === undefined) continue;
    const { [name]: _, ...request } = fitting.request;
    truncated.push(name);
    fitting = { ...fitting, request, truncated: [...truncated] };
  }
  if (JSON.stringify(fitting).length <= MOST) return fitting;
  return { ...fitting, request: { ...fitting.request, fields: [] }, truncated: [...truncated, 'fields'] };
}
