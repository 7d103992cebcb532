import type { JsonValue } from '../../json/value.ts';
import type { Mutable } from '../draft.ts';
import { type DoneOnce, findRequest, type Run } from '../run.ts';
import type { Token, TokenPosition } from '../token.ts';
import type { Evolve } from './evolver.ts';
import { setStatus, standAsNotEnded } from './run-status.ts';
import { dropScope } from './tokens.ts';

/** Where it ended it stands, paused, until the controller sends it somewhere, or resumes it and it ends again. */
export const reopened: Evolve<'run.reopened'> = ({ run }) => {
  setStatus(run, 'paused');
  run.reopened = true;
  run.allowance = 0;
  standAsNotEnded(run);
};

/** Failed tokens go back to where they failed, with what they recorded; nothing that finished runs again. */
export const retried: Evolve<'run.retried'> = (draft, data) => {
  const { run } = draft;
  if (run.status !== 'paused') setStatus(run, 'running');
  run.endedAt = undefined;
  run.error = undefined;
  run.executed = 0;
  if (run.executingSince !== undefined) run.executingSince = run.at;
  run.reopened = false;
  for (const scope of run.scopes.values()) if (scope.failing !== undefined) draft.scope(scope.id).failing = undefined;
  for (const id of data.tokens) {
    const token = draft.token(id);
    if (token.at.kind === 'failed') token.at = afterRetry(token.at, token.last);
  }
};

function afterRetry(at: Extract<TokenPosition, { kind: 'failed' }>, last: JsonValue): TokenPosition {
  switch (at.phase) {
    case 'node':
      return { kind: 'pending', node: at.node, adopt: { visit: at.visit, journal: at.journal } };
    case 'start':
      return { kind: 'pending', node: at.node };
    case 'routing':
      return at;
    case 'output':
      return { kind: 'ended', output: last, reason: at.reason };
    case 'scope':
      return at.composite === undefined
        ? { kind: 'forked', node: at.node, visit: at.visit, scope: at.scope }
        : { kind: 'node', ...at.composite };
  }
}

/** The token stands elsewhere; whatever around it failed because of it stands as before. */
export const jumped: Evolve<'run.jumped'> = (draft, data) => {
  const { run } = draft;
  const token = draft.token(data.token);
  const left = data.adopt !== undefined && token.at.kind === 'cancelled' ? token.at.left : undefined;
  token.at = { kind: 'pending', node: data.to, ...(left === undefined ? {} : { adopt: left }) };
  token.branches = undefined;
  token.error = undefined;
  for (let inner: Token = token; inner.scope !== ''; ) {
    const scope = draft.scope(inner.scope);
    scope.failing = undefined;
    const owner = draft.token(scope.owner.token);
    if (owner.at.kind === 'failed' && owner.at.phase === 'scope') owner.at = afterRetry(owner.at, owner.last);
    inner = owner;
  }
  standAsNotEnded(run);
  run.reopened = false;
  if (run.status !== 'paused') setStatus(run, 'running');
};

export const episodeStarted: Evolve<'episode.started'> = (draft, data) => {
  draft.run.episode = data.episode;
  const token = draft.token(data.token);
  const at = token.at;
  if (data.asked !== undefined) token.asked = data.asked;
  if (at.kind === 'forked') dropScope(draft, at.scope);
  if (at.kind === 'node' && at.scope !== undefined) dropScope(draft, at.scope);
  const entry = token.entries[data.at];
  if (entry !== undefined) {
    token.state = entry.state;
    token.writes = token.writes.slice(0, entry.writes);
    token.last = entry.last;
  }
  token.revision += 1;
  token.at = { kind: 'pending', node: data.at };
  const request = findRequest(draft.run, data.request);
  const { shown, actionLabel, name } = data;
  const given = {
    ...data.answer,
    request: data.request,
    title: request?.title ?? '',
    node: request?.node ?? '',
    ...(shown === undefined ? {} : { shown }),
    ...(actionLabel === undefined ? {} : { actionLabel }),
    ...(name === undefined ? {} : { name }),
  };
  token.answers = [...token.answers, given];
  if (data.dedupe === 'run') offerAgain(draft.run, data.token);
};

/** What was done once below that token is not done again, but given out again. */
function offerAgain(run: Mutable<Run>, target: string): void {
  const below = (done: DoneOnce) => target === '' || done.token === target || done.token.startsWith(`${target}/`);
  run.offered = [...run.offered, ...run.doneOnce.filter(below)];
  run.doneOnce = run.doneOnce.filter(done => !below(done));
}
