import type { RunEvents } from '../../event/run-event.ts';
import type { JsonValue } from '../../json/value.ts';
import { toStateView } from '../../state/cell.ts';
import type { Draft, Mutable } from '../draft.ts';
import { fromFrame } from '../frame.ts';
import {
  type DoneOnce,
  findRequest,
  type Run,
  type RunStatus,
  type Scope,
  type Token,
  type TokenPosition,
} from '../run.ts';
import { dropScope, newToken } from './tokens.ts';

type Evolve<Type extends keyof RunEvents> = (draft: Draft, data: RunEvents[Type]) => void;

/** A run before its first event. */
export function initialState(): Run {
  return {
    id: '',
    tenant: '',
    seq: 0,
    at: 0,
    graph: '',
    version: '',
    label: undefined,
    semantics: 1,
    status: 'running',
    suspend: undefined,
    input: null,
    zone: 'UTC',
    requestId: '',
    session: undefined,
    key: undefined,
    decisions: 'on',
    startedAt: 0,
    endedAt: undefined,
    term: 0,
    owner: undefined,
    build: undefined,
    output: undefined,
    error: undefined,
    completion: undefined,
    compensation: undefined,
    tokens: new Map(),
    scopes: new Map(),
    requests: new Map(),
    closedRequests: new Map(),
    generation: 0,
    later: undefined,
    timers: new Map(),
    signals: new Map(),
    episode: 0,
    compensations: [],
    compensating: undefined,
    cancelling: undefined,
    allowance: 0,
    executed: 0,
    executingSince: undefined,
    fork: undefined,
    doneOnce: [],
    offered: [],
    reopened: false,
  };
}

export const started: Evolve<'run.started'> = (draft, data) => {
  const { run } = draft;
  run.id = data.runId;
  run.tenant = data.tenant;
  run.graph = data.graph;
  run.version = data.version;
  run.label = data.label;
  run.semantics = data.semantics;
  run.input = data.input;
  run.zone = data.zone;
  run.requestId = data.requestId;
  run.session = data.session;
  run.key = data.key;
  run.decisions = data.decisions ?? 'on';
  run.startedAt = run.at;
  run.executingSince = run.at;
  const root: Scope = {
    id: '',
    kind: 'root',
    owner: { token: '', node: '', visit: 0 },
    graph: '',
    join: undefined,
    size: 1,
    inputs: [],
    collect: false,
    next: 1,
    results: new Map(),
    state: toStateView(data.state),
    share: [],
    visits: {},
    failing: undefined,
  };
  draft.scopes().set('', root);
  draft.tokens().set('', { ...newToken(root, 0, undefined, data.input), at: { kind: 'pending', node: data.entry } });
};

/** Whoever claims a run that another still owned finds that one dead: its nodes at work have crashed once more. */
export const claimed: Evolve<'run.claimed'> = (draft, data) => {
  const { run } = draft;
  if (run.owner !== undefined && run.owner !== data.owner)
    for (const { id, at } of run.tokens.values()) {
      if (at.kind !== 'node' || at.status !== 'running') continue;
      const execution = draft.execution({ token: id, node: at.node, visit: at.visit });
      if (execution !== undefined) execution.crashes += 1;
    }
  run.owner = data.owner;
  run.term = data.term;
  run.build = data.build;
};

function setStatus(run: Mutable<Run>, status: RunStatus): void {
  const executes = status === 'running' || status === 'cancelling' || status === 'compensating';
  if (!executes && run.executingSince !== undefined) {
    run.executed += run.at - run.executingSince;
    run.executingSince = undefined;
  }
  if (executes && run.executingSince === undefined) run.executingSince = run.at;
  run.status = status;
  run.suspend = undefined;
}

export const released: Evolve<'run.released'> = ({ run }) => {
  run.owner = undefined;
};

export const suspended: Evolve<'run.suspended'> = ({ run }, data) => {
  setStatus(run, 'suspended');
  run.owner = undefined;
  run.suspend = data;
};

