import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeChecks, storeChecks } from '@signalbox/conformance';
import { describe, it } from 'vitest';
import { createSqliteStore } from './sqlite-store.ts';

for (const durability of ['strict', 'relaxed'] as const) {
  const factory = () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-store-'));
    return {
      open: () => createSqliteStore({ path: join(folder, 'store.db'), durability }),
      dispose: () => rmSync(folder, { recursive: true, force: true }),
    };
  };
  describeChecks({ describe, it }, `SQLite store, ${durability}`, storeChecks(factory));
}
