import { createHash } from 'node:crypto';
import type { IdGenerator } from '@signalbox/ports';
import { SIMULATED_START } from './simulated-clock.ts';

/** Ids that are the same for the same seed: UUIDv7 in form, in rising order. */
export function createSeededIds(seed: number | string = 1): IdGenerator {
  let count = 0;
  return {
    uuid() {
      count += 1;
      const time = (SIMULATED_START + count).toString(16).padStart(12, '0');
      const hex = createHash('sha256').update(`${seed}/${count}`).digest('hex');
      const variant = '89ab'[Number.parseInt(hex[3]!, 16) % 4];
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
    },
  };
}
