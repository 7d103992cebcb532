import { isChinese } from './tokenize.ts';

/** Languages the examples speak: a message is answered in its own. */
export type Language = 'en' | 'zh';

/** By its script: a text with a Chinese character in it is Chinese. */
export function languageOf(message: string): Language {
  return isChinese(message) ? 'zh' : 'en';
}

/** One line without control characters, so that showing a message does nothing to a terminal. */
export function cleanMessage(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}
