import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests run against the sources of every workspace package, never against a stale build.
  resolve: { conditions: ['@signalbox/source'] },
  ssr: { resolve: { conditions: ['@signalbox/source'], externalConditions: ['@signalbox/source'] } },
  test: {
    include: ['packages/**/src/**/*.test.ts', 'tests/**/*.test.ts', 'examples/**/*.test.ts'],
    setupFiles: ['tests/setup/property-seed.ts'],
    typecheck: { enabled: false },
    testTimeout: 30_000,
    pool: 'forks',
  },
});
