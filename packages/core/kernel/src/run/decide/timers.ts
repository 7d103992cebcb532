import { commitTime } from '../../time/commit-time.ts';
import { findRequest, type Timer } from '../run.ts';
import { cancelNode } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { fail, succeed } from './finish.ts';
import { requestOf } from './request-of.ts';
import { defaultValues, takeDefaults } from './unattended.ts';
import { memberOf, resolveOp } from './waits.ts';

/** Fires what is due, earliest first; equal times in the order of their ids. The deadline decides, not the timer. */
export function fireDue(d: Decider): void {
  for (;;) {
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
  const steps = deadline?.to ?? [];
  if (then === 'escalate' && request.step < steps.length && request.deadline !== undefined) {
    const time = compiled.deadlineAfter ?? request.deadline - request.openedAt;
    const to = steps[request.step]!;
    return d.emit('request.escalated', { request: id, to, step: request.step + 1, deadline: request.deadline + time });
  }
  const values = then === 'default' ? defaultValues(d, request, compiled) : undefined;
  if (values !== undefined) return takeDefaults(d, request, compiled, values);
  d.emit('request.expired', { request: id, onExpire: then === 'route' ? 'route' : 'fail' });
  if (!d.isAt(request)) return;
  if (then === 'route') return routeExpired(d, id);
  fail(
    d,
    refOf(request),
    errorData('RequestExpired', `Nobody answered "${request.title}" before its deadline.`, { permanent: true }),
    { retry: false },
  );
}

function routeExpired(d: Decider, id: string): void {
  const request = findRequest(d.run, id)!;
  const ref = refOf(request);
  const output = {
    action: 'expired',
    values: {},
    note: null,
    by: { kind: 'system', id: 'deadline' },
    at: commitTime(d.at),
  };
  const node = d.node(d.token(request.token), request.node);
  if (node.definition.type === 'ask') return succeed(d, ref, { output, outcome: 'expired' });
  const at = d.token(request.token).at;
  const record = at.kind === 'node' ? at.journal.get(request.op) : undefined;
  if (record === undefined) return;
  resolveOp(
    d,
    ref,
    request.op,
    output,
    memberOf(record, wait => wait.request === id),
  );
}

/** The next moment at which time alone changes the run, epoch ms; undefined when none does. */
export function nextTimer(timers: Iterable<Timer>): number | undefined {
  let next: number | undefined;
  for (const timer of timers) if (next === undefined || timer.at < next) next = timer.at;
  return next;
}
