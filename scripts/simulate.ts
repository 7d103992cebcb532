// Runs random graphs under faults: `npm run simulate -- --seeds 1000000 [--from 20000] [--workers 2]`.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { simulateSeeds } from '../tests/simulation/sim/seeds.ts';
import { report } from '../tests/simulation/sim/shrink.ts';

/** Seeds that a worker runs before it says how far it is. */
const PORTION = 500;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    workers: { type: 'string', default: String(availableParallelism()) },
    worker: { type: 'boolean', default: false },
  },
});
const from = Number(values.from);
const seeds = Number(values.seeds);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(seeds) || seeds < 1)
  throw new Error('Seeds are whole numbers.');
await (values.worker ? work() : share());

async function work(): Promise<void> {
  for (let next = from; next < from + seeds; next += PORTION) {
    const tally = await simulateSeeds(next, Math.min(PORTION, from + seeds - next));
    process.send?.({ seeds: tally.seeds, failure: tally.failure && report(tally.failure) });
    if (tally.failure !== undefined) break;
  }
  process.disconnect?.();
}

async function share(): Promise<void> {
  const workers = Math.min(Number(values.workers), seeds);
  const each = Math.ceil(seeds / workers);
  const begun = performance.now();
  let done = 0;
  let failed = 0;
  const children = Array.from({ length: workers }, (_, index) => {
    const count = Math.min(each, seeds - index * each);
    const args = ['--worker', '--from', String(from + index * each), '--seeds', String(count)];
    const child = fork(fileURLToPath(import.meta.url), args);
    child.on('message', (message: { seeds: number; failure?: string }) => {
      done += message.seeds;
      if (message.failure !== undefined) {
        failed += 1;
        console.error(message.failure);
      }
      const seconds = (performance.now() - begun) / 1_000;
      process.stderr.write(`\r${done} of ${seeds} seeds, ${Math.round(done / seconds)} a second`);
    });
    return new Promise<number>(resolve => child.on('exit', code => resolve(code ?? 1)));
  });
  const codes = await Promise.all(children);
  console.log(`\n${done} seeds, ${failed} failures.`);
  if (failed > 0 || codes.some(code => code !== 0) || done < seeds) process.exitCode = 1;
}
