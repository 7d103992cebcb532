import type { NodeRef } from '../../event/run-event.ts';
import { askedUpTo } from '../asked-so-far.ts';
import { visibleAnswers } from './bindings.ts';
import type { Decider } from './decider.ts';
import { COUNTS_EVERY_NODE } from './semantics.ts';

export function questionsInARow(d: Decider, ref: NodeRef): number {
  if (d.run.semantics >= COUNTS_EVERY_NODE) return askedUpTo(d.run, ref.token);
  const token = d.token(ref.token);
  const records = token.at.kind === 'node' ? [...token.at.journal.values()] : [];
  const inVisit = records.filter(({ kind, status }) => kind === 'ask' && status === 'recorded').length;
  return visibleAnswers(d.run, token).length + inVisit;
}