export const resumed: Evolve<'run.resumed'> = ({ run }) => {
  setStatus(run, 'running');
  run.allowance = 0;
  run.reopened = false;
};

export const paused: Evolve<'run.paused'> = ({ run }) => {
  setStatus(run, 'paused');
  run.allowance = 0;
};

export const stepped: Evolve<'run.stepped'> = ({ run }) => {
  run.allowance += 1;
};

function end(run: Mutable<Run>, status: 'completed' | 'failed' | 'cancelled'): void {
  setStatus(run, status);
  run.endedAt = run.at;
  run.compensating = undefined;
  run.cancelling = undefined;
  run.owner = undefined;
  run.allowance = 0;
}

export const completed: Evolve<'run.completed'> = (draft, data) => {
  end(draft.run, 'completed');
  draft.run.timers = new Map();
  draft.run.output = data.output;
  draft.run.completion = data.reason;
};

export const failed: Evolve<'run.failed'> = (draft, data) => {
  end(draft.run, 'failed');
  draft.run.error = data.error;
  draft.run.compensation = data.compensation;
};

export const compensating: Evolve<'run.compensating'> = ({ run }, data) => {
  setStatus(run, 'compensating');
  run.timers = new Map();
  const { ending, error, reason } = data;
  run.compensating = { ending, error, reason, running: undefined, failures: [], attempt: 0 };
};

export const scopeFailing: Evolve<'scope.failing'> = (draft, data) => {
  draft.scope(data.scope).failing = data.error;
};

export const scopeFailed: Evolve<'scope.failed'> = (draft, data) => {
  const owner = draft.run.scopes.get(data.scope)?.owner;
  if (owner !== undefined) draft.token(owner.token).error = data.error;
};

export const cancelling: Evolve<'run.cancelling'> = ({ run }, data) => {
  setStatus(run, 'cancelling');
  run.timers = new Map();
  run.cancelling = data;
};

export const cancelled: Evolve<'run.cancelled'> = (draft, data) => {
  end(draft.run, 'cancelled');
  draft.run.compensation = data.compensation;
};

