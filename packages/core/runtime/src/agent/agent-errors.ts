import { SignalboxError } from '@signalbox/kernel';
import { PERMANENT } from '../journal/handler.ts';

export function notMended(code: string, fault: string, tries: number): Error {
  const error = new SignalboxError(code, `The model did not mend in ${tries} tries what is wrong: ${fault}`, {
    hint: 'Look at what it was told with `signalbox timeline`; a clearer schema or description helps.',
    details: { tries },
  });
  return permanent(error);
}

export function tooManyTurns(maxTurns: number): Error {
  const message = `Limit maxTurns = ${maxTurns} of the agent is reached without a reply.`;
  const error = new SignalboxError('LimitReached', message, {
    hint: 'Raise `maxTurns`, or look at what keeps it busy with `signalbox timeline`.',
    details: { limit: 'maxTurns', value: maxTurns },
  });
  return permanent(error);
}

export function refusedByModel(text: string, finish: string): Error {
  const error = new SignalboxError('ModelRefused', `The model refused to reply (${finish}).`, {
    hint: 'Route `on: failed` to a person, or to another model.',
    details: { finish, text: text.slice(0, 500) },
  });
  return permanent(error);
}

/** Another attempt would hear the same again. */
function permanent(error: SignalboxError): Error {
  return Object.assign(error, { [PERMANENT]: true });
}
