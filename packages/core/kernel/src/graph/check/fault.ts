import type { Fault } from '../../error/fault.ts';
import { closest } from '../../schema/closest.ts';

export function errorAt(pointer: string, code: string, message: string, hint?: string): Fault {
  return { code, severity: 'error', pointer, message, ...(hint === undefined ? {} : { hint }) };
}

export function warningAt(pointer: string, code: string, message: string, hint?: string): Fault {
  return { ...errorAt(pointer, code, message, hint), severity: 'warning' };
}

/** The likely meant word, else what there is to choose from (when that is not too much to read). */
export function hintFor(word: string, known: Iterable<string>): string | undefined {
  const all = [...known];
  const meant = closest(word, all);
  if (meant !== undefined) return `Did you mean \`${meant}\`?`;
  return all.length > 0 && all.length <= 12 ? `There ${all.length === 1 ? 'is' : 'are'} ${quoted(all)}.` : undefined;
}

/** `a`, `b` and `c`. */
export function quoted(names: Iterable<string>): string {
  const ticked = [...names].map(name => `\`${name}\``);
  return ticked.length < 2 ? ticked.join('') : `${ticked.slice(0, -1).join(', ')} and ${ticked.at(-1)}`;
}
