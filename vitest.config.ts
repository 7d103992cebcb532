import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests run against the sources of every workspace package, never against a stale build.
  resolve: { conditions: ['@signalbox/source'] },
  ssr: { resolve: { conditions: ['@signalbox/source'], externalConditions: ['@signalbox/source'] } },
  test: {
    include: ['packages/**/src/**/*.test.ts', 'tests/**/*.test.ts', 'examples/**/*.test.ts'],
    setupFiles: ['tests/setup/property-seed.ts'],
    typecheck: { enabled: false },
    // Against what hangs, not a measure of anything: processes that are started and killed take long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
