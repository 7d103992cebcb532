import { pointerTo } from '../../error/fault.ts';
import { jsonEqual } from '../../json/equal.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { withinSteps } from '../../schema/steps.ts';
import { planValue } from './plan-value.ts';
import type { NormalizeRule, ReadOptions } from './reading.ts';
import { readingsOf } from './readings-of.ts';
import type { ValuePlan } from './value-plan.ts';

/**
 * Reads values by the type that their schema declares. What holds, whatever the value:
 *
 * 1. A value that satisfies its schema comes back as it is, the same object.
 * 2. A value changes only where it breaks type, enumeration or format of its place, and only where there is exactly one
 *    reading (`readingsOf`).
 * 3. In a choice of forms (`anyOf`, `oneOf`) a value changes only where exactly one changed value comes of all forms
 *    together and that value satisfies the whole.
 * 4. Each change is named: outside the pointers in `changes`, what comes back equals what was given.
 * 5. It looks at no more than 20,000 places, and holds values against their forms for no more steps than one value may take to
 *    be checked (`withinSteps`); a value that needs more comes back as it was.
 */
export interface Normalizer {
  normalize(value: JsonValue, options?: ReadOptions): Normalized;
}

export interface Normalized {
  readonly value: JsonValue;
  /** In the order of the value; the pointer is that of the value that came back, or of the key that was left out. */
  readonly changes: readonly NormalizeChange[];
  /** Where a value stayed as it was because it can be read in more than one way. */
  readonly ambiguous: readonly string[];
}

export interface NormalizeChange {
  readonly pointer: string;
  readonly rule: NormalizeRule;
}

/** Cheap: nothing of the schema is read before the first value that needs it. */
export function createNormalizer(schema: JsonObject): Normalizer {
  let plan: ValuePlan | undefined;
  return {
    normalize(value, options = {}) {
      plan ??= planValue(schema);
      const walk = new Walk(options);
      const root = plan;
      const result = withinSteps(value, () => walk.value(value, root, '', 0));
      return result === undefined || walk.exhausted ? unchanged(value) : result;
    },
  };
}

const MOST_PLACES = 20_000;

/** One value on its way. Whatever a step returns holds its own changes, so that a form that was only tried leaves no trace. */
class Walk {
  readonly #options: ReadOptions;
  #places = 0;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  get exhausted(): boolean {
    return this.#places > MOST_PLACES;
  }

  value(given: JsonValue, plan: ValuePlan, pointer: string, depth: number): Normalized {
    this.#places++;
    if (this.exhausted) return unchanged(given);
    const branches = plan.branches();
    return branches === undefined
      ? this.#plain(given, plan, pointer, depth)
      : this.#choice(given, plan, branches, pointer, depth);
  }

  #plain(given: JsonValue, plan: ValuePlan, pointer: string, depth: number): Normalized {
    const readings = readingsOf(given, plan, depth, this.#options);
    if (readings.length > 1) return { value: given, changes: [], ambiguous: [pointer] };
    const [reading] = readings;
    if (reading === undefined) return this.#members(given, plan, pointer, depth);
    const inner = this.#members(reading.value, plan, pointer, depth);
    return { ...inner, changes: [{ pointer, rule: reading.rule }, ...inner.changes] };
  }

  #choice(
    given: JsonValue,
    plan: ValuePlan,
    branches: readonly ValuePlan[],
    pointer: string,
    depth: number,
  ): Normalized {
    const validator = plan.validator();
    if (validator === undefined || validator.validate(given).ok) return unchanged(given);
    const tried = branches.map(branch => this.value(given, branch, pointer, depth));
    const changed = distinct(
      tried.filter(({ value, changes }) => changes.length > 0 && (isScalar(value) || validator.validate(value).ok)),
    );
    if (changed.length > 1 || tried.some(({ ambiguous }) => ambiguous.includes(pointer)))
      return { value: given, changes: [], ambiguous: [pointer] };
    const [only] = changed;
    return only !== undefined && validator.validate(only.value).ok ? only : unchanged(given);
  }

  #members(given: JsonValue, plan: ValuePlan, pointer: string, depth: number): Normalized {
    if (Array.isArray(given))
      return allows(plan, 'array') ? this.#items(given, plan, pointer, depth + 1) : unchanged(given);
    const looks = isJsonObject(given) && allows(plan, 'object');
    return looks ? this.#object(given, plan, pointer, depth + 1) : unchanged(given);
  }

  #items(given: readonly JsonValue[], plan: ValuePlan, pointer: string, depth: number): Normalized {
    const result = new Collected();
    const items = given.map((item, index) => {
      const inner = plan.item(index);
      return inner === undefined ? item : result.add(this.value(item, inner, pointerTo(pointer, index), depth));
    });
    return result.of(given, items);
  }

  #object(given: JsonObject, plan: ValuePlan, pointer: string, depth: number): Normalized {
    const result = new Collected();
    const members: [string, JsonValue][] = [];
    for (const [key, member] of Object.entries(given)) {
      const inner = plan.member(key);
      const place = pointerTo(pointer, key);
      if (inner === undefined) members.push([key, member]);
      else if (member === null && isAbsence(key, plan, inner))
        result.changes.push({ pointer: place, rule: 'nullAsAbsent' });
      else members.push([key, result.add(this.value(member, inner, place, depth))]);
    }
    return result.of(given, result.changes.length === 0 ? given : Object.fromEntries(members));
  }
}

/** The changes of the members of one value. */
class Collected {
  readonly changes: NormalizeChange[] = [];
  readonly #ambiguous: string[] = [];

  add({ value, changes, ambiguous }: Normalized): JsonValue {
    this.changes.push(...changes);
    this.#ambiguous.push(...ambiguous);
    return value;
  }

  of(given: JsonValue, changed: JsonValue): Normalized {
    return { value: this.changes.length === 0 ? given : changed, changes: this.changes, ambiguous: this.#ambiguous };
  }
}

/**
 * Null for a declared key that may be left out and cannot be null says that there is nothing. Where the key has a default it
 * could also mean that one, so it is left to be refused.
 */
function isAbsence(key: string, parent: ValuePlan, member: ValuePlan): boolean {
  if (!parent.declares(key) || parent.required.has(key) || member.nullable || member.hasDefault) return false;
  const { types, members } = member;
  if (types === undefined && members === undefined) return false;
  return member.branches() === undefined && types?.includes('null') !== true && members?.includes(null) !== true;
}

function allows({ types }: ValuePlan, type: string): boolean {
  return types === undefined || types.includes(type);
}

function unchanged(value: JsonValue): Normalized {
  return { value, changes: [], ambiguous: [] };
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

function distinct(forms: readonly Normalized[]): Normalized[] {
  return forms.filter((form, at) => forms.findIndex(other => jsonEqual(other.value, form.value)) === at);
}
