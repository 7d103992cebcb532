import type { NodeRef } from '../../event/run-event.ts';
import { askedUpTo } from '../asked-so-far.ts';
import { visibleAnswers } from './bindings.ts';
import type { Decider } from './decider.ts';

/** Since which semantics a chain counts the questions of every node; before, passes and the questions of the visit at hand. */
const COUNTS_EVERY_NODE = 2;

export function questionsInARow(d: Decider, ref: NodeRef): number {
  if (d.run.semantics >= COUNTS_EVERY_NODE) return askedUpTo(d.run, ref.token);
  const token = d.token(ref.token);
  const records = token.at.kind === 'node' ? [...token.at.journal.values()] : [];
  const inVisit = records.filter(({ kind, status }) => kind === 'ask' && status === 'recorded').length;
  return visibleAnswers(d.run, token).length + inVisit;
}