/** Where it ended it stands, paused, until the controller sends it somewhere, or resumes it and it ends again. */
export const reopened: Evolve<'run.reopened'> = ({ run }) => {
  setStatus(run, 'paused');
  run.reopened = true;
  run.allowance = 0;
  run.endedAt = undefined;
  run.output = undefined;
  run.error = undefined;
  run.completion = undefined;
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

function standAsNotEnded(run: Mutable<Run>): void {
  run.endedAt = undefined;
  run.error = undefined;
  run.output = undefined;
  run.completion = undefined;
}

/** Tokens, scopes, waits and state stand again as of then; counters, episodes and compensations go on. */
export const rolledBack: Evolve<'run.rolledBack'> = (draft, data) => {
  const { run } = draft;
  const frame = fromFrame(data.frame);
  const visits = new Map([...run.tokens].map(([id, token]) => [id, token]));
  run.tokens = new Map([...frame.tokens].map(([id, token]) => [id, withVisits(token, visits.get(id))] as const));
  const scopes = run.scopes;
  run.scopes = new Map(
    [...frame.scopes].map(
      ([id, scope]) => [id, { ...scope, visits: { ...scope.visits, ...scopes.get(id)?.visits } }] as const,
    ),
  );
  run.signals = frame.signals;
  run.generation += 1;
  run.later = { effects: data.effects, ops: data.later ?? [] };
  standAgain(draft);
};

function withVisits(token: Token, now: Token | undefined): Token {
  return now === undefined ? token : { ...token, visits: { ...token.visits, ...now.visits } };
}

export const forked: Evolve<'run.forked'> = (draft, data) => {
  const { run } = draft;
  run.fork = { parent: data.parent, at: data.at };
  // What the parent did is the parent's to undo.
  run.compensations = [];
  run.compensating = undefined;
  run.compensation = undefined;
  run.cancelling = undefined;
  run.later = { effects: data.effects, ops: data.later ?? [] };
  run.owner = undefined;
  standAgain(draft);
};

/** Nodes that were at work or waiting start anew as a further visit; what they recorded is taken over where it still fits. */
function standAgain(draft: Draft): void {
  const { run } = draft;
  // Who is cancelled is gone by the end of the act; so the point lies in the middle of one, which is not done then.
  for (const { id, at } of [...run.tokens.values()])
    if (at.kind === 'cancelled' && at.was !== undefined)
      draft.token(id).at = { kind: 'pending', node: at.was, ...(at.left === undefined ? {} : { adopt: at.left }) };
    else if (at.kind === 'node' && at.scope === undefined)
      draft.token(id).at = { kind: 'pending', node: at.node, adopt: { visit: at.visit, journal: at.journal } };
  run.timers = new Map();
  if (run.status !== 'paused') setStatus(run, 'running');
  run.reopened = false;
  standAsNotEnded(run);
}

export const migrated: Evolve<'run.migrated'> = (draft, data) => {
  const { run } = draft;
  run.version = data.to;
  run.label = data.label;
  const name = (node: string) => data.mapping[node] ?? node;
  for (const id of run.tokens.keys()) renameToken(draft.token(id), name);
  for (const id of run.scopes.keys()) {
    const scope = draft.scope(id);
    scope.visits = renamed(scope.visits, name);
    scope.join = scope.join === undefined ? undefined : name(scope.join);
    if (scope.kind !== 'root') scope.owner = { ...scope.owner, node: name(scope.owner.node) };
  }
  for (const [id, request] of run.requests) draft.requests().set(id, { ...request, node: name(request.node) });
  for (const [id, timer] of run.timers) draft.timers().set(id, { ...timer, node: name(timer.node) });
  run.compensations = run.compensations.map(entry => ({ ...entry, node: name(entry.node) }));
};

type Rename = (node: string) => string;

function renameToken(token: Mutable<Token>, name: Rename): void {
  if ('node' in token.at) token.at = renamedPosition(token.at, name);
  if (token.at.kind === 'cancelled' && token.at.was !== undefined) token.at = { ...token.at, was: name(token.at.was) };
  token.first = token.first === undefined ? undefined : name(token.first);
  token.successive = token.successive && { ...token.successive, node: name(token.successive.node) };
  token.visits = renamed(token.visits, name);
  token.nodes = renamed(token.nodes, name);
  token.entries = renamed(token.entries, name);
  token.progress = renamed(token.progress, name);
  token.good = renamed(token.good, name);
}

function renamedPosition(at: Extract<TokenPosition, { node: string }>, name: Rename): TokenPosition {
  const node = name(at.node);
  if (at.kind === 'node' && at.fallback !== undefined)
    return { ...at, node, fallback: { ...at.fallback, node: name(at.fallback.node) } };
  if (at.kind === 'failed' && at.phase === 'scope' && at.composite !== undefined)
    return { ...at, node, composite: { ...at.composite, node } };
  return { ...at, node };
}

function renamed<Value>(record: Readonly<Record<string, Value>>, name: Rename): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([node, value]) => [name(node), value]));
}

export const episodeStarted: Evolve<'episode.started'> = (draft, data) => {
  draft.run.episode = data.episode;
  const token = draft.token(data.token);
  const at = token.at;
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
  const given = { ...data.answer, request: data.request, title: request?.title ?? '', node: request?.node ?? '' };
  token.answers = [...token.answers, given];
  if (data.dedupe === 'run') offerAgain(draft.run, data.token);
};

/** What was done once below that token is not done again, but given out again. */
function offerAgain(run: Mutable<Run>, target: string): void {
  const below = (done: DoneOnce) => target === '' || done.token === target || done.token.startsWith(`${target}/`);
  run.offered = [...run.offered, ...run.doneOnce.filter(below)];
  run.doneOnce = run.doneOnce.filter(done => !below(done));
}
