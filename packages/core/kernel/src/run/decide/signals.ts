import { SignalboxError } from '../../error/error.ts';
import type { WaitData } from '../../event/run-event.ts';
import type { OutsideCommand } from '../command.ts';
import { type Decider, ENDED } from './decider.ts';
import { KEPT_IN_ALL, KEPT_OF_NAME, misfits, takeKept } from './kept-signals.ts';
import { fireDue } from './timers.ts';
import { memberOf, openWaits, resolveOp } from './waits.ts';

type SignalCommand = Extract<OutsideCommand, { type: 'signal' }>;

/**
 * A signal goes to whoever waits for it first and takes it; where nobody waits it is kept. What no open wait takes is
 * refused to the sender, as is what could not be kept.
 */
export function receiveSignal(d: Decider, { name, value, id }: SignalCommand): void {
  const { status } = d.run;
  if (ENDED.has(status))
    throw new SignalboxError('WrongStatus', `A run that is ${status} takes no signals.`, { details: { status } });
  const waits = waitsFor(d, name);
  if (waits.length === 0) mustBeKept(d, name);
  else mustFit(d, name, value, waits);
  fireDue(d);
  d.emit('signal.received', { name, value, ...(id === undefined ? {} : { id }) });
  deliver(d, name);
}

function waitsFor(d: Decider, name: string): WaitData[] {
  return [...openWaits(d)].flatMap(({ record }) =>
    [...(record.wait === undefined ? [] : [record.wait]), ...Object.values(record.first ?? {})].filter(
      ({ signal }) => signal === name,
    ),
  );
}

function mustFit(d: Decider, name: string, value: SignalCommand['value'], waits: readonly WaitData[]): void {
  const misfit = waits.map(({ schema }) => misfits(value, schema));
  const [first] = misfit;
  if (first === undefined || misfit.some(issues => issues.length === 0)) return;
  const issues = first.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const told = issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
  throw new SignalboxError('InvalidSignal', `The signal "${name}" is not what the run waits for: ${told}.`, {
    hint: 'The wait is still open.',
    details: { run: d.run.id, name, issues },
  });
}

function mustBeKept(d: Decider, name: string): void {
  const ofName = d.run.signals.get(name)?.length ?? 0;
  let all = 0;
  for (const kept of d.run.signals.values()) all += kept.length;
  if (ofName < KEPT_OF_NAME && all < KEPT_IN_ALL) return;
  const kept = ofName < KEPT_OF_NAME ? `${all} signals` : `${ofName} signals "${name}"`;
  throw new SignalboxError('TooManySignals', `The run keeps ${kept} already, and nothing in it waits for this one.`, {
    hint: 'Send it when the run waits for it.',
    details: { name, ofName, all },
  });
}

function deliver(d: Decider, name: string): void {
  for (const { ref, record } of openWaits(d)) {
    const members = record.wait === undefined ? Object.values(record.first ?? {}) : [record.wait];
    for (const wait of members) {
      if (wait.signal !== name) continue;
      const taken = takeKept(d, wait);
      if (taken === undefined) continue;
      return resolveOp(
        d,
        ref,
        record.op,
        taken.value,
        memberOf(record, member => member === wait),
      );
    }
  }
}
