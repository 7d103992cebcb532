const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Joiners inside emoji and words of some scripts move nothing. */
const JOINERS: ReadonlySet<string> = new Set(['\u200c', '\u200d']);

/**
 * One line that a terminal shows as it is: whatever could move the cursor, change colours or turn the direction of the
 * text is written as `\u{…}`. All data that reach a terminal go through here.
 */
export function printable(text: string): string {
  return text
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .replaceAll('\t', ' ')
    .replace(UNPRINTABLE, character =>
      JOINERS.has(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
    );
}

const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** JSON whose text does nothing to a terminal: the same value, with control characters escaped. */
export function jsonText(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? 'null').replace(
    UNSAFE_IN_JSON,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
