import { describeChecks, mortalProcesses, parkedChecks } from '@signalbox/conformance';
import { describe, it } from 'vitest';
import { createMemoryData } from './memory-data.ts';
import { createMemoryStore } from './memory-store.ts';

const factory = () => {
  const shared = createMemoryData({ chain: true });
  return { open: () => createMemoryStore({ shared }) };
};

describeChecks({ describe, it }, 'memory store', parkedChecks(mortalProcesses(factory)));
