import assert from 'node:assert/strict';
import { type Check, type Skips, within, withoutSkipped } from '../check.ts';
import { createHostWorld, type HostCheck, type HostFactory, type HostWorld } from './host-check.ts';

const DAY = 86_400_000;
const LONGEST = 20_000;

export interface HostChecksOptions {
  /** Checks to leave out, by name, each with the reason. */
  readonly skip?: Skips;
}

/** What every host must do, as checks for any test runner. A check that is not done after 20 s has failed. */
export function hostChecks(factory: HostFactory, options: HostChecksOptions = {}): Check[] {
  return withoutSkipped(
    CHECKS.map(one => ({ name: one.name, run: () => within(LONGEST, runCheck(factory, one)) })),
    options.skip,
  );
}

async function runCheck(factory: HostFactory, { concurrency, held, body }: HostCheck): Promise<void> {
  const fixture = await factory({ concurrency });
  const world = createHostWorld(fixture, held);
  try {
    await body(world);
  } finally {
    const stopped = fixture.host.stop();
    for (const call of world.inFlight()) call.end();
    await stopped;
    await fixture.dispose?.();
  }
}

/** Calls end at once. */
function quick(name: string, body: HostCheck['body'], concurrency = 10): HostCheck {
  return { name, concurrency, held: false, body };
}

/** Calls end when the check says so. */
function held(name: string, body: HostCheck['body'], concurrency = 10): HostCheck {
  return { name, concurrency, held: true, body };
}

async function assertCalled(world: HostWorld, count: number): Promise<void> {
  const called = await world.eventually(() => world.calls.length >= count);
  assert.ok(called, `${count} calls were due, ${world.calls.length} came`);
}

const runsOf = (world: HostWorld): string[] => world.calls.map(({ runId }) => runId);

const TIMES: readonly HostCheck[] = [
  quick('a run is called at its time, with its id', async world => {
    world.host.schedule('run_a', world.now() + 1000);
    await world.advance(1000);
    await assertCalled(world, 1);
    assert.deepEqual(runsOf(world), ['run_a']);
  }),
  quick('a run is not called before its time', async world => {
    const at = world.now() + 1000;
    world.host.schedule('run_a', at);
    await world.advance(999);
    await world.settle();
    assert.deepEqual(runsOf(world), []);
    await world.advance(1);
    await assertCalled(world, 1);
    assert.ok((world.calls[0]?.at ?? 0) >= at);
  }),
  quick('a time that has passed means soon', async world => {
    world.host.schedule('run_past', world.now() - 5 * DAY);
    world.host.schedule('run_zero', 0);
    world.host.schedule('run_now', world.now());
    await assertCalled(world, 3);
    assert.deepEqual(runsOf(world).toSorted(), ['run_now', 'run_past', 'run_zero']);
  }),
  quick('a time that was slept through is called late, not lost', async world => {
    world.host.schedule('run_a', world.now() + 1000);
    await world.advance(30 * DAY);
    await assertCalled(world, 1);
  }),
  quick('a time fifty days ahead holds (past 2^31 ms)', async world => {
    world.host.schedule('run_a', world.now() + 50 * DAY);
    await world.settle();
    for (const days of [24, 25]) {
      await world.advance(days * DAY);
      await world.settle();
      assert.deepEqual(runsOf(world), []);
    }
    await world.advance(DAY);
    await assertCalled(world, 1);
  }),
  quick('a time thirty years ahead holds', async world => {
    world.host.schedule('run_a', world.now() + 30 * 365 * DAY);
    for (let years = 0; years < 29; years += 1) await world.advance(365 * DAY);
    await world.settle();
    assert.deepEqual(runsOf(world), []);
    await world.advance(365 * DAY);
    await assertCalled(world, 1);
  }),
  quick('runs are called each at its own time, whatever the order of scheduling', async world => {
    for (const [runId, after] of [
      ['run_c', 300],
      ['run_a', 100],
      ['run_b', 200],
    ] as const) {
      world.host.schedule(runId, world.now() + after);
    }
    for (const count of [1, 2, 3]) {
      await world.advance(100);
      await assertCalled(world, count);
      await world.settle();
      assert.equal(world.calls.length, count);
    }
    assert.deepEqual(runsOf(world), ['run_a', 'run_b', 'run_c']);
  }),
  quick('a thousand runs due at one time are all called', async world => {
    for (let index = 0; index < 1000; index += 1) world.host.schedule(`run_${index}`, world.now() + 10);
    await world.advance(10);
    await assertCalled(world, 1000);
    assert.equal(new Set(runsOf(world)).size, 1000);
  }),
  quick('a wish for an earlier time is not lost to one for a later time', async world => {
    world.host.schedule('run_a', world.now() + 100);
    world.host.schedule('run_a', world.now() + 5000);
    await world.advance(100);
    await assertCalled(world, 1);
  }),
  quick('a wish for a later time is not lost to one for an earlier time', async world => {
    const later = world.now() + 5000;
    world.host.schedule('run_a', later);
    world.host.schedule('run_a', world.now() + 100);
    await world.advance(100);
    await assertCalled(world, 1);
    await world.advance(4900);
    assert.ok(await world.eventually(() => world.calls.some(({ at }) => at >= later)), 'no call at the later time');
  }),
  quick('a run can be scheduled again after it was called', async world => {
    for (let round = 1; round <= 5; round += 1) {
      world.host.schedule('run_a', world.now() + 10);
      await world.advance(10);
      await assertCalled(world, round);
    }
  }),
];

