import { usedUp } from './offered-tools.ts';
import type { Passage, Stop } from './passage.ts';

/** The stage `limits`. */
export function checkLimits(passage: Passage): Stop | undefined {
  const why = usedUp(passage.tool, passage.facts);
  return why === undefined ? passage.pass('limits') : passage.refuse('limits', { code: why.code, message: why.reason });
}
