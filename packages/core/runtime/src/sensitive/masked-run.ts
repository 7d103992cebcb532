import { type JsonValue, ListCell, type Program, type Run } from '@signalbox/kernel';
import type { Secrets } from './secrets.ts';
import { runWithoutWorkings } from './workings.ts';

/** What a run goes by: names, numbers and times, no values. */
const NAMES: ReadonlySet<string> = new Set<keyof Run>([
  ...(['id', 'tenant', 'graph', 'version', 'label', 'status', 'zone', 'requestId', 'session', 'user', 'key'] as const),
  ...(['parent', 'owner', 'build', 'fork', 'contracts', 'requesters'] as const),
]);

/**
 * The run itself where nothing in it is known as sensitive; else as whoever looks may see it. A part is masked when it is
 * read, so that who reads none pays for none.
 */
export function maskedRun(program: Program, whole: Run, secrets: Secrets): Run {
  const run = runWithoutWorkings(program, whole);
  if (secrets.isEmpty) return run;
  const shown = {};
  for (const [key, part] of Object.entries(run))
    Object.defineProperty(shown, key, {
      enumerable: true,
      get: () => (NAMES.has(key) ? part : maskedPart(part, key, secrets)),
    });
  return shown as Run;
}

function maskedPart(part: unknown, name: string, secrets: Secrets): unknown {
  if (typeof part !== 'object' || part === null) return secrets.masked(part as JsonValue, name);
  if (part instanceof ListCell) return ListCell.of(part.toList().map(item => secrets.masked(item, name)));
  if (Array.isArray(part)) return part.map(item => maskedPart(item, name, secrets));
  if (part instanceof Map) return new Map([...part].map(([key, value]) => [key, maskedPart(value, key, secrets)]));
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [secrets.maskedText(key), maskedPart(value, key, secrets)]),
  );
}
