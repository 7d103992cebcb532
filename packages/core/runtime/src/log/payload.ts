import { sha256 } from './commit-codec.ts';

/** A datum that stands beside the log, as text under its digest. */
export interface Payload {
  readonly digest: string;
  readonly text: string;
}

/** Whether it is what the log refers to. */
export function isIntact({ digest, text }: Payload): boolean {
  return sha256(text) === digest;
}
