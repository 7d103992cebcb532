import type { ErrorData, JsonValue, Refusal } from '@signalbox/kernel';

/** What became of one call. */
export type ToolOutcome =
  /** `text`: the result as the prompt gets it; `unbridged`: why not as the contract says. */
  | { readonly status: 'done'; readonly output: JsonValue; readonly text: string; readonly unbridged?: string }
  | { readonly status: 'refused'; readonly refusal: Refusal }
  | { readonly status: 'failed'; readonly error: ErrorData };
