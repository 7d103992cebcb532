import { closest, type JsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import type { Shape } from './shape.ts';
import type { SourceEntry, SourceMap } from './source-node.ts';

/** One key that may be written. */
export interface Member {
  readonly shape: Shape;
  /** The key it becomes in the definition, where that is another one; `false`: it is read and left out. */
  readonly as?: string | false;
  /** What stands in for a required value that is missing or broken, so that the rest can still be checked. */
  readonly required?: { readonly standIn: JsonValue; readonly code?: string };
}

export type Members = Readonly<Record<string, Member>>;

/** Members that may be left out, by their shapes. */
export function optional(shapes: Readonly<Record<string, Shape>>): Members {
  return Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, { shape }]));
}

/**
 * A map with known keys. Each may be written in camelCase or snake_case, not both. Two keys that become one key of the
 * definition exclude each other. `what` is the subject of messages: "A route".
 */
export function object(what: string, members: Members, fixed: JsonObject = {}): Shape {
  return {
    schema: objectSchema(members, fixed),
    read: (node, pointer, conversion) => {
      conversion.mark(pointer, node);
      if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a map');
      const values = readMembers(what, members, { node, pointer, conversion });
      standIn(what, members, values, { node, pointer, conversion });
      return values;
    },
  };
}

interface Reading {
  readonly node: SourceMap;
  readonly pointer: string;
  readonly conversion: Conversion;
}

function readMembers(what: string, members: Members, reading: Reading): Record<string, JsonValue> {
  const { node, pointer, conversion } = reading;
  const values: Record<string, JsonValue> = {};
  const writtenAs = new Map<string, string>();
  for (const entry of node.entries) {
    const key = memberKey(entry.key, members);
    const member = key === undefined ? undefined : members[key];
    if (key === undefined || member === undefined) {
      unknownKey(what, entry, members, reading);
      continue;
    }
    const target = member.as === undefined || member.as === false ? key : member.as;
    const earlier = writtenAs.get(target);
    if (earlier !== undefined) {
      const message = `\`${entry.key}\` and \`${earlier}\` say the same thing.`;
      conversion.fault('KeyTwice', pointerTo(pointer, target), message, { at: entry.keyAt, hint: 'Keep one of them.' });
      continue;
    }
    writtenAs.set(target, entry.key);
    const place = pointerTo(pointer, target);
    conversion.mark(place, entry.value, entry.keyAt);
    const value = member.shape.read(entry.value, place, conversion);
    if (value === undefined) conversion.break(place);
    else if (member.as !== false) values[target] = value;
  }
  return values;
}

function standIn(what: string, members: Members, values: Record<string, JsonValue>, reading: Reading): void {
  const { node, pointer, conversion } = reading;
  const written = new Set(node.entries.map(entry => targetOf(entry.key, members)));
  for (const [key, member] of Object.entries(members)) {
    if (member.required === undefined || Object.hasOwn(values, key)) continue;
    const told = written.has(key) || conversion.isBroken(pointerTo(pointer, key));
    if (!told) conversion.fault(member.required.code ?? 'MissingKey', pointer, `${what} needs \`${key}\`.`);
    conversion.break(pointerTo(pointer, key));
    values[key] = member.required.standIn;
  }
}

function targetOf(written: string, members: Members): string | undefined {
  const key = memberKey(written, members);
  const as = key === undefined ? undefined : members[key]?.as;
  return as === undefined || as === false ? key : as;
}

function memberKey(written: string, members: Members): string | undefined {
  const key = toCamelCase(written);
  return Object.hasOwn(members, written) ? written : Object.hasOwn(members, key) ? key : undefined;
}

function unknownKey(what: string, entry: SourceEntry, members: Members, reading: Reading): void {
  const { node, pointer, conversion } = reading;
  const place = pointerTo(pointer, entry.key);
  const written = new Set(node.entries.map(({ key }) => toCamelCase(key)));
  const rest = Object.keys(members).filter(key => !written.has(key));
  const meant = closest(entry.key, rest);
  const hint = meant === undefined ? `The keys are ${Object.keys(members).join(', ')}.` : `Did you mean \`${meant}\`?`;
  conversion.markKey(place, entry.keyAt);
  conversion.break(meant === undefined ? place : pointerTo(pointer, targetOf(meant, members) ?? meant));
  conversion.fault('UnknownKey', place, `${what} has no \`${entry.key}\`.`, { hint, at: entry.keyAt });
}

export function toCamelCase(key: string): string {
  return key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

function objectSchema(members: Members, fixed: JsonObject): JsonObject {
  const properties: Record<string, JsonValue> = { ...fixed };
  for (const [key, { shape }] of Object.entries(members)) {
    properties[key] = shape.schema;
    if (toSnakeCase(key) !== key) properties[toSnakeCase(key)] = shape.schema;
  }
  const plain = Object.keys(members).filter(
    key => members[key]?.required !== undefined && isOnlyWayToSay(key, members),
  );
  return { type: 'object', properties, required: [...Object.keys(fixed), ...plain], additionalProperties: false };
}

/** Whether no other key or spelling could stand instead of a required one, which an editor must not then ask for. */
function isOnlyWayToSay(key: string, members: Members): boolean {
  return toSnakeCase(key) === key && !Object.values(members).some(member => member.as === key);
}
