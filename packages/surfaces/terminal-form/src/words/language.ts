import { EN } from './en.ts';
import type { FormLanguage, FormWords } from './form-words.ts';
import { ZH } from './zh.ts';

const WORDS: Readonly<Record<FormLanguage, FormWords>> = { en: EN, zh: ZH };

export function formWords(language: FormLanguage): FormWords {
  return WORDS[language];
}

/** The language of an environment, by `LC_ALL`, `LC_MESSAGES`, `LANG` in this order; English where they name none of ours. */
export function formLanguage(env: Readonly<Record<string, string | undefined>>): FormLanguage {
  const locale = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find(name => name !== undefined && name !== '') ?? '';
  return /^zh(?![a-z])/i.test(locale) ? 'zh' : 'en';
}
