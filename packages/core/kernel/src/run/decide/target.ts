import { SignalboxError } from '../../error/error.ts';
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

export function closedError(request: Pick<RequestState, 'id' | 'status' | 'withdrawn'>): SignalboxError {
  const { withdrawn: reason } = request;
  const details = { request: request.id, status: request.status, ...(reason === undefined ? {} : { reason }) };
  switch (request.status) {
    case 'expired':
      return new SignalboxError('RequestExpired', 'The deadline of this request has passed.', { details });
    case 'answered':
      return new SignalboxError('AlreadyAnswered', 'This request is answered already; the first answer stands.', {
        details,
      });
    default:
      return new SignalboxError(
        'RequestClosed',
        `This request is ${request.status}${reason === undefined || reason === request.status ? '' : ` (${reason})`}; nothing changes it any more.`,
        { details },
      );
  }
}
