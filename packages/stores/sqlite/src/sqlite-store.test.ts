import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore, RequestRow } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { defaultDriver, type SqliteDriver, type SqliteStatement } from './driver.ts';
import { createSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
import { append } from './testing/append.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const driver = defaultDriver();

/** Writes down every statement. */
function recording(): { readonly driver: SqliteDriver; readonly statements: string[] } {
  const statements: string[] = [];
  return {
    statements,
    driver: {
      name: driver.name,
      open(path) {
        const db = driver.open(path);
        return {
          close: () => db.close(),
          exec(sql) {
            statements.push(sql);
            return db.exec(sql);
          },
          prepare(sql) {
            const statement = db.prepare(sql);
            return {
              get: (...values) => statement.get(...values),
              all: (...values) => statement.all(...values),
              run(...values) {
                statements.push(sql);
                return statement.run(...values);
              },
            };
          },
        };
      },
    },
  };
}

/** A store that has been opened, and what it says from then on. */
function recorded(options: Omit<SqliteStoreOptions, 'path' | 'driver'>): { store: EventStore; said: () => string[] } {
  const { driver, statements } = recording();
  const store = createSqliteStore({ path: join(temporaryFolder(), 'store.db'), driver, ...options });
  const opened = statements.length;
  return { store, said: () => statements.slice(opened) };
}

const count = (statements: readonly string[], text: string): number =>
  statements.filter(statement => statement.startsWith(text)).length;

describe('group commit', () => {
  it('puts commits that come together into one transaction, without savepoints as long as none fails', async () => {
    const { store, said } = recorded({});
    await Promise.all(
      Array.from({ length: 20 }, (_, run) => store.commit({ appends: [append(`run_${run}`, 0)] }, { sync: false })),
    );
    expect(count(said(), 'BEGIN IMMEDIATE')).toBe(1);
    expect(count(said(), 'SAVEPOINT')).toBe(0);
    await store.close();
  });

  it('lands the others of a group in which one fails, a savepoint each', async () => {
    const { store, said } = recorded({});
    const commits = [0, 1, 2, 7, 4].map((run, index) => append(`run_${run}`, index === 3 ? 5 : 0));
    const outcomes = await Promise.allSettled(commits.map(one => store.commit({ appends: [one] }, { sync: false })));
    expect(outcomes.map(({ status }) => status)).toEqual(
      commits.map((_, index) => (index === 3 ? 'rejected' : 'fulfilled')),
    );
    expect(count(said(), 'SAVEPOINT')).toBe(5);
    expect(await store.head('run_4')).toMatchObject({ seq: commits[4]?.lastSeq });
    await store.close();
  });

  it('puts no more than the limit into one transaction', async () => {
    const { store, said } = recorded({ groupLimit: 8 });
    await Promise.all(
      Array.from({ length: 20 }, (_, run) => store.commit({ appends: [append(`run_${run}`, 0)] }, { sync: false })),
    );
    expect(count(said(), 'BEGIN IMMEDIATE')).toBe(3);
    await store.close();
  });

  it('needs no savepoint for a lone commit', async () => {
    const { store, said } = recorded({});
    await store.commit({ appends: [append('run_a', 0)] }, { sync: false });
    expect(count(said(), 'BEGIN IMMEDIATE')).toBe(1);
    expect(count(said(), 'SAVEPOINT')).toBe(0);
    await store.close();
  });

  it('writes its log back in smaller parts while many write at once, and sets that only when it changes', async () => {
    const { store, said } = recorded({});
    const together = (from: number, runs: number) =>
      Promise.all(
        Array.from({ length: runs }, (_, run) =>
          store.commit({ appends: [append(`run_${from + run}`, 0)] }, { sync: false }),
        ),
      );
    await together(0, 3);
    for (const from of [100, 200, 300]) await together(from, 20);
    await together(400, 1);
    expect(said().filter(sql => sql.includes('wal_autocheckpoint'))).toEqual([
      'PRAGMA wal_autocheckpoint = 400',
      'PRAGMA wal_autocheckpoint = 1000',
    ]);
    await store.close();
  });

  it('gathers writers that come in different callbacks of one turn of the event loop', async () => {
    const { store, said } = recorded({});
    const round = (seq: number) =>
      Promise.all(
        Array.from(
          { length: 10 },
          (_, run) =>
            new Promise<void>((resolve, reject) => {
              setTimeout(
                () => store.commit({ appends: [append(`run_${run}`, seq)] }, { sync: false }).then(resolve, reject),
                2,
              );
            }),
        ),
      );
    for (let seq = 0; seq < 10; seq += 1) await round(seq);
    expect(count(said(), 'BEGIN IMMEDIATE')).toBeLessThan(70);
    await store.close();
  });

  it('lets timers have their turn while a lone writer goes on without end', async () => {
    const { store } = recorded({ durability: 'relaxed' });
    let over = false;
    setTimeout(() => {
      over = true;
    }, 20);
    let seq = 0;
    for (; !over && seq < 200_000; seq += 1) await store.commit({ appends: [append('run_a', seq)] }, { sync: false });
    expect(over).toBe(true);
    await store.close();
  });
});

describe('durability', () => {
  const settings = (statements: readonly string[]): string[] =>
    statements.filter(statement => statement.startsWith('PRAGMA synchronous'));

  it('strict syncs every commit: the setting stays FULL', async () => {
    const { store, said } = recorded({ durability: 'strict' });
    for (let seq = 0; seq < 4; seq += 1) await store.commit({ appends: [append('run_a', seq)] }, { sync: false });
    expect(settings(said())).toEqual([]);
    expect((await store.inspect()).facts).toMatchObject({ durability: 'strict', journalMode: 'wal', synchronous: 2 });
    await store.close();
  });

  it('relaxed syncs the commits that ask for it, and the setting changes only when it has to', async () => {
    const { store, said } = recorded({ durability: 'relaxed' });
    const syncs = [false, false, true, true, false];
    for (const [seq, sync] of syncs.entries()) await store.commit({ appends: [append('run_a', seq)] }, { sync });
    expect(settings(said())).toEqual(['PRAGMA synchronous = FULL', 'PRAGMA synchronous = NORMAL']);
    await store.close();
  });

  it('one commit that asks for a sync makes its whole group synced', async () => {
    const { store, said } = recorded({ durability: 'relaxed' });
    await Promise.all([0, 1, 2].map(seq => store.commit({ appends: [append('run_a', seq)] }, { sync: seq === 2 })));
    expect(settings(said())).toEqual(['PRAGMA synchronous = FULL']);
    await store.close();
  });

  it('snapshots and leases are never synced', async () => {
    const { store, said } = recorded({ durability: 'strict' });
    await store.saveSnapshot({ stream: 'run_a', seq: 1, format: 1, body: '' }, []);
    await store.lease('host-1', 5);
    expect(settings(said())).toEqual(['PRAGMA synchronous = NORMAL']);
    await store.commit({ appends: [append('run_a', 0)] }, { sync: false });
    expect(settings(said())).toHaveLength(2);
    await store.close();
  });
});

describe('a commit whose writer asks when it is written', () => {
  /** Transactions in order, each with how it was synced; `log`: a sync of what was written before. */
  const landings = (statements: readonly string[], before = 'FULL'): string[] => {
    let sync = before;
    const seen: string[] = [];
    for (const statement of statements)
      if (statement.startsWith('PRAGMA synchronous')) sync = statement.slice('PRAGMA synchronous = '.length);
      else if (statement === 'COMMIT') seen.push(sync);
      else if (statement.startsWith('PRAGMA application_id')) seen.push(`log ${sync}`);
    return seen;
  };
  const turn = () => new Promise(resolve => setImmediate(resolve));

  it('lands at once, and shares the sync of the commit that comes next', async () => {
    const { store, said } = recorded({ durability: 'strict' });
    const told: string[] = [];
    let written = () => {};
    const isWritten = new Promise<void>(resolve => {
      written = resolve;
    });
    const first = store
      .commit({ appends: [append('run_a', 0)] }, { sync: true, written })
      .then(() => told.push('first'));
    await isWritten;
    expect(landings(said())).toEqual(['NORMAL']);
    expect(told).toEqual([]);
    const second = store.commit({ appends: [append('run_a', 1)] }, { sync: true }).then(() => told.push('second'));
    await Promise.all([first, second]);
    expect(told).toEqual(['first', 'second']);
    expect(landings(said())).toEqual(['NORMAL', 'FULL']);
    await store.close();
  });

  it('is synced by itself at the end of the turn when nothing comes', async () => {
    const { store, said } = recorded({ durability: 'strict' });
    await store.commit({ appends: [append('run_a', 0)] }, { sync: true, written: () => {} });
    expect(landings(said())).toEqual(['NORMAL', 'log FULL']);
    await store.close();
  });

  it('needs no sync of its own in a group that is synced, nor where it did not ask for one', async () => {
    const strict = recorded({ durability: 'strict' });
    await Promise.all([
      strict.store.commit({ appends: [append('run_a', 0)] }, { sync: true, written: () => {} }),
      strict.store.commit({ appends: [append('run_b', 0)] }, { sync: true }),
    ]);
    expect(landings(strict.said())).toEqual(['FULL']);
    await strict.store.close();
    const relaxed = recorded({ durability: 'relaxed' });
    await relaxed.store.commit({ appends: [append('run_a', 0)] }, { sync: false, written: () => {} });
    await turn();
    expect(landings(relaxed.said(), 'NORMAL')).toEqual(['NORMAL']);
    await relaxed.store.close();
  });

  it('is read in this process only when it is synced', async () => {
    const { store, said } = recorded({ durability: 'strict' });
    let read: Promise<unknown> | undefined;
    const written = () => {
      read = store.head('run_a').then(head => ({ head, landings: landings(said()) }));
    };
    await store.commit({ appends: [append('run_a', 0)] }, { sync: true, written });
    expect(await read).toMatchObject({ head: { seq: 1 }, landings: ['NORMAL', 'log FULL'] });
    await store.close();
  });

  it('is synced, and told, before the store is closed', async () => {
    const { store, said } = recorded({ durability: 'strict' });
    const commit = store.commit({ appends: [append('run_a', 0)] }, { sync: true, written: () => void store.close() });
    await commit;
    await store.close();
    expect(landings(said())).toEqual(['NORMAL', 'log FULL']);
  });

  it('shares the fate of a sync that failed: what comes after says nothing of it', async () => {
    const { driver: good } = recording();
    let broken = false;
    const failing: SqliteDriver = {
      name: good.name,
      open(path) {
        const db = good.open(path);
        const prepare = (sql: string) => {
          const statement = db.prepare(sql);
          const run: SqliteStatement['run'] = (...values) => {
            if (broken && sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
            return statement.run(...values);
          };
          return { ...statement, get: statement.get, all: statement.all, run };
        };
        return { close: () => db.close(), exec: sql => db.exec(sql), prepare };
      },
    };
    const store = createSqliteStore({ path: join(temporaryFolder(), 'store.db'), driver: failing });
    const next: Promise<unknown>[] = [];
    const written = () => {
      broken = true;
      next.push(store.commit({ appends: [append('run_a', 1)] }, { sync: true }));
    };
    const first = store.commit({ appends: [append('run_a', 0)] }, { sync: true, written });
    await expect(first).rejects.toMatchObject({ code: 'StoreFailed' });
    await expect(next[0]).rejects.toMatchObject({ code: 'StoreFailed' });
    broken = false;
    await store.close();
  });
});

describe('other processes', () => {
  it('C25 a lock that is held for a while delays a commit and fails none', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    const other = driver.open(path);
    other.exec('BEGIN IMMEDIATE');
    setTimeout(() => other.exec('ROLLBACK'), 80);
    await Promise.all([0, 1, 2].map(seq => store.commit({ appends: [append('run_a', seq)] }, { sync: false })));
    expect((await store.head('run_a'))?.seq).toBe(3);
    other.close();
    await store.close();
  });

  it('a lock that is never given back is told as StoreBusy, and the store goes on afterwards', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path, busyTimeout: 40 });
    const other = driver.open(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.commit({ appends: [append('run_a', 0)] }, { sync: false })).rejects.toMatchObject({
      code: 'StoreBusy',
    });
    other.exec('ROLLBACK');
    other.close();
    await store.commit({ appends: [append('run_a', 0)] }, { sync: false });
    expect((await store.head('run_a'))?.seq).toBe(1);
    await store.close();
  });

  it('reading goes on while another process holds the write lock', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    await store.commit({ appends: [append('run_a', 0)] }, { sync: false });
    const other = driver.open(path);
    other.exec('BEGIN IMMEDIATE');
    expect((await store.head('run_a'))?.seq).toBe(1);
    other.exec('ROLLBACK');
    other.close();
    await store.close();
  });
});

