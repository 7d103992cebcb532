import type { RunView } from '../builder/context.ts';

/**
 * Each in turn: the one behind whoever of them was last, also where that one had nothing to say. What a person says leaves the
 * order as it is.
 */
export function nextInTurn({ visits, trail }: Pick<RunView, 'visits' | 'trail'>, speakers: readonly string[]): string {
  // The trail begins with that of the run outside, where other nodes may have these names.
  const last = speakers.some(name => visits[name] !== undefined)
    ? trail.findLast(name => speakers.includes(name))
    : undefined;
  const index = last === undefined ? -1 : speakers.indexOf(last);
  return speakers[(index + 1) % speakers.length]!;
}
