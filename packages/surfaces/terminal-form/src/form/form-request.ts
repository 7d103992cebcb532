import type { Action, JsonObject } from '@signalbox/kernel';
import type { RequestView } from '@signalbox/runtime';

type Shown = 'kind' | 'title' | 'message' | 'gap' | 'summary' | 'purpose' | 'context' | 'fields' | 'rules' | 'displays';
type Approval = 'proposal' | 'actions' | 'subject' | 'quorum' | 'endorsedBy' | 'standing' | 'claimedBy';

/** What of an open question the form shows; a `RequestView` is one. */
export type FormRequest = Pick<RequestView, Shown | Approval> &
  Partial<Pick<RequestView, 'assignees' | 'deadline' | 'zone'>>;

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