const FLIGHT: readonly HostCheck[] = [
  held('two calls for one run are never in flight at once', async world => {
    for (let count = 0; count < 5; count += 1) world.host.schedule('run_a', world.now());
    await assertCalled(world, 1);
    for (let count = 0; count < 5; count += 1) world.host.schedule('run_a', world.now());
    await world.settle();
    assert.equal(world.most().ofOneRun, 1);
    assert.equal(world.calls.length, 1);
  }),
  held('a call that becomes due while one is in flight follows after', async world => {
    world.host.schedule('run_a', world.now());
    await assertCalled(world, 1);
    world.host.schedule('run_a', world.now());
    await world.settle();
    assert.equal(world.calls.length, 1);
    world.calls[0]?.end();
    await assertCalled(world, 2);
    assert.equal(world.most().ofOneRun, 1);
  }),
  held('a time named while a call is in flight is kept', async world => {
    world.host.schedule('run_a', world.now());
    await assertCalled(world, 1);
    const at = world.now() + 1000;
    world.host.schedule('run_a', at);
    world.calls[0]?.end();
    await world.settle();
    assert.equal(world.calls.length, 1);
    await world.advance(1000);
    await assertCalled(world, 2);
    assert.ok((world.calls[1]?.at ?? 0) >= at);
  }),
  held('a time that comes while a call is in flight is called when that has ended', async world => {
    world.host.schedule('run_a', world.now());
    world.host.schedule('run_a', world.now() + 1000);
    await assertCalled(world, 1);
    await world.advance(2000);
    await world.settle();
    assert.equal(world.calls.length, 1);
    world.calls[0]?.end();
    await assertCalled(world, 2);
  }),
  held('a slow run does not hold up the others', async world => {
    world.host.schedule('run_slow', world.now());
    await assertCalled(world, 1);
    for (let count = 0; count < 20; count += 1) {
      world.host.schedule(`run_${count}`, world.now());
      await assertCalled(world, count + 2);
      world.calls.at(-1)?.end();
    }
    assert.deepEqual(
      world.inFlight().map(({ runId }) => runId),
      ['run_slow'],
    );
  }),
  held('a run that fails does not hold up the others, nor itself', async world => {
    world.host.schedule('run_bad', world.now());
    await assertCalled(world, 1);
    world.calls[0]?.end(new Error('the handler failed'));
    world.host.schedule('run_good', world.now());
    await assertCalled(world, 2);
    world.calls[1]?.end();
    const before = world.calls.length;
    world.host.schedule('run_bad', world.now() + 10);
    await world.advance(10);
    assert.ok(await world.eventually(() => runsOf(world).slice(before).includes('run_bad')), 'it was not called again');
  }),
  held(
    'no more calls are in flight than allowed, and all get their turn',
    async world => {
      for (let count = 0; count < 12; count += 1) world.host.schedule(`run_${count}`, world.now());
      await assertCalled(world, 3);
      await world.settle();
      assert.equal(world.calls.length, 3);
      for (let ended = 0; ended < 12; ended += 1) {
        assert.ok(await world.eventually(() => world.calls[ended] !== undefined), `call ${ended + 1} did not begin`);
        world.calls[ended]?.end();
      }
      assert.equal(new Set(runsOf(world)).size, 12);
      assert.equal(world.most().all, 3);
    },
    3,
  ),
  held(
    'failed calls give their place back',
    async world => {
      for (let count = 0; count < 6; count += 1) world.host.schedule(`run_${count}`, world.now());
      for (let ended = 0; ended < 6; ended += 1) {
        assert.ok(await world.eventually(() => world.calls.length > ended), `call ${ended + 1} did not begin`);
        world.calls[ended]?.end(new Error('the handler failed'));
      }
      assert.equal(new Set(runsOf(world).slice(0, 6)).size, 6);
    },
    1,
  ),
  held(
    'a run that is always due does not starve the others',
    async world => {
      world.host.schedule('run_busy', world.now());
      await assertCalled(world, 1);
      for (let count = 0; count < 3; count += 1) world.host.schedule(`run_${count}`, world.now());
      for (let ended = 0; ended < 12; ended += 1) {
        assert.ok(await world.eventually(() => world.calls.length > ended), `call ${ended + 1} did not begin`);
        world.host.schedule('run_busy', world.now());
        world.calls[ended]?.end();
      }
      assert.equal(new Set(runsOf(world)).size, 4);
    },
    1,
  ),
];

