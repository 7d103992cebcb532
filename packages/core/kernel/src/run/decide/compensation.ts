import type { ErrorData, NodeRef } from '../../event/run-event.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { nodeKey } from '../keys.ts';
import { type Decider, refOf } from './decider.ts';
import { requestIdOf } from './request-id.ts';

/** How often one compensation is tried before it has failed for good. */
const ATTEMPTS = 3;

/** Undoes in falling order of success, one at a time, across branches and items. Returns false when nothing is left. */
export function nextCompensation(d: Decider): boolean {
  const next = d.run.compensations.at(-1);
  if (next === undefined) return false;
  d.emit('compensation.started', refOf(next));
  return true;
}

export function compensated(d: Decider, ref: NodeRef, error: ErrorData | undefined): void {
  const compensating = d.run.compensating;
  if (compensating?.running === undefined || nodeKey(compensating.running) !== nodeKey(ref)) return;
  const final = error !== undefined && (error.permanent === true || compensating.attempt >= ATTEMPTS);
  d.emit('compensation.finished', {
    ...refOf(ref),
    ...(error === undefined ? {} : { error }),
    ...(final ? { final: true as const } : {}),
  });
}

/** What could not be undone is listed in one request; it holds up nothing. */
export function finishCompensation(d: Decider): 'complete' | 'incomplete' {
  const failures = d.run.compensating?.failures ?? [];
  if (failures.length === 0) return 'complete';
  const ref = refOf(failures[0]!);
  const definition: RequestDefinition = {
    kind: 'confirmation',
    title: 'These steps could not be undone',
    gap: 'worldState',
    purpose: 'Somebody has to put them right by hand.',
    context: failures.map(failure => ({
      node: failure.node,
      visit: failure.visit,
      error: { code: failure.error.code, message: failure.error.message },
    })),
    actions: { approve: 'Put right', reject: 'Leave it' },
  };
  d.emit('request.opened', {
    ...ref,
    op: 'compensation#1',
    request: requestIdOf(d.run, ref, 'compensation#1', String(d.run.seq)),
    kind: definition.kind,
    definition,
    about: 'compensation',
  });
  return 'incomplete';
}
