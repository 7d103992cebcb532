import { SignalboxError } from '@signalbox/kernel';

/** A document is found by its hash, and nothing may be judged by one that was changed under it. @throws SignalboxError `HashMismatch` */
export function assertStoredAs(hash: string, found: string, kind: 'graph' | 'contract'): void {
  if (found === hash) return;
  throw new SignalboxError('HashMismatch', `The ${kind} ${hash} in the store is not what was stored under that hash.`, {
    hint: 'Somebody changed it in the database. Put back its row from a backup.',
    details: { kind, hash, found },
  });
}