const STOPPING: readonly HostCheck[] = [
  held('stopping waits for the calls in flight', async world => {
    world.host.schedule('run_a', world.now());
    world.host.schedule('run_b', world.now());
    await assertCalled(world, 2);
    let stopped = false;
    const stopping = world.host.stop().then(() => {
      stopped = true;
    });
    world.calls[0]?.end();
    await world.settle();
    assert.equal(stopped, false);
    world.calls[1]?.end();
    await stopping;
    assert.deepEqual(world.inFlight(), []);
  }),
  held('stopping waits for calls that fail', async world => {
    world.host.schedule('run_a', world.now());
    await assertCalled(world, 1);
    const stopping = world.host.stop();
    world.calls[0]?.end(new Error('the handler failed'));
    await stopping;
  }),
  quick('after stopping nothing begins', async world => {
    world.host.schedule('run_a', world.now() + 1000);
    await world.host.stop();
    await world.advance(2000);
    await world.settle();
    assert.deepEqual(runsOf(world), []);
  }),
  held(
    'calls that wait for a place do not begin once stopped',
    async world => {
      for (let count = 0; count < 3; count += 1) world.host.schedule(`run_${count}`, world.now());
      await assertCalled(world, 1);
      const stopping = world.host.stop();
      await world.settle();
      world.calls[0]?.end();
      await stopping;
      await world.settle();
      assert.equal(world.inFlight().length, 0);
      const begun = world.calls.length;
      await world.advance(DAY);
      await world.settle();
      assert.equal(world.calls.length, begun);
    },
    1,
  ),
  quick('scheduling after stopping is harmless and calls nobody', async world => {
    await world.host.stop();
    world.host.schedule('run_a', world.now());
    await world.settle();
    assert.deepEqual(runsOf(world), []);
  }),
  quick('stopping twice is stopping once', async world => {
    await Promise.all([world.host.stop(), world.host.stop()]);
    await world.host.stop();
  }),
];

const CHECKS: readonly HostCheck[] = [...TIMES, ...FLIGHT, ...STOPPING];
