import type { Language } from '@signalbox/example-shared';

/** Gives of each pair of texts the one in the language of the message. */
export type Speak = (en: string, zh: string) => string;

export function speak(lang: Language): Speak {
  return (en, zh) => (lang === 'zh' ? zh : en);
}

/** `8450` → `84.50 €`. Money is counted in cents: whole numbers add up. */
export function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`;
}
