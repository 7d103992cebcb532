import { type Check, type Skips, within, withoutSkipped } from '../check.ts';
import { failureChecks } from './failure-checks.ts';
import { createModelWorld, type ModelCheck, type ModelFactory } from './model-check.ts';
import { replyChecks } from './reply-checks.ts';

export interface ModelChecksOptions {
  /** Checks to leave out, by name, each with the reason. */
  readonly skip?: Skips;
}

const LONGEST = 20_000;

/** What every implementation of the model port must do, as checks for any test runner. One not done after 20 s has failed. */
export function modelChecks(factory: ModelFactory, options: ModelChecksOptions = {}): Check[] {
  return withoutSkipped(
    [...replyChecks, ...failureChecks].map(one => ({
      name: one.name,
      run: () => within(LONGEST, runCheck(factory, one)),
    })),
    options.skip,
  );
}

async function runCheck(factory: ModelFactory, { body }: ModelCheck): Promise<void> {
  const fixture = await factory();
  try {
    await body(createModelWorld(fixture));
  } finally {
    await fixture.dispose?.();
  }
}
