import {
  findRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Principal,
  type Program,
  type RequestState,
  type Run,
  type StoredEvent,
} from '@signalbox/kernel';
import type { DeliveredRequest, DeliveryMessage, DeliveryType, EventStore } from '@signalbox/ports';
import { openCommit, unreadable } from '../log/commit-codec.ts';
import { loadRun } from '../log/run-log.ts';
import { type RequestView, requestView } from '../views/request-view.ts';
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
    request: delivered(await viewOf(sources, run, request)),
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

/** Named one by one: what a later view shows beside these is not published unsaid. */
function delivered(view: RequestView): DeliveredRequest {
  const { id, kind, title, message, gap, summary, purpose, displays, actions, assignees, openedAt, deadline } = view;
  const { node, subject } = view;
  const secret = new Set(view.fields.filter(isSensitive).map(field => field.name));
  const fields = view.fields.map(field => (secret.has(field.name) ? withoutDefault(field) : field));
  const proposal = withoutValues(view.proposal, secret);
  const optional = { message, gap, summary, purpose, displays, actions, proposal, deadline, subject };
  return {
    id,
    kind,
    title,
    fields,
    assignees,
    openedAt,
    node,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional),
  } as DeliveredRequest;
}

function isSensitive(field: object): boolean {
  return 'sensitive' in field && field.sensitive === true;
}

function withoutDefault<Field extends { readonly default?: unknown }>(field: Field): Field {
  const { default: _, ...rest } = field;
  return rest as Field;
}

function withoutValues(proposal: JsonValue | undefined, secret: ReadonlySet<string>): JsonValue | undefined {
  if (secret.size === 0 || !isJsonObject(proposal) || !isJsonObject(proposal.values)) return proposal;
  const { values, alternatives: _, ...rest } = proposal;
  const shown = Object.entries(values).filter(([name]) => !secret.has(name));
  return { ...rest, values: Object.fromEntries(shown) };
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
