import stringWidth from 'string-width';

/** Columns that a terminal gives a text: two for wide characters (Chinese, emoji), none for combining marks. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a person takes for single characters. */
export function graphemes(text: string): string[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
}

/** The text where it fits, else its beginning and `…`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const character of graphemes(text)) {
    used += displayWidth(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

export function padToWidth(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}
