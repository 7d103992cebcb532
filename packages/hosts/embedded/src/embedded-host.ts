import { checkOptions, type OptionKinds, wholeNumber, withMethods } from '@signalbox/kernel';
import type { Clock, Host } from '@signalbox/ports';
import { Wishes } from './wishes.ts';

export interface EmbeddedHostOptions {
  readonly clock: Clock;
  /** Runs driven at once; default 1,000. A run that only waits takes no place. */
  readonly concurrency?: number;
}

const OPTIONS: OptionKinds<EmbeddedHostOptions> = {
  clock: withMethods('a clock', ['now', 'at'], 'Give what `createSystemClock()` returns.'),
  concurrency: wholeNumber(1),
};

/**
 * The host that lives in the process that drives the runs.
 *  1. Every wished time of a run is kept until it is due: a later wish never replaces an earlier one, nor the reverse.
 *  2. Runs whose time has come wait in line, first come first served; a run stands in line once and is driven once at a time.
 */
export function createEmbeddedHost(options: EmbeddedHostOptions): Host {
  checkOptions('createEmbeddedHost', options, OPTIONS, ['clock']);
  const { clock, concurrency = 1_000 } = options;
  const wishes = new Wishes();
  const line = new Set<string>();
  const driven = new Map<string, Promise<void>>();
  let drive: ((runId: string) => Promise<void>) | undefined;
  let alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  let stopped = false;

  function ring(at: number): void {
    if (stopped || (alarm !== undefined && alarm.at <= at)) return;
    alarm?.cancel();
    alarm = { at, cancel: clock.at(at, wake) };
  }

  function wake(): void {
    alarm = undefined;
    for (const runId of wishes.take(clock.now())) line.add(runId);
    const { next } = wishes;
    if (next !== undefined) ring(next);
    pump();
  }

  function pump(): void {
    for (const runId of line) {
      if (stopped || driven.size >= concurrency) return;
      if (driven.has(runId)) continue;
      line.delete(runId);
      driven.set(runId, begin(runId));
    }
  }

  /** What a drive throws concerns its own run; the run is due still, so the next sweep finds it. */
  async function begin(runId: string): Promise<void> {
    try {
      await Promise.resolve();
      await drive?.(runId);
    } catch {
      // The one who drives reports its own errors; here they must not hold up other runs.
    } finally {
      driven.delete(runId);
      pump();
    }
  }

  return {
    onDue(fn) {
      drive = fn;
    },
    schedule(runId, at) {
      if (stopped) return;
      if (at <= clock.now()) {
        line.add(runId);
        pump();
        return;
      }
      wishes.add(at, runId);
      ring(at);
    },
    async stop() {
      stopped = true;
      alarm?.cancel();
      line.clear();
      wishes.clear();
      await Promise.all(driven.values());
    },
  };
}
