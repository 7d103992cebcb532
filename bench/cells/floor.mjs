/** A bare loop of inserts over the store's own driver: rows of 100 bytes, each a transaction, in a WITHOUT ROWID table. */
import { join } from 'node:path';
import { openDriver } from '../lib/box.mjs';
import { item } from '../lib/data.mjs';
import { scratch, timed } from '../lib/measure.mjs';

/** Writes that make the write-ahead log as long as it ever gets, so that nobody pays for growing the file. */
const GROWING = 1500;

export async function floor({ durability, n }) {
  const db = openDriver(join(scratch(), 'floor.db'));
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'};
    CREATE TABLE rows (run TEXT, seq INTEGER, body TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID;
  `);
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?, ?)');
  for (let index = 0; index < GROWING; index += 1) insert.run('warm', index, item(index));
  const ms = await timed(() => {
    for (let index = 0; index < n; index += 1) insert.run('run', index, item(index));
  });
  db.close();
  return { perSecond: (n / ms) * 1000 };
}
