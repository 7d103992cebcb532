import type { JsonValue } from '../../json/value.ts';
import { answerOutput } from '../answer-output.ts';
import type { Draft } from '../draft.ts';
import type { OpRecord } from '../node-execution.ts';
import type { RequestState } from '../request-state.ts';
import type { Timer } from '../run.ts';
import type { Evolve } from './evolver.ts';
import { record } from './op-events.ts';

export const requestOpened: Evolve<'request.opened'> = (draft, data) => {
  const title = data.filled?.title ?? data.definition?.title;
  const state: RequestState = {
    id: data.request,
    token: data.token,
    node: data.node,
    visit: data.visit,
    op: data.op,
    status: 'open',
    definition: data.definition,
    filled: data.filled ?? {},
    kind: data.kind,
    title: typeof title === 'string' ? title : '',
    assignees: data.assignees ?? data.definition?.assignees ?? [],
    openedAt: draft.run.at,
    deadline: data.deadline,
    step: 0,
    about: data.about ?? 'ask',
    subject: data.subject,
    hold: data.hold,
    answer: undefined,
  };
  draft.requests().set(data.request, state);
  setTimes(draft, state, data);
  const execution = draft.execution(data);
  if (execution === undefined || data.about !== undefined || isOwn(execution.journal.get(data.op))) return;
  draft.journal(execution).set(data.op, {
    op: data.op,
    kind: 'ask',
    digest: data.digest ?? '',
    status: 'intended',
    order: -1,
    wait: { request: data.request },
    ...(data.grants === undefined ? {} : { grants: data.grants }),
  });
};

/** There, and not only taken over from an earlier visit. */
function isOwn(record: OpRecord | undefined): boolean {
  return record !== undefined && record.adopted === undefined;
}

interface Times {
  readonly deadline?: number;
  readonly reminders?: readonly number[];
}

/** Timers of a question, by the part of the id behind `request/<id>`. */
function setTimer(draft: Draft, request: RequestState, part: string, kind: Timer['kind'], at: number): void {
  const id = `request/${request.id}${part}`;
  const { token, node, visit, op } = request;
  draft.timers().set(id, { id, at, kind, token, node, visit, op, request: request.id });
}

function setTimes(draft: Draft, request: RequestState, { deadline, reminders = [] }: Times): void {
  if (deadline !== undefined) setTimer(draft, request, '', 'request', deadline);
  for (const at of reminders) setTimer(draft, request, `/remind/${at}`, 'reminder', at);
}

function dropTimes(draft: Draft, id: string, which: (timer: Timer) => boolean = () => true): void {
  for (const timer of draft.run.timers.values())
    if (timer.request === id && which(timer)) draft.timers().delete(timer.id);
}

/** An open request as it is after a change. One that is closed is left alone. */
function change(draft: Draft, id: string, changed: (request: RequestState) => RequestState): void {
  const request = draft.run.requests.get(id);
  if (request !== undefined) draft.requests().set(id, changed(request));
}

/** A closed request keeps what is needed to say what became of it. */
function close(
  draft: Draft,
  id: string,
  status: RequestState['status'],
  known?: Partial<Pick<RequestState, 'answer' | 'key' | 'digest' | 'withdrawn'>>,
): RequestState {
  const request = draft.run.requests.get(id);
  if (request === undefined) throw new Error(`No request "${id}" in run ${draft.run.id}.`);
  dropTimes(draft, id);
  const { claim: _, ...rest } = request;
  const closed = { ...rest, definition: undefined, filled: {}, status, ...known };
  draft.requests().delete(id);
  draft.closedRequests().set(id, closed);
  return closed;
}

export const requestClaimed: Evolve<'request.claimed'> = (draft, { request: id, by, until }) => {
  dropTimes(draft, id, ({ kind }) => kind === 'claim');
  const claim = { by, at: draft.run.at, ...(until === undefined ? {} : { until }) };
  change(draft, id, request => {
    if (until !== undefined) setTimer(draft, request, '/claim', 'claim', until);
    return { ...request, claim };
  });
};

export const requestReleased: Evolve<'request.released'> = (draft, { request: id, by }) => {
  dropTimes(draft, id, ({ kind }) => kind === 'claim');
  change(draft, id, ({ claim: _, ...request }) => ({
    ...request,
    assignees:
      by.kind === 'service' ? request.assignees.filter(name => name !== `service:${by.id}`) : request.assignees,
  }));
};

export const requestEndorsed: Evolve<'request.endorsed'> = (draft, data) => {
  const { request: id, ...endorsement } = data;
  dropTimes(draft, id, ({ kind }) => kind === 'claim');
  change(draft, id, ({ claim: _, ...request }) => ({
    ...request,
    endorsements: endorsement.action === 'edit' ? [endorsement] : [...(request.endorsements ?? []), endorsement],
  }));
};

export const requestReminded: Evolve<'request.reminded'> = (draft, { request, due }) => {
  dropTimes(draft, request, ({ kind, at }) => kind === 'reminder' && at <= due);
};

export const requestAnswered: Evolve<'request.answered'> = (draft, data) => {
  const { request: id, key, digest, ...answer } = data;
  const request = close(draft, id, 'answered', { answer, key, digest });
  countAsked(draft, request);
  if (request.about === 'ask') answerOp(draft, request, answerOutput(answer));
};

/** As if it had been put and answered. It counts in the chain only where a pass begins anew by it, which must not go on for ever. */
export const requestRecalled: Evolve<'request.recalled'> = (draft, data) => {
  const { token, node, visit, op, request: id, kind, title, digest = '', action, values, by, at } = data;
  const answer = { action, ...(values === undefined ? {} : { values }), by, at };
  const state: RequestState = {
    ...{ id, token, node, visit, op, kind, title, answer },
    status: 'answered',
    definition: undefined,
    filled: {},
    assignees: [],
    openedAt: draft.run.at,
    deadline: undefined,
    step: 0,
    about: 'ask',
    subject: undefined,
    hold: undefined,
  };
  draft.closedRequests().set(id, state);
  if (data.restarts) countAsked(draft, state);
  record(draft, state, { kind: 'ask', digest, value: answerOutput(answer) });
};

/** How long a chain of questions is must be known when the requests themselves are forgotten. */
function countAsked(draft: Draft, { about, token: id }: RequestState): void {
  if (about !== 'ask' || !draft.run.tokens.has(id)) return;
  const token = draft.token(id);
  token.asked = (token.asked ?? 0) + 1;
}

/** An answer is the record of the operation that asked, alone or as the winner of a first-of. */
function answerOp(draft: Draft, request: RequestState, value: JsonValue): void {
  const op = draft.execution(request)?.journal.get(request.op);
  if (op === undefined || op.status === 'recorded' || op.first !== undefined) return;
  record(draft, request, { kind: op.kind, digest: op.digest, value });
}

export const requestExpired: Evolve<'request.expired'> = (draft, data) => {
  countAsked(draft, close(draft, data.request, 'expired'));
};

/** The next is asked as if for the first time: nobody has claimed it, and they are reminded anew. */
export const requestEscalated: Evolve<'request.escalated'> = (draft, data) => {
  dropTimes(draft, data.request);
  change(draft, data.request, ({ claim: _, ...request }) => {
    const next = { ...request, assignees: data.assignees ?? [data.to], step: data.step, deadline: data.deadline };
    setTimes(draft, next, data);
    return next;
  });
};

export const requestWithdrawn: Evolve<'request.withdrawn'> = (draft, data) => {
  const status = data.reason === 'superseded' ? 'superseded' : 'withdrawn';
  close(draft, data.request, status, { withdrawn: data.note ?? data.reason });
};
