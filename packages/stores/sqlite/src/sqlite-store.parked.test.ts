import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeChecks, mortalProcesses, parkedChecks } from '@signalbox/conformance';
import { describe, it } from 'vitest';
import { createSqliteStore } from './sqlite-store.ts';

const factory = () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-parked-'));
  return {
    open: () => createSqliteStore({ path: join(folder, 'store.db') }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
};

describeChecks({ describe, it }, 'SQLite store', parkedChecks(mortalProcesses(factory)));
