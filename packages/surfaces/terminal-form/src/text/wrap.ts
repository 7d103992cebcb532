import { displayWidth, graphemes } from './width.ts';

const WORDS = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * One printable line as lines that are at most `width` columns wide. It breaks at blanks and between words, also those of
 * languages that write no blanks; what is longer than a line is broken anywhere. No mark begins a line if it can follow its word.
 */
export function wrap(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  for (const piece of piecesOf(line, width)) {
    const next = current + piece;
    if (displayWidth(next.trimEnd()) <= width) {
      current = next;
      continue;
    }
    lines.push(current.trimEnd());
    current = piece.trimStart();
  }
  lines.push(current.trimEnd());
  return lines;
}

/** A word with the marks and blanks behind it; in pieces of its own where it is wider than a line. */
function piecesOf(line: string, width: number): string[] {
  const pieces: string[] = [];
  for (const { segment, isWordLike } of WORDS.segment(line)) {
    const last = pieces.at(-1);
    // Between marks there is always a break, so that a long row of them is none.
    const follows = isWordLike !== true && last !== undefined && displayWidth(last + segment) <= width;
    if (follows) pieces[pieces.length - 1] = last + segment;
    else pieces.push(...(displayWidth(segment) <= width ? [segment] : cutUp(segment, width)));
  }
  return pieces;
}

function cutUp(word: string, width: number): string[] {
  const parts = [''];
  for (const character of graphemes(word)) {
    const grown = parts.at(-1)! + character;
    if (displayWidth(grown) > width && parts.at(-1) !== '') parts.push(character);
    else parts[parts.length - 1] = grown;
  }
  return parts;
}
