import { SignalboxError } from '@signalbox/kernel';

/** Which session, and whose. */
export interface SessionPlace {
  readonly id: string;
  readonly tenant: string;
}

export const SESSION_PREFIX = 'ses_';
const SESSION_ID = /^ses_[0-9A-Za-z-]{1,60}$/;

export function newSessionId(uuid: string): string {
  return `${SESSION_PREFIX}${uuid}`;
}

export function isSessionStream(stream: string): boolean {
  return stream.startsWith(SESSION_PREFIX);
}

/** It names a stream, so it must be no other's. @throws SignalboxError `InvalidSession` */
export function assertSessionId(id: string): void {
  if (SESSION_ID.test(id)) return;
  throw new SignalboxError('InvalidSession', `"${id}" is no id of a session.`, {
    hint: 'An id is `ses_` and up to 60 letters, digits and hyphens; leave it out to have one made.',
    details: { session: id },
  });
}

/** Also of one that is another tenant's: who may not know of it is not told. */
export function unknownSession(id: string): SignalboxError {
  return new SignalboxError('UnknownSession', `There is no session "${id}".`, {
    hint: 'See `signalbox session list`.',
    details: { session: id },
  });
}
