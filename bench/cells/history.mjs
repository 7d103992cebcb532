/** W4: looking back into long runs; and opening a store that holds one. */
import { join } from 'node:path';
import { runCounter, sqliteBox } from '../lib/box.mjs';
import { waitingCounter } from '../lib/graphs.mjs';
import { expect, median, memory, now, quantile, scratch, timed } from '../lib/measure.mjs';

/** Writes a run of so many steps, and finds the event after which half of them were done. */
export async function longRun({ path = join(scratch(), 'box.db'), steps }) {
  const box = sqliteBox(path, 'relaxed');
  const run = await runCounter(box, steps);
  let last = 0;
  let half = 0;
  for await (const event of run.events()) {
    last = event.seq;
    if (
      event.type === 'state.changed' &&
      event.data.changes.some(change => change.key === 'n' && change.value === steps / 2)
    )
      half = event.seq;
  }
  await box.close();
  return { path, runId: run.id, events: last, half };
}

export async function lookBack({ path, runId, half, steps }) {
  const box = sqliteBox(path, 'strict');
  const run = box.get(runId);
  const times = [];
  for (let look = 0; look < 60; look += 1)
    times.push(
      await timed(async () => {
        const state = await run.state({ at: half });
        expect(state.n === steps / 2 && state.items.length === steps / 2, `state.n is ${state.n}`);
      }),
    );
  await box.close();
  return { first: times[0], p50: median(times.slice(20)) };
}

/** State at points spread over the whole run, in an order that helps nobody. */
export async function lookAnywhere({ path, runId, events, looks = 300 }) {
  const box = sqliteBox(path, 'strict');
  const run = box.get(runId);
  const times = [];
  for (let look = 0; look < looks; look += 1) {
    const at = 1 + ((look * 7919 * 1031) % events);
    times.push(await timed(() => run.state({ at })));
  }
  await box.close();
  return { p50: median(times), p99: quantile(times, 0.99), max: Math.max(...times) };
}

export async function stream({ path, runId, events }) {
  const box = sqliteBox(path, 'strict');
  const before = memory().rss;
  let peak = before;
  let count = 0;
  const from = now();
  for await (const _event of box.get(runId).events()) {
    count += 1;
    if (count % 500 === 0) peak = Math.max(peak, process.memoryUsage().rss / 2 ** 20);
  }
  const ms = now() - from;
  expect(count === events, `${count} events of ${events}`);
  await box.close();
  return { ms, peakGrowth: peak - before };
}

/** A run that waits after so many steps, in a file of its own. */
export async function waitingRun({ path, steps }) {
  const box = sqliteBox(path, 'relaxed');
  const run = await box.start(waitingCounter, { big: '', limit: steps });
  await run.settled();
  let events = 0;
  for await (const { seq } of run.events()) events = seq;
  await box.close();
  return { path, runId: run.id, events };
}

/** From nothing to the open question of that run; the process has loaded its code before. */
export async function reopen({ path, runId }) {
  let box;
  const ms = await timed(async () => {
    box = sqliteBox(path, 'strict');
    await box.ready();
    const view = await box.get(runId).view();
    expect(view.status === 'suspended' && view.requests.length === 1, view.status);
  });
  await box.close();
  return { ms };
}
