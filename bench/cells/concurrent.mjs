/** W3: many runs at once; W6: one run with a wide map. */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { runCounter, sqliteBox } from '../lib/box.mjs';
import { fanOut } from '../lib/graphs.mjs';
import { expect, scratch, spent, timed, warmUp } from '../lib/measure.mjs';

async function manyRuns(box, runs, steps) {
  await Promise.all(Array.from({ length: runs }, () => runCounter(box, steps)));
}

export async function concurrent({ runs, steps }) {
  const box = sqliteBox(join(scratch(), 'box.db'), 'strict');
  await runCounter(box, 1500);
  await warmUp(() => manyRuns(box, runs, steps));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const { ms, cpuMs } = await spent(() => manyRuns(box, runs, steps));
  delay.disable();
  await box.close();
  return {
    perSecond: ((runs * steps) / ms) * 1000,
    cpuPerStep: (cpuMs / (runs * steps)) * 1000,
    stallMax: delay.max / 1e6,
    stallP99: delay.percentile(99) / 1e6,
  };
}

export async function fan({ n }) {
  const box = sqliteBox(join(scratch(), 'box.db'), 'strict');
  const xs = Array.from({ length: n }, (_, index) => index);
  const go = async () => {
    const view = await (await box.start(fanOut, { xs })).settled();
    expect(view.status === 'completed' && view.output.count === n, JSON.stringify(view).slice(0, 400));
  };
  await runCounter(box, 1500);
  await warmUp(go);
  const ms = await timed(go);
  await box.close();
  return { ms };
}
