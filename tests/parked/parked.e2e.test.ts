import { childProcesses, describeChecks, parkedChecks } from '@signalbox/conformance';
import { afterAll, describe, it } from 'vitest';
import { bundle } from '../testing/bundle.ts';

const program = await bundle(new URL('./testing/parked-process.ts', import.meta.url));
afterAll(() => program.remove());

describeChecks(
  { describe, it: (name, body) => it(name, { timeout: 90_000 }, body) },
  'SQLite, and processes that die by SIGKILL',
  parkedChecks(childProcesses({ script: program.path })),
);
