import type { JsonValue } from '../../json/value.ts';
import type { Validator } from '../../schema/validator.ts';

/** What a place of the arguments declares, gathered from all schemas that apply there. */
export interface ValuePlan {
  /** Absent: any. */
  readonly types: readonly string[] | undefined;
  /** Of `enum` and `const`; absent: no enumeration. */
  readonly members: readonly JsonValue[] | undefined;
  readonly formats: readonly string[];
  /** It is one form, or null. */
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  readonly required: ReadonlySet<string>;
  /** The forms of an `anyOf` or `oneOf`, each with what holds beside it; there where exactly one choice stands here. */
  branches(): readonly ValuePlan[] | undefined;
  /** Whether the key stands under `properties`. */
  declares(key: string): boolean;
  /** Undefined where nothing is said of the member. */
  member(key: string): ValuePlan | undefined;
  item(index: number): ValuePlan | undefined;
  /** Of everything said here. Undefined where a schema names a base of its own (`$id`). */
  validator(): Validator | undefined;
}
