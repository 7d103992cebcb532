import { SignalboxError } from '../../error/error.ts';
import { namesOf } from '../../event/principal.ts';
import type { JsonObject } from '../../json/value.ts';
import type { RequestState } from '../request-state.ts';
import { findRequest } from '../run.ts';
import type { Decider } from './decider.ts';

/** The request an answer is for. One that names the run alone is taken when exactly one is open. */
export function targetOf(d: Decider, id: string | undefined): RequestState {
  const open = [...d.run.requests.values()];
  if (id === undefined) {
    if (open.length === 1) return open[0]!;
    throw new SignalboxError(
      'AmbiguousTarget',
      `The run has ${open.length} open questions, and the answer names none.`,
      {
        hint:
          open.length === 0
            ? 'Nothing is asked of you.'
            : `Name one of: ${open.map(request => request.id).join(', ')}.`,
        details: { open: open.map(request => request.id) },
      },
    );
  }
  const request = findRequest(d.run, id);
  if (request === undefined)
    throw new SignalboxError('UnknownRequest', `The run has no request "${id}".`, {
      hint: 'See `signalbox inbox`.',
    });
  return request;
}

/** What became of a request, told by as much as is known of it: with its answer, whose that is, when it came and what it says. */
type Closed = Pick<RequestState, 'id' | 'status' | 'withdrawn'> & Partial<Pick<RequestState, 'answer'>>;

export function closedError(request: Closed): SignalboxError {
  const { withdrawn: reason } = request;
  const details = { request: request.id, status: request.status, ...(reason === undefined ? {} : { reason }) };
  switch (request.status) {
    case 'expired':
      return new SignalboxError('RequestExpired', 'The deadline of this request has passed.', { details });
    case 'answered':
      return alreadyAnswered(request, details);
    default:
      return new SignalboxError(
        'RequestClosed',
        `This request is ${request.status}${reason === undefined || reason === request.status ? '' : ` (${reason})`}; nothing changes it any more.`,
        { details },
      );
  }
}

/** Not its values and its note: these are for who may see the run. */
function alreadyAnswered({ answer }: Closed, details: JsonObject): SignalboxError {
  if (answer === undefined)
    return new SignalboxError('AlreadyAnswered', 'This request is answered already; the first answer stands.', {
      details,
    });
  const { action, by, at, endorsedBy } = answer;
  const all = (endorsedBy ?? [by]).map(each => namesOf(each).join(' for ')).join(', ');
  const message = `This request is answered already: ${action} by ${all} at ${at}; that answer stands.`;
  return new SignalboxError('AlreadyAnswered', message, {
    details: {
      ...details,
      action,
      by: { ...by },
      at,
      ...(endorsedBy === undefined ? {} : { endorsedBy: endorsedBy.map(each => ({ ...each })) }),
    },
  });
}
