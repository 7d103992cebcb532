import type { Action, Gap, RequestKind } from '@signalbox/kernel';

/** Languages of the interface words; what a request says itself is shown as it is. */
export type FormLanguage = 'en' | 'zh';

/** What can be done with a request that is on the screen. */
export type Step = Action | 'again' | 'note' | 'leave';

export interface FormWords {
  /** Stands between a name and what it is. */
  readonly colon: string;
  readonly comma: string;
  readonly steps: Readonly<Record<Step, string>>;
  /** What `approve` is called where the kind has a word of its own. */
  readonly approve: Readonly<Partial<Record<RequestKind, string>>>;
  readonly gaps: Readonly<Record<Gap, string>>;
  readonly heading: {
    readonly assigned: string;
    readonly until: string;
    readonly summary: string;
    readonly purpose: string;
    readonly gap: string;
    readonly context: string;
    readonly proposal: string;
    readonly confidence: string;
    readonly quorum: string;
    readonly claimed: string;
    readonly because: string;
    readonly alternative: string;
    readonly subject: string;
  };
  readonly field: {
    readonly required: string;
    readonly optional: string;
    readonly proposed: string;
    readonly empty: string;
    readonly noAnswer: string;
    readonly byDefault: string;
    readonly yes: string;
    readonly no: string;
    readonly note: string;
    readonly nothingChosen: string;
    readonly noMatch: string;
    between(min: string, max: string): string;
    atLeast(min: string): string;
    atMost(max: string): string;
    characters(range: string): string;
    chosen(range: string): string;
    step(step: string): string;
    wholeNumber: string;
    /** How a date is written, and a date with its time. */
    readonly date: string;
    readonly datetime: string;
    zone(zone: string): string;
    stored(instant: string): string;
  };
  readonly keys: {
    readonly text: string;
    readonly lines: string;
    readonly one: string;
    readonly many: string;
    readonly slider: string;
  };
  readonly faults: {
    readonly required: string;
    readonly orEmpty: string;
    readonly number: string;
  };
  readonly refused: string;
  more(count: number): string;
  /** A kernel issue in this language; undefined: its own message will do. */
  issue(code: string, params: Readonly<Record<string, unknown>>): string | undefined;
}
