import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultDriver, isAtLeast, type SqliteDriver } from './driver.ts';
import { APPLICATION_ID, MIGRATIONS } from './sql/schema.ts';
import { createSqliteStore } from './sqlite-store.ts';
import { append, chain } from './testing/append.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const driver = defaultDriver();

function execute(path: string, sql: string): void {
  const db = driver.open(path);
  db.exec(sql);
  db.close();
}

/** The default driver, with another SQLite version than it has. */
function pretending(version: string): SqliteDriver {
  return {
    name: 'old driver',
    open(path) {
      const db = driver.open(path);
      return {
        exec: sql => db.exec(sql),
        close: () => db.close(),
        prepare(sql) {
          const statement = db.prepare(sql);
          if (!sql.includes('sqlite_version')) return statement;
          return {
            get: () => ({ version }),
            all: () => [{ version }],
            run: () => ({ changes: 0, lastInsertRowid: 0 }),
          };
        },
      };
    },
  };
}

/** The default driver, whose first statement finds the file locked by somebody who then lets go of it. */
function lockedAtFirst(): SqliteDriver {
  return {
    name: 'locked at first',
    open(path) {
      const holder = driver.open(path);
      holder.exec('BEGIN EXCLUSIVE');
      const db = driver.open(path);
      return {
        exec: sql => db.exec(sql),
        close: () => db.close(),
        prepare(sql) {
          try {
            return db.prepare(sql);
          } catch (error) {
            holder.close();
            throw error;
          }
        },
      };
    },
  };
}

describe('opening a store', () => {
  it('makes missing folders and the file', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'store.db');
    const store = createSqliteStore({ path });
    await store.commit({ appends: [append('run_a', 0)] }, { sync: true });
    await store.close();
    expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3');
  });

  it('refuses an SQLite below 3.51.3 and says why', () => {
    const path = join(temporaryFolder(), 'store.db');
    expect(() => createSqliteStore({ path, driver: pretending('3.51.2') })).toThrow(
      expect.objectContaining({ code: 'SqliteTooOld', hint: expect.stringContaining('corrupt') }),
    );
  });

  it('takes SQLite 3.51.3 and later', async () => {
    for (const version of ['3.51.3', '3.52.0', '4.0.0']) {
      const path = join(temporaryFolder(), 'store.db');
      await createSqliteStore({ path, driver: pretending(version) }).close();
    }
  });

  it('refuses a newer schema and leaves it as it is', () => {
    const path = join(temporaryFolder(), 'store.db');
    createSqliteStore({ path }).close();
    execute(path, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    expect(() => createSqliteStore({ path })).toThrow(
      expect.objectContaining({
        code: 'StoreTooNew',
        details: expect.objectContaining({ found: MIGRATIONS.length + 1 }),
      }),
    );
  });

  it('brings a store of the first schema up to date, and reads what is in it as it was', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const old = chain('run_a', ['one', 'two']);
    execute(path, MIGRATIONS[0]!);
    execute(path, `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1`);
    execute(path, "INSERT INTO streams (id, name) VALUES (1, 'run_a')");
    for (const { lastSeq, seal } of old)
      execute(
        path,
        `INSERT INTO commits (stream, first, last, hash, text)
         VALUES (1, ${lastSeq}, ${lastSeq}, x'${seal().hash}', '${seal().text}')`,
      );
    const store = createSqliteStore({ path });
    const [, , next] = chain('run_a', ['one', 'two', 'three']);
    await store.commit({ appends: [next!] }, { sync: false });
    expect((await store.read('run_a')).map(({ sealed }) => sealed)).toEqual([...old, next!].map(one => one.seal()));
    await store.close();
  });

  it('refuses a file that is no database, and does not touch it', () => {
    const path = join(temporaryFolder(), 'store.db');
    const junk = 'This is a letter, not a database. '.repeat(200);
    writeFileSync(path, junk);
    expect(() => createSqliteStore({ path })).toThrow(expect.objectContaining({ code: 'StoreUnreadable' }));
    expect(readFileSync(path, 'utf8')).toBe(junk);
  });

  it('refuses the database of another program, and does not touch it', () => {
    const path = join(temporaryFolder(), 'other.db');
    execute(path, 'CREATE TABLE customers (id INTEGER PRIMARY KEY)');
    const before = readFileSync(path);
    expect(() => createSqliteStore({ path })).toThrow(expect.objectContaining({ code: 'StoreUnreadable' }));
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('refuses a path that names no file', () => {
    for (const path of ['', ':memory:']) {
      expect(() => createSqliteStore({ path })).toThrow(expect.objectContaining({ code: 'InvalidValue' }));
    }
  });

  it('refuses a folder that cannot be written', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createSqliteStore({ path: join(file, 'store.db') })).toThrow(
      expect.objectContaining({ code: 'StoreFailed' }),
    );
  });

  it.runIf(process.platform === 'linux')('refuses a folder in which none can be made', () => {
    expect(() => createSqliteStore({ path: '/proc/none/deep/store.db' })).toThrow(
      expect.objectContaining({ code: 'StoreFailed' }),
    );
  });

  it('keeps an empty file that somebody made beforehand', async () => {
    const path = join(temporaryFolder(), 'store.db');
    writeFileSync(path, '');
    const store = createSqliteStore({ path });
    expect((await store.inspect()).ok).toBe(true);
    await store.close();
  });

  it('waits, from its first look at the file on, for another process that makes it at the same moment', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path, driver: lockedAtFirst() });
    expect((await store.inspect()).ok).toBe(true);
    await store.close();
  });

  it('refuses a store that another process keeps locked, in its own words', () => {
    const path = join(temporaryFolder(), 'store.db');
    const holder = driver.open(path);
    holder.exec('BEGIN EXCLUSIVE');
    expect(() => createSqliteStore({ path, busyTimeout: 30 })).toThrow(expect.objectContaining({ code: 'StoreBusy' }));
    holder.exec('ROLLBACK');
    holder.close();
  });
});

describe('a damaged store', () => {
  it('is told by reads as StoreUnreadable, and by inspection as problems', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    for (let seq = 0; seq < 200; seq += 1) {
      await store.commit({ appends: [append('run_a', seq, 'x'.repeat(500))] }, { sync: false });
    }
    await store.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 * 50);
    writeFileSync(path, bytes);
    const damaged = createSqliteStore({ path });
    await expect(damaged.read('run_a')).rejects.toMatchObject({ code: 'StoreUnreadable' });
    const { ok, problems } = await damaged.inspect();
    expect(ok).toBe(false);
    expect(problems.length).toBeGreaterThan(0);
    await damaged.close();
  });
});

describe('versions', () => {
  it.each([
    ['3.51.3', true],
    ['3.51.10', true],
    ['3.52', true],
    ['4', true],
    ['3.51.2', false],
    ['3.51', false],
    ['3.9.99', false],
    ['0', false],
  ])('%s is at least 3.51.3: %s', (version, expected) => {
    expect(isAtLeast(version, '3.51.3')).toBe(expected);
  });
});
