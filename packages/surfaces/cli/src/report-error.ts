import { isJsonObject, isSignalboxError } from '@signalbox/kernel';
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
    out.json({ error: { code, message, hint: hint ?? null, details } });
    return;
  }
  const faults = Array.isArray(details.faults) ? (details.faults as unknown as FileFault[]) : undefined;
  const [first = '', ...rest] = message.split('\n');
  out.note(styled('red', code), `: ${first}`);
  if (faults === undefined) for (const line of rest) out.note('  ', line.trimStart());
  else for (const parts of faultLines(faults)) out.note('  ', ...parts);
  if (hint !== undefined && hint !== '') out.note('  ', styled('cyan', hint));
}

function errorData(error: unknown) {
  if (isSignalboxError(error)) {
    const { code, message, hint, details } = error;
    return { code, message, hint, details: isJsonObject(details) ? details : {} };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'Failed', message, hint: undefined, details: {} };
}
