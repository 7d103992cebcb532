import { createHmac } from 'node:crypto';
import type { DataKey } from './data-key.ts';

const SCHEME = 'hmac:';
/** 128 bits: nobody finds another of the same. */
const DIGITS = 32;

/**
 * A digest of something sensitive as it is shown and stored in the clear: equal for equal digests of a run, and nobody
 * without the key of the run can try what it may be of.
 */
export function keyedDigest({ bytes }: Pick<DataKey, 'bytes'>, digest: string): string {
  const made = createHmac('sha256', bytes).update('signalbox digest').update(digest).digest('hex');
  return SCHEME + made.slice(0, DIGITS);
}

export function isKeyedDigest(text: string): boolean {
  return text.startsWith(SCHEME);
}
