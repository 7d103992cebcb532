const CHINESE_DIGITS = '一二三四五六七八九十';
const ENGLISH_ORDINALS = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];
const ENGLISH_NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Where a point begins, and which one it is: `second,` `secondly` `2)` `Point two:` `第二，` `第二点：` `二、` `其次`. */
const MARKERS: readonly (readonly [RegExp, (found: string) => number])[] = [
  [
    new RegExp(`\\b(${ENGLISH_ORDINALS.join('|')})(?:ly)?\\b(?:\\s+of all)?(?:\\s+point(?:\\s+is)?)?[\\s,:.]*`, 'gi'),
    found => ENGLISH_ORDINALS.indexOf(found.toLowerCase()) + 1,
  ],
  [
    new RegExp(`(?:\\bpoint\\s+|^\\s*|[;:.,]\\s*)(${ENGLISH_NUMBERS.join('|')})[,:]\\s*`, 'gi'),
    found => ENGLISH_NUMBERS.indexOf(found.toLowerCase()) + 1,
  ],
  [/(?<![\d.])(\d{1,2})\s*[).、）．.](?!\d)\s*/g, Number],
  [/第([一二三四五六七八九十])(?:点|条|个)?(?:是)?[，、：:,\s]*/g, found => CHINESE_DIGITS.indexOf(found) + 1],
  [/(?:^|[；：，。、;:\s])([一二三四五六七八九十])、/g, found => CHINESE_DIGITS.indexOf(found) + 1],
  [/(首先)[，,\s]*/g, () => 1],
  [/(其次)[，,\s]*/g, () => 2],
  [/(最后)[，,\s]*/g, () => 3],
];

interface Marker {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

function markersIn(text: string): Marker[] {
  const all = MARKERS.flatMap(([pattern, numberOf]) =>
    [...text.matchAll(pattern)].map(({ 0: whole, 1: found = '', index }) => ({
      number: numberOf(found),
      from: index,
      to: index + whole.length,
    })),
  );
  return all.sort((a, b) => a.from - b.from);
}

/** The points that one message makes, each with its number; a question about points makes none. */
function numberedPoints(text: string): Marker[] & { readonly length: number } {
  return /[?？]\s*$/.test(text) ? [] : markersIn(text);
}

/**
 * A rule, no model: the list of points made last, in the order of their numbers. A message that begins with a first point begins a new
 * list, one that begins with a later point goes on with the list so far.
 */
export function pointsOf(messages: readonly string[]): string[] {
  let list: string[] = [];
  for (const text of messages) {
    const markers = numberedPoints(text);
    if (markers[0]?.number === 1) list = [];
    for (const [index, { number, to }] of markers.entries()) {
      const point = text
        .slice(to, markers[index + 1]?.from)
        .replace(/^[\s,，:：]+|[\s,，;；。.:：]+(?:and\s*)?$/gu, '')
        .trim();
      if (number === list.length + 1 && point !== '') list = [...list, point];
    }
  }
  return list;
}

/** Which point is asked for, from 1; `last`, or all of them. */
export function pointAskedFor(message: string): number | 'last' | 'all' {
  const text = message.toLowerCase();
  const ordinal = ENGLISH_ORDINALS.findIndex(word => new RegExp(`\\b${word}\\b`).test(text));
  if (ordinal >= 0) return ordinal + 1;
  const number = ENGLISH_NUMBERS.findIndex(word => new RegExp(`\\b(?:point|number)\\s+${word}\\b`).test(text));
  if (number >= 0) return number + 1;
  const chinese = /第([一二三四五六七八九十])/.exec(text)?.[1];
  if (chinese !== undefined) return CHINESE_DIGITS.indexOf(chinese) + 1;
  const digits = /\b(\d{1,2})(?:st|nd|rd|th)?\b|第(\d{1,2})/.exec(text);
  if (digits !== null) return Number(digits[1] ?? digits[2]);
  return /\blast\b|最后/.test(text) ? 'last' : 'all';
}
