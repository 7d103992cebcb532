import type { Connection } from './connection.ts';
import { transaction } from './sql/transaction.ts';

const POLL_EVERY = 15;

/** Notices that another connection, of this process or another, has committed. */
export interface ForeignCommits {
  /** Looks now. */
  look(): void;
  /** Looks every few milliseconds while somebody listens; the timer does not keep the process alive. */
  listen(fn: () => void): () => void;
  stop(): void;
}

export function createForeignCommits(db: Connection, onForeign: () => void): ForeignCommits {
  const listeners = new Set<{ readonly fn: () => void }>();
  let seen = dataVersion(db);
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    const version = dataVersion(db);
    if (version === seen) return;
    seen = version;
    onForeign();
    for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener.fn());
  }

  function poll(): void {
    try {
      look();
    } catch {
      // A lock that was not free in time: the next poll looks again. Real damage shows at the next read or commit.
    }
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    look,
    stop() {
      listeners.clear();
      stop();
    },
    listen(fn) {
      const listener = { fn };
      listeners.add(listener);
      timer ??= setInterval(poll, POLL_EVERY).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
  };
}

function dataVersion(db: Connection): number {
  return db.one(transaction.dataVersion())?.data_version ?? 0;
}
