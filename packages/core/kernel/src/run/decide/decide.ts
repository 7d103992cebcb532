import { isSignalboxError, SignalboxError } from '../../error/error.ts';
import { assertPrincipal } from '../../event/principal.ts';
import type { RunEvent } from '../../event/run-event.ts';
import type { Program } from '../../graph/program.ts';
import type { Command } from '../command.ts';
import { Draft } from '../draft.ts';
import type { Run } from '../run.ts';
import { answer } from './answer.ts';
import { settleReserved } from './budget.ts';
import { changeMemory } from './change-memory.ts';
import { claimRequest, releaseRequest } from './claims.ts';
import { compensated } from './compensation.ts';
import * as control from './control.ts';
import { Decider, ENDED, errorData } from './decider.ts';
import { doubt } from './doubt.ts';
import { fail } from './finish.ts';
import { report, reportLate } from './report.ts';
import { idleTime, timeOut, timeoutAt } from './run-timeout.ts';
import { settle } from './settle.ts';
import { receiveSignal } from './signals.ts';
import { start } from './start.ts';
import { fireDue, nextTimer } from './timers.ts';
import { withdrawRequest } from './withdraw.ts';

/**
 * What a command comes to.
 * `refusal` is set when the command was not carried out; events may be there all the same (a refused answer is a fact).
 */
export interface Decision {
  readonly events: readonly RunEvent[];
  readonly refusal?: SignalboxError;
}

/** Same run, same program, same command: same events. The run given stays as it was. */
export function decide(program: Program, run: Run, command: Command): Decision {
  return decideOn(program, new Draft(run), command);
}

/** `decide` and the run that results, in one pass. */
export function transition(program: Program, run: Run, command: Command): Decision & { readonly run: Run } {
  const draft = new Draft(run);
  const decision = decideOn(program, draft, command);
  return { ...decision, run: draft.run };
}

/**
 * Decides on a draft, which then stands after the decision. For a driver that keeps one draft: when the events cannot be
 * committed, or this throws anything but a refusal, the draft is void and the run has to be loaded anew.
 */
export function decideOn(program: Program, draft: Draft, command: Command): Decision {
  const d = new Decider(program, draft, command);
  try {
    carryOut(d, command);
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    // A refusal is thrown before anything but `request.refused` and passed deadlines was decided.
    settleIfBegun(d);
    return { events: d.events, refusal: error };
  }
  if (d.run.seq > 0) settle(d);
  return { events: d.events };
}

function settleIfBegun(d: Decider): void {
  if (d.events.some(event => event.type !== 'request.refused')) settle(d);
}

const FROM_DRIVER: ReadonlySet<Command['type']> = new Set([
  'claim',
  'release',
  'tick',
  'idle',
  'admit',
  'report',
  'doubt',
  'compensated',
]);

function carryOut(d: Decider, command: Command): void {
  if (command.type !== 'start' && d.run.seq === 0) throw new SignalboxError('UnknownRun', 'There is no such run.');
  if (!FROM_DRIVER.has(command.type)) assertPrincipal(command.actor);
  switch (command.type) {
    case 'start':
      return start(d, command);
    case 'claim':
      return claim(d, command);
    case 'release':
      if (stale(d, command.term) || d.run.owner === undefined) return;
      return d.emit('run.released', { owner: d.run.owner });
    case 'tick':
      return tick(d, command);
    case 'idle':
      return idled(d);
    case 'admit':
      return admit(d, command);
    case 'report':
      if (stale(d, command.term)) return reportLate(d, command, command.ops);
      catchUp(d);
      return report(d, command, command.ops, command.end);
    case 'doubt':
      if (stale(d, command.term)) return;
      return doubt(d, command);
    case 'compensated':
      if (stale(d, command.term)) return;
      return compensated(d, command.ref, command.error);
    case 'answer':
      fireDue(d);
      return answer(d, command);
    case 'claimRequest':
      fireDue(d);
      return claimRequest(d, command);
    case 'releaseRequest':
      fireDue(d);
      return releaseRequest(d, command);
    case 'withdrawRequest':
      fireDue(d);
      return withdrawRequest(d, command);
    case 'signal':
      return receiveSignal(d, command);
    case 'memory':
      return changeMemory(d, command);
    case 'note':
      return d.emit('note.added', { text: command.text });
    case 'erased':
      return d.emit('payload.erased', { digest: command.digest, reason: command.reason });
    default:
      return steer(d, command);
  }
}

