/** W1, W1b and W5: one run of n steps. */
import { join } from 'node:path';
import { databaseBytes, memoryBox, runCounter, sqliteBox } from '../lib/box.mjs';
import { counter, onceCounter } from '../lib/graphs.mjs';
import { scratch, timed } from '../lib/measure.mjs';

/** Steps before the clock starts: code is compiled, and the write-ahead log has grown. */
const WARM = 1500;
/** A process that serves runs has compiled its code long ago: fewer, and the first thousand steps measure the compiler. */
const ROUNDS = 5;

export async function steps({ durability, sizes, once = false }) {
  const path = join(scratch(), 'box.db');
  const box = sqliteBox(path, durability);
  const graph = once ? onceCounter : counter;
  for (let round = 0; round < ROUNDS; round += 1) await runCounter(box, once ? WARM / 2 : WARM, graph);
  const result = {};
  for (const n of sizes) {
    const before = databaseBytes(path);
    const ms = await timed(() => runCounter(box, n, graph));
    result[n] = {
      perSecond: (n / ms) * 1000,
      usPerStep: (ms / n) * 1000,
      bytesPerStep: (databaseBytes(path) - before) / n,
    };
  }
  await box.close();
  return result;
}

export async function stepsInMemory({ sizes }) {
  const box = memoryBox();
  for (let round = 0; round < ROUNDS; round += 1) await runCounter(box, WARM);
  const result = {};
  for (const n of sizes) result[n] = { usPerStep: ((await timed(() => runCounter(box, n))) / n) * 1000 };
  await box.close();
  return result;
}
