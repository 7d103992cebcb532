import type { Principal } from '@signalbox/kernel';

/** How much of a value a view shows, in code points. */
export const SHOWN_LENGTH = 80;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** One line that a terminal shows as it is: no control, no invisible and no direction-changing characters. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(UNPRINTABLE, character => escaped(character));
}

/** The joiner inside an emoji stays. */
function escaped(character: string): string {
  return character === '\u200d' ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** At most `limit` code points; what was cut shows as `…`. */
export function cut(text: string, limit = SHOWN_LENGTH): string {
  if (text.length <= limit) return text;
  // No code point is longer than two units, so the first units hold all that can be shown.
  const points = [...text.slice(0, 2 * limit + 2)];
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join('')}…`;
}

/** A value as compact JSON, non-ASCII as it is, cut. */
export function shown(value: unknown, limit = SHOWN_LENGTH): string {
  return cut(oneLine((JSON.stringify(value) ?? 'nothing').slice(0, 4 * limit)), limit);
}

/** `user:finn`, `service:mail for user:finn`. */
export function principalText({ kind, id, onBehalfOf }: Principal): string {
  return oneLine(onBehalfOf === undefined ? `${kind}:${id}` : `${kind}:${id} for ${onBehalfOf}`);
}
