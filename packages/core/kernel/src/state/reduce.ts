import type { Change } from '../event/run-event.ts';
import type { CompiledStateKey } from '../graph/program.ts';
import { DANGEROUS_KEYS, isJsonObject, type JsonValue } from '../json/value.ts';
import { applyChanges } from './apply-changes.ts';
import { cellValue, type StateView } from './cell.ts';

export type ReduceResult =
  | { readonly ok: true; readonly changes: readonly Change[] }
  | {
      readonly ok: false;
      readonly code: 'InvalidState' | 'UnknownStateKey';
      readonly message: string;
      readonly pointer: string;
    };

/**
 * Turns what was written (key → operand of the key's reducer) into deltas that hold results, validated against the
 * key's schema. Nothing is applied unless everything is valid.
 */
export function reduceWrites(
  keys: ReadonlyMap<string, CompiledStateKey>,
  state: StateView,
  writes: Readonly<Record<string, JsonValue>>,
  source: string,
): ReduceResult {
  const changes: Change[] = [];
  for (const key of Object.keys(writes)) {
    const operand = writes[key]!;
    const definition = DANGEROUS_KEYS.has(key) ? undefined : keys.get(key);
    if (definition === undefined) return unknownKey(key, keys);
    const change = toChange(definition, state, operand, source);
    if ('message' in change) return { ok: false, code: 'InvalidState', ...change };
    const fault = validate(definition, state, change);
    if ('message' in fault) return { ok: false, code: 'InvalidState', ...fault };
    changes.push(fault);
  }
  return { ok: true, changes };
}

function unknownKey(key: string, keys: ReadonlyMap<string, CompiledStateKey>): ReduceResult {
  const known = [...keys.keys()].join(', ');
  return {
    ok: false,
    code: 'UnknownStateKey',
    message: `The state has no key "${key}"; it has: ${known}.`,
    pointer: `/${key}`,
  };
}

type Refusal = { readonly message: string; readonly pointer: string };

function toChange(
  definition: CompiledStateKey,
  state: StateView,
  operand: JsonValue,
  source: string,
): Change | Refusal {
  const { key, reducer } = definition;
  const refuse = (wants: string): Refusal => ({
    message: `"${key}" is written with "${reducer}", which takes ${wants}.`,
    pointer: `/${key}`,
  });
  const current = state[key];
  switch (reducer) {
    case 'append':
      return Array.isArray(operand) ? { key, op: 'append', value: operand, source } : refuse('a list of what is added');
    case 'merge':
      if (!isJsonObject(operand)) return refuse('an object');
      if (Object.keys(operand).some(name => DANGEROUS_KEYS.has(name)))
        return refuse('an object without dangerous keys');
      return { key, op: 'merge', value: operand, source };
    case 'sum':
      return typeof operand === 'number' ? { key, op: 'increment', value: operand, source } : refuse('a number');
    case 'min':
    case 'max': {
      if (typeof operand !== 'number') return refuse('a number');
      const value = typeof current === 'number' ? Math[reducer](current, operand) : operand;
      return { key, op: 'set', value, source };
    }
    case 'replace':
      return { key, op: 'set', value: operand, source };
  }
}

/** The change with the value as it came out of the schema. */
function validate(definition: CompiledStateKey, state: StateView, change: Change): Change | Refusal {
  const { key } = definition;
  if (change.op === 'append' && definition.item !== undefined) {
    const items: JsonValue[] = [];
    const added = change.value as readonly JsonValue[];
    for (let index = 0; index < added.length; index += 1) {
      const result = definition.item.validate(added[index]!);
      if (!result.ok) return refusal(result.issues, `/${key}/${index}`);
      items.push(result.value);
    }
    return { ...change, value: items };
  }
  const whole = change.op === 'set' ? change.value : cellValue(applyChanges(state, [change])[key] ?? null);
  const result = definition.value.validate(whole);
  if (!result.ok) return refusal(result.issues, `/${key}`);
  return change.op === 'set' ? { ...change, value: result.value } : change;
}

function refusal(issues: readonly { pointer: string; message: string }[], base: string): Refusal {
  const [first] = issues;
  const pointer = `${base}${first?.pointer ?? ''}`;
  return { pointer, message: `State at ${pointer} is not valid: ${issues.map(issue => issue.message).join('; ')}.` };
}

export type MergeResult =
  | { readonly ok: true; readonly changes: readonly Change[] }
  | { readonly ok: false; readonly key: string; readonly writers: readonly string[] };

/**
 * Merges what several branches wrote, in branch order, into the parent's state. Two branches that wrote one `replace`
 * key conflict, whatever they wrote: the outcome never depends on values or on speed.
 */
export function mergeWrites(
  keys: ReadonlyMap<string, CompiledStateKey>,
  state: StateView,
  branches: readonly (readonly Change[])[],
): MergeResult {
  const writers = new Map<string, { branch: number; source: string }>();
  const merged: Change[] = [];
  const extremes = new Map<string, Change>();
  for (const [branch, changes] of branches.entries())
    for (const change of changes) {
      const reducer = keys.get(change.key)?.reducer ?? 'replace';
      if (reducer === 'replace') {
        const before = writers.get(change.key);
        if (before !== undefined && before.branch !== branch)
          return { ok: false, key: change.key, writers: [before.source, change.source] };
        writers.set(change.key, { branch, source: change.source });
      }
      if ((reducer === 'min' || reducer === 'max') && change.op === 'set')
        extremes.set(change.key, extreme(reducer, extremes.get(change.key), change));
      else merged.push(change);
    }
  for (const change of extremes.values()) {
    const reducer = keys.get(change.key)?.reducer === 'min' ? 'min' : 'max';
    const current = state[change.key];
    merged.push(
      typeof current === 'number' ? { ...change, value: Math[reducer](current, change.value as number) } : change,
    );
  }
  return { ok: true, changes: compact(merged) };
}

function extreme(reducer: 'min' | 'max', before: Change | undefined, change: Change): Change {
  if (before === undefined) return change;
  return { ...change, value: Math[reducer](before.value as number, change.value as number) };
}

/** Of several sets of one key the last stands; neighbouring appends to one key become one. */
function compact(changes: readonly Change[]): Change[] {
  const lastSet = new Map<string, number>();
  for (const [index, change] of changes.entries()) if (change.op === 'set') lastSet.set(change.key, index);
  const kept: Change[] = [];
  /** Items of the append that stands last, gathered in a list of our own: a map of 10,000 appends costs what it adds. */
  let gathered: JsonValue[] | undefined;
  for (const [index, change] of changes.entries()) {
    if (index < (lastSet.get(change.key) ?? 0)) continue;
    const before = kept.at(-1);
    if (
      change.op !== 'append' ||
      before?.op !== 'append' ||
      before.key !== change.key ||
      before.source !== change.source
    ) {
      kept.push(change);
      gathered = undefined;
      continue;
    }
    if (gathered === undefined) {
      gathered = [...(before.value as readonly JsonValue[])];
      kept[kept.length - 1] = { ...before, value: gathered };
    }
    for (const item of change.value as readonly JsonValue[]) gathered.push(item);
  }
  return kept;
}
