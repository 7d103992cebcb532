import type { CompiledRequest } from '../../graph/program.ts';
import type { JsonObject } from '../../json/value.ts';
import { reminderTimes } from '../../request/reminders.ts';
import { commitTime } from '../../time/commit-time.ts';
import type { RequestState } from '../request-state.ts';
import type { Timer } from '../run.ts';
import { cancelNode } from './cancel-token.ts';
import { offerToService, release } from './claims.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { fail } from './finish.ts';
import { goOnWith } from './go-on-with.ts';
import { requestOf } from './request-of.ts';
import { refuseLimit } from './settle-limit.ts';
import { defaultValues, takeDefaults } from './unattended.ts';
import { memberOf, resolveOp } from './waits.ts';

/** Fires what is due, earliest first; equal times in the order of their ids. The deadline decides, not the timer. */
export function fireDue(d: Decider): void {
  while (d.run.timers.size > 0) {
    const due = [...d.run.timers.values()].filter(timer => timer.at <= d.at).sort(byTime)[0];
    if (due === undefined) return;
    fire(d, due);
  }
}

function byTime(a: Timer, b: Timer): number {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}

function fire(d: Decider, timer: Timer): void {
  switch (timer.kind) {
    case 'retry':
      return d.emit('timer.fired', { timer: timer.id });
    case 'sleep':
      d.emit('timer.fired', { timer: timer.id });
      return wake(d, timer);
    case 'deadline':
      d.emit('timer.fired', { timer: timer.id });
      if (!d.isAt(timer)) return;
      cancelNode(d, timer, 'failed', { keepToken: true });
      return fail(
        d,
        refOf(timer),
        errorData('DeadlineExceeded', `Node "${timer.node}" did not end before its deadline.`),
        { retry: false },
      );
    case 'request':
      return expire(d, timer.request!);
    case 'claim':
      return release(d, timer.request!, 'silent');
    case 'reminder':
      return remind(d, timer);
  }
}

function wake(d: Decider, timer: Timer): void {
  const at = d.run.tokens.get(timer.token)?.at;
  const record = at?.kind === 'node' && d.isAt(timer) ? at.journal.get(timer.op!) : undefined;
  if (record === undefined) return;
  resolveOp(
    d,
    refOf(timer),
    timer.op!,
    null,
    memberOf(record, wait => wait.timer === timer.at),
  );
}

/** What a passed deadline does is the request's own: the next person, the defaults, the `expired` route, or failure. */
export function expire(d: Decider, id: string): void {
  const request = d.run.requests.get(id);
  if (request === undefined) return;
  const compiled = requestOf(d.program, d.run, request);
  const deadline = compiled.definition.deadline;
  const then = deadline?.onExpire ?? 'fail';
  const step = then === 'escalate' ? compiled.escalation[request.step] : undefined;
  if (step !== undefined && request.deadline !== undefined) return escalate(d, request, compiled, step);
  const values = then === 'default' ? defaultValues(d, request, compiled) : undefined;
  if (values !== undefined) return takeDefaults(d, request, compiled, values);
  d.emit('request.expired', { request: id, onExpire: then === 'route' ? 'route' : 'fail' });
  if (request.about === 'limit') return refuseLimit(d, request);
  if (!d.isAt(request)) return;
  if (then === 'route') return goOnWith(d, request, expiredOutput(d.at), 'expired');
  fail(
    d,
    refOf(request),
    errorData('RequestExpired', `Nobody answered "${request.title}" before its deadline.`, { permanent: true }),
    { retry: false },
  );
}

type Step = CompiledRequest['escalation'][number];

/**
 * The next is asked with the same time again, or that of the step, counted from the deadline that has passed; from now, where nobody looked for so long that
 * it would be over already: nobody is passed over unasked.
 */
function escalate(d: Decider, request: RequestState, compiled: CompiledRequest, { assignees, after }: Step): void {
  const passed = request.deadline!;
  const time = after ?? compiled.deadlineAfter ?? passed - request.openedAt;
  const from = passed + time > d.at ? passed : d.at;
  const deadline = from + time;
  const reminders = reminderTimes(compiled.reminders, from, deadline);
  d.emit('request.escalated', {
    request: request.id,
    to: assignees[0]!,
    ...(assignees.length === 1 ? {} : { assignees }),
    step: request.step + 1,
    deadline,
    ...(reminders.length === 0 ? {} : { reminders }),
  });
  offerToService(d, request.id);
}

/** Of several that were missed the last alone; none once the deadline has passed, which then decides. */
function remind(d: Decider, timer: Timer): void {
  const id = timer.request!;
  const { deadline } = d.run.requests.get(id) ?? {};
  if (deadline !== undefined && deadline <= d.at) return expire(d, id);
  const missed = [...d.run.timers.values()].filter(
    ({ kind, request, at }) => kind === 'reminder' && request === id && at <= d.at,
  );
  d.emit('request.reminded', { request: id, due: Math.max(...missed.map(({ at }) => at)) });
}

function expiredOutput(at: number): JsonObject {
  return { action: 'expired', values: {}, note: null, by: { kind: 'system', id: 'deadline' }, at: commitTime(at) };
}

/** The next moment at which time alone changes the run, epoch ms; undefined when none does. */
export function nextTimer(timers: Iterable<Timer>): number | undefined {
  let next: number | undefined;
  for (const timer of timers) if (next === undefined || timer.at < next) next = timer.at;
  return next;
}