describe('erasing', () => {
  const secret = (digest: number): string => `secret-${digest}-of-finn`;
  const filesOf = (path: string): string =>
    ['', '-wal']
      .map(suffix => (statSync(path + suffix, { throwIfNoEntry: false }) ? readFileSync(path + suffix, 'latin1') : ''))
      .join('');

  async function fill(store: EventStore, from: number, to: number): Promise<void> {
    for (let digest = from; digest < to; digest += 1) {
      const text = secret(digest).repeat(digest % 7 === 0 ? 800 : 1 + (digest % 5));
      await store.commit(
        { appends: [], payloads: [{ tenant: 'default', digest: `d${digest}`, text }] },
        { sync: false },
      );
    }
  }

  it('takes the bytes out of the files, short and long ones, while the store is open', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    await fill(store, 0, 300);
    const erased = Array.from({ length: 300 }, (_, digest) => digest).filter(digest => digest % 3 !== 1);
    for (const digest of erased) {
      await store.commit({ appends: [], erasures: [{ tenant: 'default', digest: `d${digest}` }] }, { sync: false });
    }
    await fill(store, 300, 400);
    await store.commit({ appends: [], erasures: [{ tenant: 'default', digest: 'd399' }] }, { sync: false });
    const bytes = filesOf(path);
    expect([...erased, 399].filter(digest => bytes.includes(secret(digest)))).toEqual([]);
    expect(bytes.includes(secret(1))).toBe(true);
    expect(await store.payload('default', 'd1')).toBe(secret(1).repeat(2));
    await store.close();
  });

  it('empties the log later when another process is reading from it', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    await fill(store, 0, 10);
    const reader = driver.open(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM payloads').get();
    await store.commit({ appends: [], erasures: [{ tenant: 'default', digest: 'd3' }] }, { sync: false });
    expect(filesOf(path).includes(secret(3))).toBe(true);
    reader.exec('COMMIT');
    reader.close();
    await expect.poll(() => filesOf(path).includes(secret(3)), { timeout: 5000 }).toBe(false);
    await store.close();
  });

  it('is finished at the next opening when the process died in between', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    await fill(store, 0, 10);
    const reader = driver.open(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM payloads').get();
    await store.commit({ appends: [], erasures: [{ tenant: 'default', digest: 'd3' }] }, { sync: false });
    await store.close();
    reader.exec('COMMIT');
    expect(filesOf(path).includes(secret(3))).toBe(true);
    const next = createSqliteStore({ path });
    expect(filesOf(path).includes(secret(3))).toBe(false);
    reader.close();
    await next.close();
  });
});

