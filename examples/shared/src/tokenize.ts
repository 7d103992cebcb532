import { Converter } from 'opencc-js/t2cn';
import { stemmer } from 'stemmer';

const HAN = /\p{Script=Han}/u;
const HAN_RUNS = /\p{Script=Han}+/gu;

const toSimplified = Converter({ from: 'hk', to: 'cn' });
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** Whether a text is written in Chinese characters, if only in part. */
export function isChinese(text: string): boolean {
  return HAN.test(text);
}

/** NFKC, lower case, simplified characters: what is written differently and means the same becomes the same. */
function normalize(text: string): string {
  return toSimplified(text.normalize('NFKC').toLowerCase().replaceAll('’', "'"));
}

// Every number is one token: which order, or how many, says nothing about what is wanted.
function toWord(segment: string): string {
  if (/^\p{Number}/u.test(segment)) return '#';
  return HAN.test(segment) ? segment : stemmer(segment);
}

/** Single characters and pairs of neighbours within one run of Chinese: 退款吧 gives 退, 款, 吧, 退款, 款吧. */
function characterGrams(run: string): string[] {
  const characters = [...run];
  return [...characters, ...characters.slice(1).map((character, index) => `${characters[index]}${character}`)];
}

/** The distinct words of a text, in order: English stems, Chinese words, `#` for a number. */
export function wordsOf(text: string): string[] {
  const segments = [...segmenter.segment(normalize(text))].filter(segment => segment.isWordLike === true);
  return [...new Set(segments.map(segment => toWord(segment.segment)))];
}

/**
 * The distinct tokens of an English or Chinese text: its words, and for Chinese the characters and the pairs of them,
 * which still hold where the word splitter errs. Traditional and simplified writing give the same tokens.
 */
export function tokenize(text: string): string[] {
  const grams = (normalize(text).match(HAN_RUNS) ?? []).flatMap(characterGrams);
  return [...new Set([...wordsOf(text), ...grams])];
}
