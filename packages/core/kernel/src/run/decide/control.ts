import { SignalboxError } from '../../error/error.ts';
import type { Change } from '../../event/run-event.ts';
import type { JsonValue } from '../../json/value.ts';
import { reduceWrites } from '../../state/reduce.ts';
import type { OutsideCommand } from '../command.ts';
import { toFrame } from '../frame.ts';
import type { Token } from '../token.ts';
import { scopesOutward } from './bindings.ts';
import { settleReserved } from './budget.ts';
import { cancelNode, cancelScope, cancelToken } from './cancel-token.ts';
import { type Decider, ENDED } from './decider.ts';
import { isExecuting } from './executing.ts';
import { completeState, moveTo, needsFit } from './migrate.ts';
import { route } from './route.ts';
import { idleTime } from './run-timeout.ts';
import { routeLimitedAnew } from './settle-limit.ts';

type Of<Type extends OutsideCommand['type']> = Extract<OutsideCommand, { type: Type }>;

/** The outside hand on a run. Every act is an event with its actor and reason; what cannot be done is refused whole. */
export function pause(d: Decider, command: { reason: string }): void {
  needs(d, ['running', 'suspended'], 'pause');
  d.emit('run.paused', { reason: command.reason });
}

export function resume(d: Decider, command: { reason: string }): void {
  const stuck = [...d.run.tokens.values()].filter(token => token.at.kind === 'node' && token.at.status === 'stuck');
  if (d.run.status !== 'paused' && stuck.length === 0) needs(d, ['paused'], 'resume');
  for (const token of stuck)
    if (token.at.kind === 'node')
      d.emit('node.unstuck', { token: token.id, node: token.at.node, visit: token.at.visit });
  d.emit('run.resumed', { reason: command.reason });
}

export function step(d: Decider, command: { reason: string }): void {
  needs(d, ['paused'], 'step');
  d.emit('run.stepped', { reason: command.reason });
}

/** A failed run goes on where it failed; a node at work or waiting can be begun anew by name. */
export function retry(d: Decider, command: Of<'retry'>): void {
  if (d.run.compensation !== undefined)
    throw new SignalboxError('CannotRetry', 'What this run did is undone, so it cannot go on.', {
      hint: 'Start it anew, or fork it at an earlier point.',
    });
  if (command.node !== undefined) return retryNode(d, command.node, command.reason);
  const failed = [...d.run.tokens.values()].filter(token => token.at.kind === 'failed');
  if (failed.length === 0)
    throw new SignalboxError('CannotRetry', 'Nothing has failed in this run.', { details: { status: d.run.status } });
  needs(d, ['failed', 'running', 'suspended', 'paused'], 'retry');
  const conflict = failed.find(({ at }) => at.kind === 'failed' && at.error.code === 'StateConflictError');
  if (conflict?.at.kind === 'failed')
    throw new SignalboxError('CannotRetry', `What the branches wrote cannot be merged: ${conflict.at.error.message}`, {
      hint: 'Fork the run, or roll it back, to before the branches.',
    });
  d.emit('run.retried', { reason: command.reason, tokens: failed.map(token => token.id) });
  for (const { id } of failed) routeAnew(d, id);
}

function routeAnew(d: Decider, id: string): void {
  const token = d.run.tokens.get(id);
  if (token?.at.kind !== 'failed' || token.at.phase !== 'routing') return;
  const { node, visit, outcome } = token.at;
  route(d, { token: id, node, visit, outcome, output: token.last });
}

/** What the node recorded is taken over, and what it had only begun once is in doubt. */
function retryNode(d: Decider, node: string, reason: string): void {
  needs(d, ['running', 'suspended', 'paused', 'failed'], 'retry');
  const token = [...d.run.tokens.values()].find(candidate => 'node' in candidate.at && candidate.at.node === node);
  if (token === undefined || !('node' in token.at))
    throw new SignalboxError('CannotRetry', `No token of this run is at node "${node}".`);
  if (token.at.kind === 'failed') {
    const around = [...scopesOutward(d.run, token)].map(scope => d.token(scope.owner.token));
    const failed = [token, ...around].filter(({ at }, index) => index === 0 || at.kind === 'failed');
    d.emit('run.retried', { reason, tokens: [...new Set(failed.map(({ id }) => id))] });
    return routeAnew(d, token.id);
  }
  if (token.at.kind !== 'node') throw new SignalboxError('CannotRetry', `Node "${node}" is not at work.`);
  const { visit } = token.at;
  cancelNode(d, { token: token.id, node, visit }, 'restarted', { keepToken: false, keepJournal: true });
  d.emit('run.jumped', { token: token.id, from: node, to: node, reason, adopt: visit });
}

