import type { ModelErrorCode } from '@signalbox/ports';

/** What happens inside a call that its caller does not see. */
export type ModelNotice =
  | {
      readonly kind: 'retry';
      readonly model: string;
      readonly code: ModelErrorCode;
      readonly reason: string;
      /** ms until the next request. */
      readonly wait: number;
    }
  | {
      /** The provider refused the request, and gets it once more with this changed. */
      readonly kind: 'adapted';
      readonly model: string;
      readonly reason: string;
      readonly tools: boolean;
      readonly output: boolean;
      readonly without: readonly string[];
    }
  /** The package of the provider leaves something out that the model does not take, such as the temperature of one that reasons. */
  | { readonly kind: 'ignored'; readonly model: string; readonly what: string }
  | { readonly kind: 'fallback'; readonly model: string; readonly to: string; readonly code: string };
