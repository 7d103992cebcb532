import { isJsonObject } from '@signalbox/kernel';
import { errorData } from './error-data.ts';
import { faultLines } from './graphs/fault-lines.ts';
import type { FileFault } from './graphs/graph-file.ts';
import { type Output, styled } from './output/output.ts';

/**
 * Tells an error: for programs as `{ "error": { code, message, hint, details } }` on stdout, where they look for the
 * result; for people on stderr.
 */
export function reportError(out: Output, error: unknown, json: boolean): void {
  const { code, message, hint, details } = errorData(error);
  if (json) {
    out.json({ error: errorData(error) });
    return;
  }
  const faults = Array.isArray(details.faults) && details.faults.every(isWhole) ? details.faults : undefined;
  const [first = '', ...rest] = message.split('\n');
  out.note(styled('red', code), `: ${first}`);
  if (faults === undefined) for (const line of rest) out.note('  ', line.trimStart());
  else for (const parts of faultLines(faults)) out.note('  ', ...parts);
  if (hint !== null && hint !== '') out.note('  ', styled('cyan', hint));
}

/** Details of other makers name only parts of their faults: their message then has all that is to be said. */
function isWhole(fault: unknown): fault is FileFault {
  const members: readonly (keyof FileFault)[] = ['code', 'message', 'severity', 'pointer'];
  return isJsonObject(fault) && members.every(member => typeof fault[member] === 'string');
}
