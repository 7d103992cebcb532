const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
/** Joiners inside emoji and words of some scripts move nothing. */
const JOINERS: ReadonlySet<string> = new Set(['\u200c', '\u200d']);

/** The text with everything written as `\u{…}` that could move the cursor, change colours or turn the direction. */
export function visible(text: string): string {
  return text.replace(UNPRINTABLE, character =>
    JOINERS.has(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** One line that a terminal shows as it is. All data that reach a terminal go through here, or line by line through {@link visible}. */
export function printable(text: string): string {
  return visible(text.replace(/\s*[\r\n]+\s*/g, ' ').replaceAll('\t', ' '));
}

/** The lines of a text, each as a terminal shows it; a tab stands for two blanks. */
export function printableLines(text: string): string[] {
  return text.split(/\r\n|[\r\n]/).map(line => visible(line.replaceAll('\t', '  ')));
}

const UNSAFE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** JSON whose text does nothing to a terminal: the same value, with control characters escaped. */
export function jsonText(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? 'null').replace(
    UNSAFE_IN_JSON,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
