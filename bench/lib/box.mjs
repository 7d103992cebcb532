import { createRequire } from 'node:module';
import { createMemoryStore, createSignalbox } from 'signalbox';
import { BIG } from './data.mjs';
import { counter } from './graphs.mjs';
import { expect } from './measure.mjs';

const fromStore = createRequire(import.meta.resolve('@signalbox/store-sqlite'));

/** The driver that the store uses, for who measures it bare. */
export function openDriver(path) {
  const { DatabaseSync } = fromStore('@photostructure/sqlite');
  return new DatabaseSync(path);
}

export function sqliteBox(path, durability, options = {}) {
  return createSignalbox({ ...options, path, durability, observer: { onError: report } });
}

/** Without persistence: commits are kept as objects, without text and chain. */
export function memoryBox() {
  return createSignalbox({ store: createMemoryStore(), observer: { onError: report } });
}

function report(error) {
  console.error(error);
  process.exitCode = 1;
}

export async function runCounter(box, limit, graph = counter) {
  const run = await box.start(graph, { big: BIG, limit });
  const view = await run.settled();
  expect(view.status === 'completed' && view.output.n === limit, JSON.stringify(view).slice(0, 400));
  return run;
}

/** Bytes that the database takes, its log written back or not. */
export function databaseBytes(path) {
  const db = openDriver(path);
  const { page_count: pages } = db.prepare('PRAGMA page_count').get();
  const { page_size: size } = db.prepare('PRAGMA page_size').get();
  db.close();
  return pages * size;
}