/** Writes are set as they are, whatever the key's reducer, and must leave the state valid. */
export function edit(d: Decider, command: Of<'edit'>): void {
  if (d.run.status === 'cancelled' || d.run.status === 'completed')
    needs(d, ['running', 'suspended', 'paused', 'failed'], 'edit');
  const token = d.token(command.token ?? '');
  const graph = d.graphOf(token);
  const asSet = new Map(
    [...graph.state].map(([key, definition]) => [key, { ...definition, reducer: 'replace' as const }]),
  );
  const reduced = reduceWrites(asSet, token.state, command.set, `edit:${d.actor.id}`);
  if (!reduced.ok)
    throw new SignalboxError(reduced.code === 'UnknownStateKey' ? 'UnknownStateKey' : 'InvalidState', reduced.message, {
      details: { pointer: reduced.pointer },
    });
  const removals: Change[] = (command.remove ?? []).map(key => {
    const definition = graph.state.get(key);
    if (definition === undefined) throw new SignalboxError('UnknownStateKey', `The state has no key "${key}".`);
    // It was there from the start, so routes and expressions read it without asking whether it is there.
    if (definition.initial !== undefined)
      throw new SignalboxError('InvalidState', `The state always has "${key}", so it cannot be removed.`, {
        hint: 'Set it to another value.',
        details: { pointer: `/${key}` },
      });
    return { key, op: 'remove', value: null as JsonValue, source: `edit:${d.actor.id}` };
  });
  d.emit('run.edited', { token: token.id, reason: command.reason });
  d.emit('state.changed', { token: token.id, changes: [...reduced.changes, ...removals] });
}

/** Moves one token to another node of its own scope; not into a scope, whose tokens a fork makes. */
export function jump(d: Decider, command: Of<'jump'>): void {
  needs(d, ['running', 'suspended', 'paused', 'failed'], 'jump');
  const token = d.token(command.token ?? '');
  const graph = d.graphOf(token);
  if (!graph.nodes.has(command.to))
    throw new SignalboxError('UnknownNode', `The run's graph has no node "${command.to}".`, {
      hint: `It has: ${[...graph.nodes.keys()].join(', ')}.`,
    });
  const home = graph.scopeOf.get(command.to);
  const here = hereScope(d, token);
  if (home !== here)
    throw new SignalboxError(
      'JumpIntoScope',
      `Node "${command.to}" lies in another scope than the token, so it cannot be jumped to.`,
      {
        hint: 'Jump to the node that forks, or name a token of that scope.',
      },
    );
  const from = 'node' in token.at ? token.at.node : '';
  leaveForJump(d, token);
  d.emit('run.jumped', { token: token.id, from, to: command.to, reason: command.reason });
}

/** The fork whose branch the token is, as the compiled graph names scopes; '' outside every fork. */
function hereScope(d: Decider, token: Token): string {
  const scope = d.scope(token.scope);
  return scope.kind === 'fork' ? scope.owner.node : '';
}

function leaveForJump(d: Decider, token: Token): void {
  const { at } = token;
  if (at.kind === 'arrived' || at.kind === 'cancelled')
    throw new SignalboxError('CannotJump', `Token "${token.id}" has ${at.kind}; it cannot be moved.`);
  if (at.kind === 'forked' || (at.kind === 'failed' && at.phase === 'scope')) {
    cancelScope(d, at.scope, 'cancelled');
    d.emit('scope.closed', { scope: at.scope, outcome: 'cancelled' });
  } else if (at.kind === 'node' || at.kind === 'limited') cancelToken(d, token.id, 'cancelled');
}

