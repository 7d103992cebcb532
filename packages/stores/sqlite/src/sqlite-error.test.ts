import { SignalboxError } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { isBusy, toStoreError } from './sqlite-error.ts';

const errorLike = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

describe('errors of SQLite', () => {
  it.each([
    ['node:sqlite', errorLike('database is locked', { code: 'ERR_SQLITE_ERROR', errcode: 5 }), 'StoreBusy'],
    ['node:sqlite, extended', errorLike('database is locked', { errcode: 5 | (2 << 8) }), 'StoreBusy'],
    ['better-sqlite3', errorLike('database is locked', { code: 'SQLITE_BUSY_SNAPSHOT' }), 'StoreBusy'],
    ['words alone', errorLike('database table is locked'), 'StoreBusy'],
    ['node:sqlite', errorLike('malformed', { errcode: 11 }), 'StoreUnreadable'],
    ['better-sqlite3', errorLike('file is not a database', { code: 'SQLITE_NOTADB' }), 'StoreUnreadable'],
    ['words alone', errorLike('database disk image is malformed', { code: 'ERR_SQLITE_ERROR' }), 'StoreUnreadable'],
    ['node:sqlite', errorLike('full', { errcode: 13 }), 'StoreFull'],
    ['words alone', errorLike('database or disk is full'), 'StoreFull'],
    ['node:sqlite', errorLike('disk I/O error', { errcode: 10 }), 'StoreFailed'],
    ['anything', 'text', 'StoreFailed'],
  ])('from %s: %s becomes %s', (_driver, error, code) => {
    const made = toStoreError(error, '/data/store.db');
    expect(made.code).toBe(code);
    expect(made.message).toContain('/data/store.db');
    expect(made.hint).toBeTruthy();
    expect(isBusy(error)).toBe(code === 'StoreBusy');
  });

  it('are left alone when they are ours already', () => {
    const ours = new SignalboxError('StoreConflict', 'too late');
    expect(toStoreError(ours, '/data/store.db')).toBe(ours);
  });
});
