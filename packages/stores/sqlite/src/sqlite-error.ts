import { isSignalboxError, SignalboxError } from '@signalbox/kernel';

type Trouble = 'busy' | 'unreadable' | 'full' | 'other';

const TROUBLE_BY_CODE: Readonly<Record<number, Trouble>> = {
  5: 'busy',
  6: 'busy',
  11: 'unreadable',
  13: 'full',
  26: 'unreadable',
};
const CODE_BY_NAME: Readonly<Record<string, number>> = {
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_NOTADB: 26,
};

const TROUBLE_BY_MESSAGE: readonly (readonly [RegExp, Trouble])[] = [
  [/database (table |schema )?is locked/, 'busy'],
  [/disk image is malformed|not a database/, 'unreadable'],
  [/database or disk is full/, 'full'],
];

/**
 * node:sqlite gives the result code as a number in `errcode`, better-sqlite3 its name in `code`; both may be extended.
 * `all()` of @photostructure/sqlite gives neither: there SQLite's own words, which are stable, have to do.
 */
function troubleOf(error: unknown): Trouble {
  const { errcode, code, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof errcode === 'number') return TROUBLE_BY_CODE[errcode & 0xff] ?? 'other';
  const name = typeof code === 'string' ? /^SQLITE_[A-Z]+/.exec(code)?.[0] : undefined;
  if (name !== undefined) return TROUBLE_BY_CODE[CODE_BY_NAME[name] ?? 0] ?? 'other';
  return TROUBLE_BY_MESSAGE.find(([words]) => words.test(String(message)))?.[1] ?? 'other';
}

/** Somebody else holds a lock: worth trying again. */
export function isBusy(error: unknown): boolean {
  return troubleOf(error) === 'busy';
}

/** What a caller sees instead of an SQLite error; an error that is ours already stays. */
export function toStoreError(error: unknown, path: string): SignalboxError {
  if (isSignalboxError(error)) return error;
  const details = { path, reason: error instanceof Error ? error.message : String(error) };
  switch (troubleOf(error)) {
    case 'busy':
      return new SignalboxError('StoreBusy', `${path} stayed locked by another process.`, {
        hint: 'Another process holds it in one long transaction. End that process, or raise busyTimeout.',
        details,
        cause: error,
      });
    case 'unreadable':
      return new SignalboxError('StoreUnreadable', `${path} cannot be read as a Signalbox store: ${details.reason}.`, {
        hint: 'Restore a backup, or name another file.',
        details,
        cause: error,
      });
    case 'full':
      return new SignalboxError('StoreFull', `No room is left to write to ${path}.`, {
        hint: 'Make room on its disk. What was acknowledged is there; this commit is not.',
        details,
        cause: error,
      });
    case 'other':
      return new SignalboxError('StoreFailed', `The store at ${path} failed: ${details.reason}.`, {
        hint: 'What was acknowledged is there; this call had no effect. Look at the disk and at its rights.',
        details,
        cause: error,
      });
  }
}
