import assert from 'node:assert/strict';
import type { EventStore } from '@signalbox/ports';
import { type Check, type Skips, within, withoutSkipped } from '../check.ts';
import { appendChecks } from './append-checks.ts';
import { atomicityChecks } from './atomicity-checks.ts';
import { conflictChecks } from './conflict-checks.ts';
import { counterChecks, documentChecks, payloadChecks } from './content-checks.ts';
import { dueChecks } from './due-checks.ts';
import { feedChecks } from './feed-checks.ts';
import { commandChecks, startKeyChecks } from './key-checks.ts';
import { lifecycleChecks } from './lifecycle-checks.ts';
import { ownershipChecks } from './ownership-checks.ts';
import { readingChecks } from './reading-checks.ts';
import { requestChecks } from './request-checks.ts';
import { runChecks } from './run-checks.ts';
import { snapshotChecks } from './snapshot-checks.ts';
import { check, type StoreCheck, type StoreFactory } from './store-check.ts';
import { textChecks } from './text-checks.ts';

export interface StoreChecksOptions {
  /** What `features.chained` says. Default true. */
  readonly chained?: boolean;
  /** What `features.durable` says. Default true. */
  readonly durable?: boolean;
  /** Checks to leave out, by name, each with the reason. */
  readonly skip?: Skips;
}

const LONGEST = 20_000;

/**
 * What every store must do, as checks for any test runner: each makes data by `factory`, opens stores on it, closes them
 * and disposes of it. A check that is not done after 20 s has failed.
 */
export function storeChecks(factory: StoreFactory, options: StoreChecksOptions = {}): Check[] {
  const { chained = true, durable = true, skip } = options;
  const applies = ({ for: feature }: StoreCheck): boolean => {
    switch (feature) {
      case undefined:
        return true;
      case 'chained':
        return chained;
      case 'objects':
        return !chained;
      case 'durable':
        return durable;
    }
  };
  const all = [featureCheck(chained, durable), ...CHECKS].filter(applies);
  return withoutSkipped(
    all.map(one => ({ name: one.name, run: () => within(LONGEST, runCheck(factory, one)) })),
    skip,
  );
}

const CHECKS: readonly StoreCheck[] = [
  ...appendChecks,
  ...conflictChecks,
  ...atomicityChecks,
  ...textChecks,
  ...readingChecks,
  ...feedChecks,
  ...commandChecks,
  ...startKeyChecks,
  ...runChecks,
  ...requestChecks,
  ...dueChecks,
  ...snapshotChecks,
  ...payloadChecks,
  ...documentChecks,
  ...counterChecks,
  ...ownershipChecks,
  ...lifecycleChecks,
];

function featureCheck(chained: boolean, durable: boolean): StoreCheck {
  return check('the store says of itself what the suite was told', async ({ store: { features } }) => {
    assert.deepEqual({ chained: features.chained, durable: features.durable }, { chained, durable });
    assert.ok(features.name.length > 0);
    assert.ok(features.group === undefined || (Number.isInteger(features.group) && features.group > 0));
  });
}

async function runCheck(factory: StoreFactory, { body }: StoreCheck): Promise<void> {
  const fixture = await factory();
  const opened: EventStore[] = [];
  const another = async (): Promise<EventStore> => {
    const store = await fixture.open();
    opened.push(store);
    return store;
  };
  try {
    await body({ store: await another(), another });
  } finally {
    for (const store of opened) await store.close();
    await fixture.dispose?.();
  }
}
