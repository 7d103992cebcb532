import type { Draft } from '../draft.ts';
import { fromFrame } from '../frame.ts';
import type { Adoption } from '../node-execution.ts';
import type { Scope } from '../scope.ts';
import type { Token, TokenPosition } from '../token.ts';
import type { Evolve } from './evolver.ts';
import { asOfPast } from './node-events.ts';
import { passOver, setStatus, standAsNotEnded } from './run-status.ts';

/** Tokens, scopes, waits and state stand again as of then; counters, episodes and compensations go on. */
export const rolledBack: Evolve<'run.rolledBack'> = (draft, data) => {
  const { run } = draft;
  const frame = fromFrame(data.frame);
  const visits = new Map([...run.tokens].map(([id, token]) => [id, token]));
  run.tokens = new Map([...frame.tokens].map(([id, token]) => [id, withVisits(token, visits.get(id))] as const));
  const scopes = run.scopes;
  run.scopes = new Map([...frame.scopes].map(([id, scope]) => [id, withCounts(scope, scopes.get(id))] as const));
  run.signals = frame.signals;
  run.generation += 1;
  run.later = { effects: data.effects, ops: data.later ?? [] };
  standAgain(draft);
};

function withCounts(scope: Scope, now: Scope | undefined): Scope {
  const visits = { ...scope.visits, ...now?.visits };
  return { ...scope, visits, ...(now?.granted === undefined ? {} : { granted: now.granted }) };
}

function withVisits(token: Token, now: Token | undefined): Token {
  return now === undefined ? token : { ...token, visits: { ...token.visits, ...now.visits } };
}

export const forked: Evolve<'run.forked'> = (draft, data) => {
  const { run } = draft;
  run.fork = { parent: data.parent, at: data.at };
  // The key names the run that was started with it, which is the parent.
  run.key = undefined;
  if (data.by !== undefined) run.requesters = [...(run.requesters ?? []), data.by];
  // What the parent did is the parent's to undo.
  run.compensations = [];
  run.compensating = undefined;
  run.compensation = undefined;
  run.cancelling = undefined;
  run.later = { effects: data.effects, ops: data.later ?? [] };
  passOver(run, data.idle);
  run.owner = undefined;
  // The parent's turn is the parent's.
  if (run.place !== undefined) run.place = 'free';
  run.queuedAt = undefined;
  standAgain(draft);
};

function begunAnew(node: string, left: Adoption | undefined): Extract<TokenPosition, { kind: 'pending' }> {
  if (left === undefined) return { kind: 'pending', node };
  return { kind: 'pending', node, adopt: { visit: left.visit, journal: asOfPast(left.journal) } };
}

/** Nodes that were at work or waiting start anew as a further visit; what they recorded is taken over where it still fits. */
function standAgain(draft: Draft): void {
  const { run } = draft;
  // Who is cancelled is gone by the end of the act; so the point lies in the middle of one, which is not done then.
  for (const { id, at } of [...run.tokens.values()])
    if (at.kind === 'cancelled' && at.was !== undefined) draft.token(id).at = begunAnew(at.was, at.left);
    else if (at.kind === 'limited' && at.outcome === undefined) draft.token(id).at = begunAnew(at.node, at.adopt);
    else if (at.kind === 'node' && at.scope === undefined) draft.token(id).at = begunAnew(at.node, at);
    else if (at.kind === 'pending' && at.adopt !== undefined)
      draft.token(id).at = { ...at, ...begunAnew(at.node, at.adopt) };
    else if (at.kind === 'failed' && at.phase === 'node') draft.token(id).at = { ...at, journal: asOfPast(at.journal) };
  run.timers = new Map();
  if (run.status !== 'paused') setStatus(run, 'running');
  run.reopened = false;
  standAsNotEnded(run);
}
