import type { Key } from './key.ts';

/**
 * A prompt without its terminal.
 *  1. `press` and `view` are pure; `press` gives the next state, or the value with which the prompt ends.
 *  2. No line of a view is wider than the terminal; every text in it is printable.
 */
export interface PromptModel<State, Value> {
  readonly start: State;
  /** Ctrl-D is a key of this prompt; of others it leaves the form. */
  readonly takesCtrlD?: boolean;
  press(state: State, key: Key): Pressed<State, Value>;
  view(state: State): PromptView;
  /** What stands on the screen when it is over. */
  closing(value: Value): readonly string[];
}

export type Pressed<State, Value> = { readonly state: State } | { readonly value: Value };

export interface PromptView {
  readonly above: readonly string[];
  /** The line with the cursor, never empty. An input method opens its window there. */
  readonly line: string;
  /** Where the cursor stands in it, in code units without colours. */
  readonly cursor: number;
  readonly below: readonly string[];
}
