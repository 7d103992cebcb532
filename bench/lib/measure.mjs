/** Statistics and probes that all cells share. Times are milliseconds unless a name says otherwise. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const now = () => performance.now();

/** The value below which the share `p` of all values lies. */
export function quantile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
}

export const median = values => quantile(values, 0.5);

export async function timed(work) {
  const from = now();
  await work();
  return now() - from;
}

/**
 * What a process does before the clock starts, ms of it: everybody is given the same. A process that serves runs has
 * compiled its code long ago; with less, what is measured is the compiler (see `docs/design/performance.md`).
 */
const WARM = 5000;

/** Does some work again and again, counted from 0, until it is warm. */
export async function warmUp(work) {
  const until = now() + WARM;
  for (let index = 0; now() < until; index += 1) await work(index);
}

/** Wall time and CPU time of some work. CPU time is what to compare when the machine is not quiet. */
export async function spent(work) {
  const before = process.cpuUsage();
  const ms = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { ms, cpuMs: (user + system) / 1000 };
}

/** What the process holds after a collection, in MiB. */
export function memory() {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
}

/** A fresh folder on a real disk, gone when the process ends. BENCH_DIR names another place than the system's own. */
export function scratch() {
  const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'signalbox-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function bytesIn(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

export function expect(held, what) {
  if (!held) throw new Error(`The workload went wrong: ${what}`);
}
