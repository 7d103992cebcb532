import { tokenize, wordsOf } from './tokenize.ts';

const NOVELTY_LEVELS = 3;

/** A text as the classifier sees it; `coverage` is the share of its words, 0 to 1, that the training texts hold. */
export interface Features {
  readonly tokens: readonly string[];
  readonly coverage: number;
}

/**
 * Makes features out of texts. A word that no *other* training text holds is not a token: it counts as new, and how many
 * are new is itself a token. So the model learns from its own texts what unheard-of words mean (mostly: not for the shop),
 * and a later text meets it on the same terms.
 */
export interface FeatureMaker {
  /** Features of a text of the training set, as if all the others had been read and this one not. */
  ofTrainingText(text: string): Features;
  ofText(text: string): Features;
}

function noveltyTokens(fresh: number): string[] {
  if (fresh === 0) return ['<new:none>'];
  return Array.from({ length: Math.min(fresh, NOVELTY_LEVELS) }, (_, index) => `<new:${index + 1}>`);
}

/** Reads the training texts, each of which must be among those later given to `ofTrainingText`. */
export function createFeatureMaker(trainingTexts: readonly string[]): FeatureMaker {
  const textsWith = new Map<string, number>();
  for (const token of trainingTexts.flatMap(tokenize)) textsWith.set(token, (textsWith.get(token) ?? 0) + 1);

  const features = (text: string, own: 0 | 1): Features => {
    const isKnown = (token: string) => (textsWith.get(token) ?? 0) > own;
    const words = wordsOf(text);
    const known = words.filter(isKnown).length;
    const question = /[?？]/.test(text) ? '<question>' : '<statement>';
    return {
      tokens: [...tokenize(text).filter(isKnown), ...noveltyTokens(words.length - known), question],
      coverage: words.length === 0 ? 0 : known / words.length,
    };
  };
  return { ofTrainingText: text => features(text, 1), ofText: text => features(text, 0) };
}
