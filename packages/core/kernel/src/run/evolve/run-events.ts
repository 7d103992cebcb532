import { toStateView } from '../../state/cell.ts';
import type { Mutable } from '../draft.ts';
import type { Run } from '../run.ts';
import type { Scope } from '../scope.ts';
import type { Evolve } from './evolver.ts';
import { passOver, setStatus } from './run-status.ts';
import { newToken } from './tokens.ts';

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
  run.place = data.turns ? 'free' : undefined;
  run.sessionView = data.view;
  run.parent = data.parent;
  if (data.contracts !== undefined) run.contracts = data.contracts;
  run.user = data.by?.kind === 'user' ? data.by.id : undefined;
  run.key = data.key;
  run.decisions = data.decisions ?? 'on';
  run.startedAt = run.at;
  run.executingSince = run.at;
  if (data.by !== undefined) run.requesters = [data.by];
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
  passOver(run, data.idle);
  run.owner = data.owner;
  run.term = data.term;
  run.build = data.build;
};

export const idled: Evolve<'run.idled'> = ({ run }, data) => passOver(run, data.idle);

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

export function end(run: Mutable<Run>, status: 'completed' | 'failed' | 'cancelled'): void {
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

export const cancelling: Evolve<'run.cancelling'> = ({ run }, data) => {
  if (run.compensating !== undefined) {
    run.compensating = { ...run.compensating, ending: 'cancelled', reason: data.reason };
    return;
  }
  setStatus(run, 'cancelling');
  run.timers = new Map();
  run.cancelling = data;
};

export const cancelled: Evolve<'run.cancelled'> = (draft, data) => {
  end(draft.run, 'cancelled');
  draft.run.compensation = data.compensation;
};
