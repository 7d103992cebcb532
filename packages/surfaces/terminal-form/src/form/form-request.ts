import type { Action, Display, JsonObject } from '@signalbox/kernel';
import type { RequestView } from '@signalbox/runtime';

/** What of an open question the form shows; a `RequestView` is one. */
export type FormRequest = Pick<
  RequestView,
  | 'kind'
  | 'title'
  | 'message'
  | 'gap'
  | 'summary'
  | 'purpose'
  | 'context'
  | 'fields'
  | 'proposal'
  | 'actions'
  | 'subject'
> & {
  readonly assignees?: readonly string[];
  readonly deadline?: string;
  readonly displays?: readonly Display[] | readonly JsonObject[];
};

export interface FormAnswer {
  readonly action: Action;
  readonly values?: JsonObject;
  readonly note?: string;
}

/** What came of showing a form. In the last two the question stays as it was. */
export type FormOutcome =
  | { readonly kind: 'answered'; readonly answer: FormAnswer }
  | { readonly kind: 'leftOpen' }
  /** Ctrl-C, or the end of the input. */
  | { readonly kind: 'interrupted' };
