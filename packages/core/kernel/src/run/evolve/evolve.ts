import type { Commit, StoredEvent } from '../../event/commit.ts';
import type { RunEvent, RunEvents } from '../../event/run-event.ts';
import { commitMillis } from '../../time/commit-time.ts';
import { Draft } from '../draft.ts';
import type { Run } from '../run.ts';
import * as branch from './branch-events.ts';
import * as budget from './budget-events.ts';
import type { Evolve } from './evolver.ts';
import * as limit from './limit-events.ts';
import * as memory from './memory-events.ts';
import * as migrate from './migrate-events.ts';
import * as node from './node-events.ts';
import * as op from './op-events.ts';
import * as place from './place-events.ts';
import * as request from './request-events.ts';
import * as restart from './restart-events.ts';
import * as life from './run-events.ts';
import * as scope from './scope-events.ts';
import * as state from './state-events.ts';
import * as token from './token-events.ts';

/** Facts that change nothing a later decision reads; they are for those who look. */
const recordedOnly = (): void => {};

/** Keyed by the whole union: a new event type does not compile until it says what it changes. */
const evolvers: { [Type in keyof RunEvents]: Evolve<Type> } = {
  'run.started': life.started,
  'run.claimed': life.claimed,
  'run.idled': life.idled,
  'run.released': life.released,
  'run.suspended': life.suspended,
  'run.resumed': life.resumed,
  'run.paused': life.paused,
  'run.stepped': life.stepped,
  'run.retried': restart.retried,
  'run.edited': recordedOnly,
  'run.jumped': restart.jumped,
  'run.rolledBack': branch.rolledBack,
  'run.forked': branch.forked,
  'run.migrated': migrate.migrated,
  'run.completed': life.completed,
  'run.failed': life.failed,
  'run.compensating': life.compensating,
  'run.cancelling': life.cancelling,
  'run.cancelled': life.cancelled,
  'run.reopened': restart.reopened,
  'episode.started': restart.episodeStarted,
  'scope.opened': scope.scopeOpened,
  'scope.failing': scope.scopeFailing,
  'scope.failed': scope.scopeFailed,
  'item.opened': scope.itemOpened,
  'scope.closed': scope.scopeClosed,
  'token.ended': token.tokenEnded,
  'node.started': node.nodeStarted,
  'node.passed': node.nodePassed,
  'node.succeeded': node.nodeSucceeded,
  'node.failed': node.nodeFailed,
  'node.suspended': node.nodeSuspended,
  'node.skipped': node.nodeSkipped,
  'node.cancelled': node.nodeCancelled,
  'node.retryScheduled': node.retryScheduled,
  'node.fellBack': node.fellBack,
  'node.stuck': op.nodeStuck,
  'node.unstuck': op.nodeUnstuck,
  'node.woken': op.nodeWoken,
  'op.intended': op.opIntended,
  'op.recorded': op.opRecorded,
  'op.doubted': op.opDoubted,
  'op.retried': op.opRetried,
  'place.queued': place.queued,
  'place.taken': place.taken,
  'place.freed': place.freed,
  'session.changed': place.sessionChanged,
  'message.added': recordedOnly,
  'state.changed': state.stateChanged,
  'decision.made': op.decisionMade,
  'route.decided': token.routeDecided,
  'request.opened': request.requestOpened,
  'request.claimed': request.requestClaimed,
  'request.released': request.requestReleased,
  'request.endorsed': request.requestEndorsed,
  'request.reminded': request.requestReminded,
  'request.answered': request.requestAnswered,
  'request.recalled': request.requestRecalled,
  'memory.written': memory.memoryWritten,
  'memory.removed': memory.memoryRemoved,
  'request.refused': recordedOnly,
  'request.expired': request.requestExpired,
  'request.escalated': request.requestEscalated,
  'request.withdrawn': request.requestWithdrawn,
  'timer.fired': op.timerFired,
  'signal.received': op.signalReceived,
  'signal.consumed': op.signalConsumed,
  'limit.reached': limit.limitReached,
  'limit.extended': limit.limitExtended,
  'compensation.started': op.compensationStarted,
  'compensation.finished': op.compensationFinished,
  'tool.judged': op.toolJudged,
  'tools.changed': op.toolsChanged,
  'budget.spent': budget.budgetSpent,
  'budget.exceeded': budget.budgetExceeded,
  'budget.extended': budget.budgetExtended,
  'note.added': recordedOnly,
  'payload.erased': recordedOnly,
};

/** Applies one event to a draft. An unknown type is recorded by a newer version: it is refused, never skipped. */
export function applyEvent(draft: Draft, event: RunEvent | StoredEvent): void {
  const evolver = evolvers[event.type as keyof RunEvents] as ((draft: Draft, data: unknown) => void) | undefined;
  if (evolver === undefined) throw new Error(`Unknown event type "${event.type}".`);
  draft.begin();
  draft.run.seq += 1;
  evolver(draft, event.data);
}

/** The next run. Pure: the run given stays as it was. */
export function evolve(run: Run, event: RunEvent | StoredEvent, at: number = run.at): Run {
  const draft = new Draft(run);
  draft.run.at = Math.max(at, run.at);
  applyEvent(draft, event);
  return draft.run;
}

/** Folds whole commits; `until` stops after the event with that sequence number. */
export function foldCommits(run: Run, commits: Iterable<Commit>, until = Number.POSITIVE_INFINITY): Run {
  const draft = new Draft(run);
  for (const commit of commits) {
    draft.run.at = Math.max(commitMillis(commit.at), draft.run.at);
    for (const event of commit.events) {
      if (draft.run.seq >= until) return draft.run;
      applyEvent(draft, event);
    }
    draft.endCommit();
  }
  return draft.run;
}
