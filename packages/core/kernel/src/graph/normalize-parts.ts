import type { JsonValue } from '../json/value.ts';
import { parseDuration } from '../time/duration.ts';

/** Every member of a type by name, present or not: so that a member added to a definition must be dealt with here. */
export type Parts<Whole> = { readonly [Key in keyof Required<Whole>]: unknown };
export type Stated<Whole> = Omit<Parts<Whole>, 'title' | 'description'>;

export function without<Shape extends object>(members: Shape): { [Key in keyof Shape]?: Shape[Key] } {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Key in keyof Shape]?: Shape[Key] };
}

export function text(source: string): string {
  return source.trim();
}

/** Whole milliseconds; what cannot be read stays as it is, for the check to refuse. */
export function duration(source: string | undefined): string | undefined {
  if (source === undefined) return undefined;
  try {
    return `${parseDuration(source)}ms`;
  } catch {
    return source;
  }
}

export function sorted<Item extends string>(items: readonly Item[] | undefined): readonly Item[] | undefined {
  return items && [...new Set(items)].sort();
}

export function unlessEmpty<Value extends object>(value: Value | undefined): Value | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

export function texts(sources: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  return sources && Object.fromEntries(Object.entries(sources).map(([key, source]) => [key, text(source)]));
}

/** The same JSON with the expressions in it trimmed. */
export function template<Value extends JsonValue | undefined>(value: Value): Value {
  return (value === undefined ? undefined : trimmed(value)) as Value;
}

function trimmed(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(trimmed);
  const entries = Object.entries(value);
  const only = entries.length === 1 && entries[0]![0] === 'cel' ? entries[0]![1] : undefined;
  if (typeof only === 'string') return { cel: text(only) };
  return Object.fromEntries(entries.map(([key, member]) => [key, trimmed(member)]));
}
