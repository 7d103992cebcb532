import type { Check } from './check.ts';

/** The two functions that Vitest, Jest, Mocha and node:test have in common. */
export interface TestApi {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
}

/** Registers checks as tests. */
export function describeChecks({ describe, it }: TestApi, name: string, checks: readonly Check[]): void {
  describe(name, () => {
    for (const check of checks) it(check.name, () => check.run());
  });
}
