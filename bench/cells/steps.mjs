/** W1, W1b and W5: one run of n steps. */
import { join } from 'node:path';
import { databaseBytes, memoryBox, runCounter, sqliteBox } from '../lib/box.mjs';
import { counter, onceCounter } from '../lib/graphs.mjs';
import { scratch, timed, warmUp } from '../lib/measure.mjs';

/** Steps of a run that warms up; the write-ahead log has grown after one. */
const WARM = 1500;

export async function steps({ durability, sizes, once = false }) {
  const path = join(scratch(), 'box.db');
  const box = sqliteBox(path, durability);
  const graph = once ? onceCounter : counter;
  await warmUp(() => runCounter(box, WARM, graph));
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
  await warmUp(() => runCounter(box, WARM));
  const result = {};
  for (const n of sizes) result[n] = { usPerStep: ((await timed(() => runCounter(box, n))) / n) * 1000 };
  await box.close();
  return result;
}
