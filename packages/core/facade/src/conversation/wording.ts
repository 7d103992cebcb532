/** Letters and digits alone, in one form of writing (NFKC, lower case), with one space for whatever is between them. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const PIECES = /\p{Script=Han}+|[^\p{Script=Han}\s]+/gu;

/** Words of a normalized text. Chinese has no spaces between them: there it is every two characters side by side. */
export function wordsOf(text: string): string[] {
  return (text.match(PIECES) ?? []).flatMap(piece => (isHan(piece) ? pairsOf(piece) : [piece]));
}

export function isHan(piece: string): boolean {
  return /^\p{Script=Han}/u.test(piece);
}

/**
 * How alike two normalized texts are, 0 to 1: Dice's coefficient over pairs of neighbouring characters, spaces left out,
 * each pair counted as often as it is there.
 */
export function similarity(one: string, other: string): number {
  const [a, b] = [one.replaceAll(' ', ''), other.replaceAll(' ', '')];
  if (a === b) return 1;
  const left = new Map<string, number>();
  const pairsOfA = pairsOf(a);
  const pairsOfB = pairsOf(b);
  for (const pair of pairsOfA) left.set(pair, (left.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of pairsOfB) {
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / Math.max(1, pairsOfA.length + pairsOfB.length);
}

/** A text of one character is its own pair. */
function pairsOf(text: string): string[] {
  const characters = [...text];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
