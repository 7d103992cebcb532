import { describe, expect, it } from 'vitest';
import { describeChecks } from '../describe.ts';
import type { HostFactory, HostFixture } from './host-check.ts';
import { hostChecks } from './host-checks.ts';

/** What a defective host does differently. */
interface Defects {
  readonly early?: number;
  readonly wrapAt?: number;
  readonly overlapping?: boolean;
  readonly forgetful?: boolean;
  readonly serial?: boolean;
  readonly unbounded?: boolean;
  readonly dropsFailed?: boolean;
  readonly latestOnly?: boolean;
  readonly stopsAtOnce?: boolean;
  readonly goesOn?: boolean;
}

/** The simplest host over a clock that is moved by hand: it looks at everything whenever the clock moves. */
function simpleHost(defects: Defects = {}): HostFactory {
  return ({ concurrency }): HostFixture => {
    const wishes: { runId: string; at: number }[] = [];
    const inFlight = new Map<string, Promise<void>>();
    const limit = defects.serial ? 1 : defects.unbounded ? Number.POSITIVE_INFINITY : concurrency;
    let now = 1_000_000;
    let stopped = false;
    let onDue: (runId: string) => Promise<void> = async () => {};

    function begin(index: number): void {
      const [wish] = wishes.splice(index, 1);
      if (wish === undefined) return;
      const { runId } = wish;
      const call = onDue(runId).then(
        () => inFlight.delete(runId),
        () => !defects.dropsFailed && inFlight.delete(runId),
      );
      inFlight.set(runId, call.then(look));
    }

    function look(): void {
      for (;;) {
        if ((stopped && !defects.goesOn) || inFlight.size >= limit) return;
        const index = wishes.findIndex(
          ({ runId, at }) => at <= now + (defects.early ?? 0) && (defects.overlapping || !inFlight.has(runId)),
        );
        if (index === -1) return;
        begin(index);
      }
    }

    return {
      host: {
        onDue(fn) {
          onDue = fn;
        },
        schedule(runId, at) {
          if (defects.forgetful && inFlight.has(runId)) return;
          const known = wishes.findIndex(wish => wish.runId === runId);
          if (defects.latestOnly && known !== -1) wishes.splice(known, 1);
          wishes.push({ runId, at: defects.wrapAt && at - now > defects.wrapAt ? now : at });
        },
        async stop() {
          stopped = true;
          if (!defects.stopsAtOnce) await Promise.all(inFlight.values());
        },
      },
      now: () => now,
      advance(ms) {
        now += ms;
        look();
      },
    };
  };
}

describeChecks({ describe, it }, 'a simple host', hostChecks(simpleHost()));

const BROKEN: readonly (readonly [name: string, defects: Defects, seenBy: string])[] = [
  ['calls too early', { early: 1 }, 'a run is not called before its time'],
  ['wraps long times', { wrapAt: 2 ** 31 }, 'a time fifty days ahead holds (past 2^31 ms)'],
  ['calls one run twice at once', { overlapping: true }, 'two calls for one run are never in flight at once'],
  [
    'forgets what comes due meanwhile',
    { forgetful: true },
    'a call that becomes due while one is in flight follows after',
  ],
  ['calls one run after the other', { serial: true }, 'a slow run does not hold up the others'],
  ['knows no bound', { unbounded: true }, 'no more calls are in flight than allowed, and all get their turn'],
  ['loses the place of a failed call', { dropsFailed: true }, 'failed calls give their place back'],
  ['keeps the last wish only', { latestOnly: true }, 'a wish for an earlier time is not lost to one for a later time'],
  ['stops without waiting', { stopsAtOnce: true }, 'stopping waits for the calls in flight'],
  ['goes on after stopping', { goesOn: true }, 'after stopping nothing begins'],
];

describe('the suite rejects a host that', () => {
  it.each(BROKEN)('%s', async (_name, defects, seenBy) => {
    const check = hostChecks(simpleHost(defects)).find(({ name }) => name === seenBy);
    expect(check).toBeDefined();
    await expect(check?.run()).rejects.toThrow();
  });
});

describe('skipping a check', () => {
  it('leaves it out by name', () => {
    const all = hostChecks(simpleHost());
    const skip = { [all[0]?.name ?? '']: 'real time only' };
    expect(hostChecks(simpleHost(), { skip })).toHaveLength(all.length - 1);
  });

  it('is refused for a name that no check has', () => {
    expect(() => hostChecks(simpleHost(), { skip: { 'no such check': 'typo' } })).toThrow('no such check');
  });
});