describe('closing', () => {
  it('writes the log back: the file alone is the whole store', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    await store.commit({ appends: [append('run_a', 0)] }, { sync: false });
    await store.close();
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });
});

describe('a large inbox', () => {
  it('gives its first page from the index: no statement scans or sorts all requests', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    const requests = Array.from(
      { length: 500 },
      (_, index): RequestRow => ({
        tenant: 'default',
        requestId: `req_${index}`,
        runId: `run_${index}`,
        session: null,
        kind: 'form',
        title: 'Refund?',
        status: 'open',
        assignees: [`role:${index % 5}`],
        openedAt: index,
        deadlineAt: null,
      }),
    );
    await store.commit({ appends: [], requests }, { sync: false });
    await store.close();

    const plans: string[] = [];
    const explaining: SqliteDriver = {
      name: driver.name,
      open(file) {
        const db = driver.open(file);
        return {
          exec: sql => db.exec(sql),
          close: () => db.close(),
          prepare(sql) {
            const statement = db.prepare(sql);
            if (!sql.includes('requests') && !sql.includes('assignments')) return statement;
            for (const row of db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
              plans.push((row as { detail: string }).detail);
            return statement;
          },
        };
      },
    };
    const reopened = createSqliteStore({ path, driver: explaining });
    const page = await reopened.requests({ tenant: 'default', status: 'open', assignees: ['role:3'], limit: 20 });
    expect(page.rows.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 20 }, (_, index) => `req_${index * 5 + 3}`),
    );
    await reopened.requests({ tenant: 'default', status: 'open', limit: 20 });
    expect(plans.length).toBeGreaterThan(0);
    expect(plans.filter(plan => /SCAN|TEMP B-TREE/.test(plan))).toEqual([]);
    await reopened.close();
  });
});