type Steering = Extract<
  Command,
  {
    type:
      | 'pause'
      | 'resume'
      | 'step'
      | 'retry'
      | 'edit'
      | 'jump'
      | 'cancel'
      | 'reopen'
      | 'rollback'
      | 'fork'
      | 'migrate';
  }
>;

function steer(d: Decider, command: Steering): void {
  switch (command.type) {
    case 'pause':
      return control.pause(d, command);
    case 'resume':
      return control.resume(d, command);
    case 'step':
      return control.step(d, command);
    case 'reopen':
      return control.reopen(d, command);
    case 'retry':
      return control.retry(d, command);
    case 'edit':
      return control.edit(d, command);
    case 'jump':
      return control.jump(d, command);
    case 'cancel':
      return control.cancel(d, command);
    case 'rollback':
      return control.rollback(d, command);
    case 'fork':
      return control.fork(d, command);
    case 'migrate':
      return control.migrate(d, command);
  }
}

function idled(d: Decider): void {
  const { idle } = idleTime(d, d.lastAt);
  if (idle === undefined) return;
  d.emit('run.idled', { idle });
  settleReserved(d, d.lastAt);
}

/** Only one that waits for its turn has any use for it. */
function admit(d: Decider, { view }: Extract<Command, { type: 'admit' }>): void {
  if (d.run.place === 'queued') d.emit('place.taken', view === undefined ? {} : { view });
}

/** How many drivers may die at one point before the node that was at work fails. */
const CRASH_LIMIT = 3;

function claim(d: Decider, command: Extract<Command, { type: 'claim' }>): void {
  const { owner, build, lastAt = d.lastAt } = command;
  d.emit('run.claimed', { owner, term: d.run.term + 1, build, ...idleTime(d, lastAt) });
  settleReserved(d, lastAt);
  const limit = command.crashLimit ?? CRASH_LIMIT;
  for (const token of [...d.run.tokens.values()]) {
    const { at } = token;
    if (at.kind !== 'node' || at.crashes < limit) continue;
    const message = `Node "${at.node}" crashed ${at.crashes} times at one point with nothing new recorded.`;
    fail(d, { token: token.id, node: at.node, visit: at.visit }, errorData('CrashLoop', message, { permanent: true }), {
      retry: false,
    });
  }
}

/** A driver that was overtaken must stop; a run that has ended is done, which is no error. */
function stale(d: Decider, term: number): boolean {
  if (term !== d.run.term)
    throw new SignalboxError(
      'TermLost',
      `Term ${term} of run ${d.run.id} is over; it is driven in term ${d.run.term}.`,
    );
  return ENDED.has(d.run.status);
}

/** Of a run that nobody is at work on time brings what it waits for, and no end of its executing time. */
function tick(d: Decider, { unclaimed }: Extract<Command, { type: 'tick' }>): void {
  if (ENDED.has(d.run.status)) return;
  if (unclaimed) fireDue(d);
  else catchUp(d);
}

/** What time alone has brought by now, before anything else is taken over: the deadline decides, not the timer. */
function catchUp(d: Decider): void {
  fireDue(d);
  const due = timeoutAt(d.program, d.run);
  if (due === undefined || due > d.at) return;
  timeOut(d);
}

/**
 * The next moment, epoch ms, at which a `tick` would change the run; undefined when time alone changes nothing.
 * `unclaimed`: as of the tick.
 */
export function nextTick(program: Program, run: Run, unclaimed = false): number | undefined {
  if (ENDED.has(run.status)) return undefined;
  const timer = nextTimer(run.timers.values());
  const timeout = unclaimed ? undefined : timeoutAt(program, run);
  if (timer === undefined) return timeout;
  return timeout === undefined ? timer : Math.min(timer, timeout);
}
