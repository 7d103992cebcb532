/** W2: runs that stop at a question, one by one and 100,000 of them. */
import { join } from 'node:path';
import { databaseBytes, sqliteBox } from '../lib/box.mjs';
import { BIG } from '../lib/data.mjs';
import { question } from '../lib/graphs.mjs';
import { expect, median, memory, now, quantile, scratch, spent, timed, warmUp } from '../lib/measure.mjs';

async function suspended(box, big) {
  const run = await box.start(question, { big, limit: 0 });
  const view = await run.settled();
  expect(view.status === 'suspended', view.status);
  return run;
}

async function resumed(run) {
  await run.answer({ action: 'approve' });
  const view = await run.settled();
  expect(view.status === 'completed' && view.output.n === 5 && view.output.answer === 'approve', JSON.stringify(view));
}

/** Runs with 8 KB of state, one after the other: to the question, and from the answer to the end. */
export async function suspendAndResume({ n }) {
  const box = sqliteBox(join(scratch(), 'box.db'), 'strict');
  await warmUp(async () => resumed(await suspended(box, BIG)));
  const starts = [];
  const resumes = [];
  const { ms, cpuMs } = await spent(async () => {
    for (let index = 0; index < n; index += 1) {
      const from = now();
      const run = await suspended(box, BIG);
      starts.push(now() - from);
      resumes.push(await timed(() => resumed(run)));
    }
  });
  await box.close();
  return {
    perSecond: (n / ms) * 1000,
    cpuPerRun: cpuMs / n,
    startP50: median(starts),
    resumeP50: median(resumes),
    resumeP99: quantile(resumes, 0.99),
  };
}

/** Runs made before memory is looked at: by then caches are full and the heap has the size that the work needs. */
const FILL_WARM = 3000;

/** Fills a file with suspended runs of a small state. */
export async function fill({ path, n, concurrency = 64 }) {
  const box = sqliteBox(path, 'relaxed');
  await suspendMany(box, FILL_WARM, concurrency);
  const bytes = databaseBytes(path);
  const before = memory();
  const ms = await timed(() => suspendMany(box, n, concurrency));
  const after = memory();
  const run = await suspended(box, '');
  const stateBytes = Buffer.byteLength(JSON.stringify(await run.state()));
  const bytesPerRun = (databaseBytes(path) - bytes) / (n + 1);
  await box.close();
  return {
    perSecond: (n / ms) * 1000,
    bytesPerRun,
    stateBytes,
    rssGrowth: after.rss - before.rss,
    heapGrowth: after.heap - before.heap,
  };
}

async function suspendMany(box, n, concurrency) {
  let begun = 0;
  const worker = async () => {
    while (begun < n) {
      begun += 1;
      await suspended(box, '');
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Resumes some of the runs in a file, oldest first; of runs made for the purpose when no file is given. */
export async function resumeSome({ path, n }) {
  const box = sqliteBox(path ?? join(scratch(), 'box.db'), 'strict');
  await box.ready();
  for (let index = 0; index < 150; index += 1) await resumed(await suspended(box, ''));
  if (path === undefined) for (let index = 0; index < n; index += 1) await suspended(box, '');
  const { rows } = await box.inbox({ limit: n });
  const times = [];
  for (const { requestId } of rows) {
    const from = now();
    const run = await box.answer(requestId, { action: 'approve' });
    const view = await run.settled();
    times.push(now() - from);
    expect(view.status === 'completed', view.status);
  }
  await box.close();
  expect(times.length === n, `${times.length} runs of ${n}`);
  return { p50: median(times), p99: quantile(times, 0.99) };
}
