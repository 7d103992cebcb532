import type {
  Action,
  Gap,
  JsonObject,
  JsonValue,
  OptionValue,
  Principal,
  RememberDefinition,
  RequestKind,
  RuleDefinition,
  Templated,
} from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { StateTypes } from './state-types.ts';

/** A value alone is its own label. */
export type Option =
  | OptionValue
  | { readonly value: OptionValue; readonly label?: string; readonly description?: string };

/** A decision request as it is written in TypeScript. With `form` or `fields` it is a form, with `options` a choice, else a confirmation. */
export interface AskRequest<State extends StateTypes = StateTypes, Ref extends string = string> {
  readonly kind?: RequestKind;
  readonly title: Templated<string>;
  readonly message?: Templated<string>;
  readonly gap?: Gap;
  readonly summary?: Templated<string>;
  readonly purpose?: string;
  readonly context?: JsonValue;
  readonly form?: undefined;
  readonly fields?: readonly JsonObject[];
  /** A choice of one: its answer has the value `choice`. */
  readonly options?: Templated<readonly Option[]>;
  readonly rules?: readonly RuleDefinition[];
  readonly displays?: readonly JsonObject[];
  readonly actions?: Readonly<Partial<Record<Action, string>>>;
  readonly proposal?: JsonObject;
  /** Exactly what is approved. */
  readonly subject?: JsonValue;
  /** `user:finn`, `role:finance`, `service:risk`; nobody named: anybody entitled. */
  readonly assign?: string | readonly string[];
  /** So many distinct persons must approve the same; default 1. */
  readonly quorum?: number;
  /** Whoever asked for it cannot answer: who started or forked the run, and the `requester`. */
  readonly fourEyes?: boolean;
  /** Whom it is asked for, such as `user:finn`. */
  readonly requester?: Templated<string>;
  /** How long a service that stands first among the assignees has the question to itself; default 1m. */
  readonly serviceTimeout?: string;
  readonly deadline?: Deadline;
  /** After the question was put, or before its deadline. */
  readonly remind?: readonly ({ readonly after: string } | { readonly before: string })[];
  readonly resume?: Resume<State, Ref>;
  readonly hold?: 'branch' | 'run';
  /** The values of its answer are kept, so that it need not be asked again. Never of an approval. */
  readonly remember?: RememberDefinition;
  /** Whether memory is looked at before it is asked; default true where it is remembered. */
  readonly recall?: boolean;
}

/** With a schema for the form, whose output is the type of the answer's values. */
export interface AskWithForm<
  Form extends StandardSchemaV1,
  State extends StateTypes = StateTypes,
  Ref extends string = string,
> extends Omit<AskRequest<State, Ref>, 'form' | 'fields' | 'options'> {
  readonly form: Form;
  readonly fields?: undefined;
  readonly options?: undefined;
}

/** With its options listed, whose values are the type of the answer's `choice`. */
export interface AskWithOptions<
  Options extends readonly Option[],
  State extends StateTypes = StateTypes,
  Ref extends string = string,
> extends Omit<AskRequest<State, Ref>, 'form' | 'fields' | 'options'> {
  readonly options: Options;
  readonly form?: undefined;
  readonly fields?: undefined;
}

/** What may be chosen: an option's value. */
export type Chosen<Options extends readonly Option[]> = Options[number] extends infer Each
  ? Each extends { readonly value: infer Value }
    ? Value
    : Each
  : never;

/** State key → CEL. */
export type UpdateMap<State extends StateTypes> = { readonly [Key in keyof State['update']]?: string };

/** What an answer does: the asking node goes on, or the innermost scope starts anew, from `at` or its beginning. */
export type Resume<State extends StateTypes = StateTypes, Ref extends string = string> =
  | { readonly mode: 'continue' }
  | {
      readonly mode: 'restart';
      readonly at?: Ref;
      /** Unwind the whole run. */
      readonly in?: 'run';
      /** State to carry over. */
      readonly carry?: UpdateMap<State>;
      /** A `once` effect done before the question gives its first result again. */
      readonly dedupe?: 'run';
    };

/** Exactly one of `after` (a duration) and `at`. */
export interface Deadline {
  readonly after?: string;
  readonly at?: Templated<string>;
  readonly onExpire: 'route' | 'fail' | 'escalate' | 'default';
  /** With `escalate`: who is asked next, one after the other. */
  readonly to?: string | readonly (string | EscalationTarget)[];
}

/** Several who are asked at once, or with a time of their own. */
export interface EscalationTarget {
  readonly assign: string | readonly string[];
  /** A duration; default: the same time again. */
  readonly after?: string;
}

/** The accepted answer. Only an approval and an edit carry values. */
export type Answer<Values = JsonObject> = AnswerEnd &
  (
    | { readonly action: 'approve' | 'edit'; readonly values: Values }
    | { readonly action: 'reject' | 'cancel' | 'expired'; readonly values: Record<never, never> }
  );

interface AnswerEnd {
  readonly note: string | null;
  readonly by: Principal;
  /** With a quorum: all whose approval it is. */
  readonly endorsedBy?: readonly Principal[];
  /** RFC 3339. */
  readonly at: string;
}