/** Questions and timers close at once; what executes is told to stop, and its end is awaited. */
export function cancel(d: Decider, command: Of<'cancel'>): void {
  if (d.run.status === 'cancelled') return;
  needs(d, ['running', 'suspended', 'paused', 'cancelling', 'compensating'], 'cancel');
  if (d.run.status === 'cancelling' || d.run.compensating?.ending === 'cancelled') return;
  // Half undone is the worst of all, so what is being undone is undone to the end.
  const { reason } = command;
  if (d.run.status === 'compensating') return d.emit('run.cancelling', { reason, compensate: true });
  d.emit('run.cancelling', { reason, compensate: command.compensate ?? false });
  for (const request of [...d.run.requests.values()])
    d.emit('request.withdrawn', { request: request.id, reason: 'cancelled' });
  for (const token of [...d.run.tokens.values()]) {
    const now = d.run.tokens.get(token.id);
    if (now === undefined || now.at.kind !== 'node' || (isExecuting(now) && now.at.status === 'running')) continue;
    if (now.at.scope === undefined)
      cancelNode(d, { token: now.id, node: now.at.node, visit: now.at.visit }, 'cancelled', { keepToken: false });
  }
}

export function reopen(d: Decider, command: { reason: string }): void {
  needs(d, ['completed', 'failed'], 'reopen');
  d.emit('run.reopened', { reason: command.reason });
}

/** Sets the run back in place, as one more fact; what came after stays in the log (design 4.12). */
export function rollback(d: Decider, command: Of<'rollback'>): void {
  needs(d, ['running', 'suspended', 'paused', 'failed', 'completed'], 'rollback');
  for (const request of [...d.run.requests.values()])
    d.emit('request.withdrawn', { request: request.id, reason: 'rolledBack' });
  const { to, reason, effects, later } = command;
  d.emit('run.rolledBack', {
    to,
    reason,
    frame: toFrame(command.past),
    effects,
    ...(later === undefined || later.length === 0 ? {} : { later }),
  });
  completeState(d);
  routeLimitedAnew(d);
}

export function fork(d: Decider, command: Of<'fork'>): void {
  if (command.onto !== undefined) needsFit(d, command.onto);
  for (const request of [...d.run.requests.values()])
    d.emit('request.withdrawn', { request: request.id, reason: 'rolledBack' });
  const { parent, atSeq, effects, later, reason, lastAt = d.lastAt } = command;
  d.emit('run.forked', {
    parent,
    at: atSeq,
    effects,
    reason,
    by: d.actor,
    ...idleTime(d, lastAt),
    ...(later === undefined || later.length === 0 ? {} : { later }),
  });
  settleReserved(d, lastAt);
  if (command.onto !== undefined) moveTo(d, command.onto, reason);
  routeLimitedAnew(d);
}

/** Moves a run to another version; every node it has been at must be there, under its name or a mapped one. */
export function migrate(d: Decider, command: Of<'migrate'>): void {
  if (ENDED.has(d.run.status)) needs(d, ['running', 'suspended', 'paused'], 'migrate');
  needsFit(d, command);
  moveTo(d, command, command.reason);
}

const DONE: Readonly<Record<string, string>> = {
  pause: 'paused',
  resume: 'resumed',
  step: 'stepped',
  retry: 'retried',
  edit: 'edited',
  jump: 'moved',
  cancel: 'cancelled',
  reopen: 'reopened',
  rollback: 'rolled back',
  migrate: 'migrated',
};

function needs(d: Decider, statuses: readonly string[], act: string): void {
  if (statuses.includes(d.run.status)) return;
  throw new SignalboxError('WrongStatus', `A run that is ${d.run.status} cannot be ${DONE[act] ?? act}.`, {
    hint: `It would have to be ${anyOf(statuses)}.${mayReopen(d, statuses) ? ' Reopened, it is paused.' : ''}`,
    details: { status: d.run.status, act },
  });
}

/** `a, b or c` */
function anyOf(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function mayReopen({ run }: Decider, statuses: readonly string[]): boolean {
  return statuses.includes('paused') && (run.status === 'completed' || run.status === 'failed');
}
