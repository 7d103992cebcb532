import type { Evolve } from './evolver.ts';

export const queued: Evolve<'place.queued'> = ({ run }) => {
  run.place = 'queued';
  run.queuedAt = run.at;
};

export const taken: Evolve<'place.taken'> = ({ run }, { view }) => {
  run.place = 'held';
  run.queuedAt = undefined;
  if (view !== undefined) run.sessionView = view;
};

export const freed: Evolve<'place.freed'> = ({ run }) => {
  run.place = 'free';
  run.queuedAt = undefined;
};

/** The run sees what it wrote itself; what others write it sees at its next turn. */
export const sessionChanged: Evolve<'session.changed'> = ({ run }, { set, remove = [] }) => {
  const { seq, state, metadata } = run.sessionView ?? { seq: 0, state: {}, metadata: {} };
  const changed = { ...state, ...set };
  for (const key of remove) delete changed[key];
  run.sessionView = { seq, state: changed, metadata };
};
