import { describeChecks, storeChecks } from '@signalbox/conformance';
import { describe, it } from 'vitest';
import { createMemoryData } from './memory-data.ts';
import { createMemoryStore } from './memory-store.ts';

for (const chain of [false, true]) {
  const factory = () => {
    const shared = createMemoryData({ chain });
    return { open: () => createMemoryStore({ shared }) };
  };
  describeChecks(
    { describe, it },
    `memory store ${chain ? 'with' : 'without'} a chain`,
    storeChecks(factory, { chained: chain, durable: false }),
  );
}
