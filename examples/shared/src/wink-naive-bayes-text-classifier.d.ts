declare module 'wink-naive-bayes-text-classifier' {
  /** What is used here of the library, which brings no types. Labels that were never learned are never answered. */
  interface NaiveBayesTextClassifier {
    /** Binarized model and additive smoothing in 0..1; before the first `learn` only. */
    defineConfig(config: { considerOnlyPresence?: boolean; smoothingFactor?: number }): boolean;
    /** The steps from input to tokens; with none, the input is the tokens. */
    definePrepTasks(tasks: ((input: string) => string[])[]): number;
    learn(tokens: readonly string[], label: string): boolean;
    /** @throws Error with fewer than two labels or fewer than ten different tokens */
    consolidate(): boolean;
    /** Label and log2 of its odds against all others, best first; `[['unknown', 0]]` when no token is known. */
    computeOdds(tokens: readonly string[]): [label: string, log2Odds: number][];
  }

  function naiveBayesTextClassifier(): NaiveBayesTextClassifier;
  export = naiveBayesTextClassifier;
}
