import { SignalboxError } from '../../error/error.ts';
import { commitTime } from '../../time/commit-time.ts';
import type { OutsideCommand } from '../command.ts';
import type { Decider } from './decider.ts';

/** What is remembered in the run is edited or forgotten from outside; what it came from stays beside the new values. */
export function changeMemory(d: Decider, command: Extract<OutsideCommand, { type: 'memory' }>): void {
  const { key, values, reason } = command;
  const before = d.run.memory?.get(key);
  if (values === undefined && before === undefined)
    throw new SignalboxError('UnknownMemory', `Nothing is remembered under "${key}".`, { details: { key } });
  if (values === undefined) return d.emit('memory.removed', { key, scope: 'run', reason });
  const by = { by: d.actor, at: commitTime(d.at) };
  d.emit('memory.written', { ...before, key, scope: 'run', values, ...by, confidence: 1 });
}
