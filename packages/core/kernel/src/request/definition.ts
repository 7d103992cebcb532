import type { MemoryScope } from '../event/memory-entry.ts';
import type { Templated } from '../json/templated.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';

export type RequestKind = 'form' | 'confirmation' | 'choice' | 'display';
export type Action = 'approve' | 'edit' | 'reject' | 'cancel';
export type Gap = 'parameter' | 'constraint' | 'structure' | 'worldState' | 'preference' | 'approval';

/**
 * A typed question to the outside, as an `ask` node or `ctx.ask` declares it. Inside `title`, `message`, `summary`,
 * `context`, `proposal`, `subject`, `requester`, `displays`, `remember.key` and a field's `options` any `{ cel: "…" }` is evaluated when the question is opened.
 */
export interface RequestDefinition {
  readonly kind: RequestKind;
  readonly title: Templated<string>;
  readonly message?: Templated<string>;
  readonly gap?: Gap;
  readonly summary?: Templated<string>;
  readonly purpose?: string;
  readonly context?: JsonValue;
  /** Raw field definitions; see `request/field.ts`. */
  readonly fields?: readonly JsonObject[];
  /** What must hold across fields. */
  readonly rules?: readonly RuleDefinition[];
  /** Shown beside the question; see `request/display.ts`. */
  readonly displays?: readonly JsonObject[];
  readonly actions?: Readonly<Partial<Record<Action, string>>>;
  readonly proposal?: JsonObject;
  /** Exactly what is approved: an answer that names the digest of something else is refused, and so is an unsaid change. */
  readonly subject?: JsonValue;
  /** `user:finn`, `role:finance`, `service:risk`. Nobody named: anybody entitled. */
  readonly assignees?: readonly string[];
  /** So many distinct persons must approve the same; default 1. */
  readonly quorum?: number;
  /** Whoever asked for it cannot answer: who started or forked the run, and the `requester`. */
  readonly fourEyes?: boolean;
  /** Whom it is asked for, such as `user:finn`. */
  readonly requester?: Templated<string>;
  /** How long a service that stands first among the assignees has the question to itself; default 1m. */
  readonly serviceTimeout?: string;
  readonly deadline?: DeadlineDefinition;
  readonly remind?: readonly ReminderDefinition[];
  readonly resume?: ResumeDefinition;
  /** `run` holds all reasoning of the run until answered; default `branch`. */
  readonly hold?: 'branch' | 'run';
  /** The values of its answer are kept, so that it need not be asked again. Never of an approval. */
  readonly remember?: RememberDefinition;
  /** Whether memory is looked at before it is asked; default true where it is remembered. */
  readonly recall?: boolean;
}

export interface RememberDefinition {
  /** Default: graph, node and title. */
  readonly key?: Templated<string>;
  readonly scope: MemoryScope;
  /** For how long; default: as long as its scope lasts. */
  readonly ttl?: string;
}

/** CEL over `values` (the answer's, defaults included) and `now`. A rule that cannot be evaluated does not hold. */
export interface RuleDefinition {
  readonly assert: string;
  /** For whoever filled in the form; goes on from the name of a field, as in "must not be before From". */
  readonly message: string;
  /** The fields at which the fault is shown; none: at the form as a whole. */
  readonly fields?: readonly string[];
  /** The rule is looked at only when this holds. */
  readonly when?: string;
}

export interface DeadlineDefinition {
  /** Exactly one of the two. */
  readonly after?: string;
  readonly at?: Templated<string>;
  readonly onExpire: 'route' | 'fail' | 'escalate' | 'default';
  /** With `escalate`: who is asked next, one step after the other; the last step then fails. */
  readonly to?: readonly EscalationStep[];
}

/** One who is asked next, or several, perhaps with a time of their own. */
export type EscalationStep = string | { readonly assignees: readonly string[]; readonly after?: string };

/** Exactly one of the two: after the question was put to who is asked now, or before their deadline. */
export interface ReminderDefinition {
  readonly after?: string;
  readonly before?: string;
}

export type ResumeDefinition =
  | { readonly mode: 'continue' }
  | {
      readonly mode: 'restart';
      /** A node of the innermost scope; absent: its start. */
      readonly at?: string;
      /** Unwind the whole run, which withdraws the siblings' questions. */
      readonly in?: 'run';
      /** State to carry over the unwinding: state key → CEL. */
      readonly carry?: Readonly<Record<string, string>>;
      /** `run`: a `once` effect done before the question gives its first result again. */
      readonly dedupe?: 'run';
    };
