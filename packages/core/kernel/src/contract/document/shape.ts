import { type Fault, pointerTo } from '../../error/fault.ts';
import { errorAt, hintFor } from '../../graph/check/fault.ts';
import type { Read } from '../../graph/check/read.ts';
import { DANGEROUS_KEYS, isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { kindOf } from '../../schema/issue.ts';

/** Where a part stands: JSON pointers into the document as written, and into the definition that is made of it. */
export interface Place {
  readonly written: string;
  readonly target: string;
}

/** One reading of a document: its faults, and the way back from pointers into the definition. */
export class Reading {
  readonly faults: Fault[] = [];
  readonly #places = new Map<string, string>();

  mark({ target, written }: Place): void {
    if (!this.#places.has(target)) this.#places.set(target, written);
  }

  /** Of the pointer itself, or of the nearest thing around it that was written. */
  writtenAt(target: string): string {
    for (let at = target; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const written = this.#places.get(at);
      if (written !== undefined) return written + target.slice(at.length);
    }
    return target;
  }
}

/**
 * What may stand at one kind of place in a contract: how it is read, and the JSON Schema that tells an editor the same.
 * `read` tells every fault, marks what it read, and gives undefined for what is broken.
 */
export interface Shape {
  readonly schema: JsonObject;
  read(value: JsonValue, place: Place, reading: Reading): JsonValue | undefined;
}

export function inside(place: Place, written: string | number, target: string | number = written): Place {
  return { written: pointerTo(place.written, written), target: pointerTo(place.target, target) };
}

/** What is read as it stands in a definition, whose pointers below it are the written ones. */
export function leaf(schema: JsonObject, read: Read): Shape {
  return {
    schema,
    read: (value, place, reading) => {
      reading.mark(place);
      return read(value, place.written, reading.faults) as JsonValue | undefined;
    },
  };
}

/** A shape whose value stands under `key` of the definition: `approval: args.amount > 5` is `{ when: … }`. */
export function shortFor(key: string, shape: Shape): Shape {
  return {
    schema: shape.schema,
    read: (value, place, reading) => {
      const read = shape.read(value, { ...place, target: pointerTo(place.target, key) }, reading);
      return read === undefined ? undefined : { [key]: read };
    },
  };
}

/** The first alternative whose `fits` is true; the last is taken where none is. */
export function eitherOf(...alternatives: readonly [fits: (value: JsonValue) => boolean, shape: Shape][]): Shape {
  return {
    schema: { anyOf: alternatives.map(([, shape]) => shape.schema) },
    read: (value, place, reading) => {
      const [, shape] = alternatives.find(([fits]) => fits(value)) ?? alternatives.at(-1)!;
      return shape.read(value, place, reading);
    },
  };
}

export function wrong(value: JsonValue, place: Place, reading: Reading, wanted: string): undefined {
  reading.faults.push(errorAt(place.written, 'WrongType', `Here ${wanted} is wanted, not ${kindOf(value)}.`));
}

export function list(of: Shape): Shape {
  return {
    schema: { type: 'array', items: of.schema },
    read: (value, place, reading) => {
      reading.mark(place);
      if (!Array.isArray(value)) return wrong(value, place, reading, 'a list');
      const kept: JsonValue[] = [];
      for (const [index, item] of value.entries()) {
        const read = of.read(item, inside(place, index, kept.length), reading);
        if (read !== undefined) kept.push(read);
      }
      return kept;
    },
  };
}

/** `a` is read as `[a]`. */
export function listOrOne(of: Shape): Shape {
  const many = list(of);
  return {
    schema: { anyOf: [of.schema, many.schema] },
    read: (value, place, reading) => {
      if (Array.isArray(value)) return many.read(value, place, reading);
      const read = of.read(value, { ...place, target: pointerTo(place.target, 0) }, reading);
      return read === undefined ? undefined : [read];
    },
  };
}

/** A map with keys of the author's choice; `toKey` gives the key of the definition, or tells a fault and gives undefined. */
export function record(
  of: Shape,
  toKey: (key: string, place: Place, reading: Reading) => string | undefined = key => key,
): Shape {
  return {
    schema: { type: 'object', additionalProperties: of.schema },
    read: (value, place, reading) => {
      reading.mark(place);
      if (!isJsonObject(value)) return wrong(value, place, reading, 'a map');
      const kept: Record<string, JsonValue> = {};
      for (const [key, member] of presentMembers(value, place, reading)) {
        const target = toKey(key, inside(place, key), reading);
        if (target === undefined) continue;
        if (Object.hasOwn(kept, target)) reading.faults.push(twice(inside(place, key), key, target));
        const read = of.read(member, inside(place, key, target), reading);
        if (read !== undefined) kept[target] = read;
      }
      return kept;
    },
  };
}

/** One key that may be written, in camelCase or snake_case. */
export interface Member {
  readonly shape: Shape;
  /** The key it becomes in the definition, where that is another one; `false`: it is read and left out. */
  readonly as?: string | false;
  /** Stands for a required value that is missing or broken, so that the rest can still be checked. */
  readonly required?: { readonly standIn: JsonValue; readonly hint?: string };
}

export type Members = Readonly<Record<string, Member>>;

/** Members that may be left out, by their shapes. */
export function optional(shapes: Readonly<Record<string, Shape>>): Members {
  return Object.fromEntries(Object.entries(shapes).map(([key, shape]) => [key, { shape }]));
}

/** A map with known keys; two that say the same thing exclude each other. `what` is the subject of messages: "A tool". */
export function object(what: string, members: Members): Shape {
  const spellings = new Map(
    Object.keys(members).flatMap(key => [
      [key, key],
      [toSnakeCase(key), key],
    ]),
  );
  return {
    schema: objectSchema(members),
    read: (value, place, reading) => {
      reading.mark(place);
      if (!isJsonObject(value)) return wrong(value, place, reading, 'a map');
      const kept: Record<string, JsonValue> = {};
      const written = new Map<string, string>();
      for (const [key, part] of presentMembers(value, place, reading)) {
        const name = spellings.get(key);
        if (name === undefined) {
          reading.faults.push(unknownKey(what, key, inside(place, key), members, value));
          continue;
        }
        const { shape, as } = members[name]!;
        const target = as === undefined || as === false ? name : as;
        const earlier = written.get(target);
        written.set(target, key);
        if (earlier !== undefined) reading.faults.push(twice(inside(place, key), key, earlier));
        const read = shape.read(part, inside(place, key, target), reading);
        if (read !== undefined && as !== false) kept[target] = read;
      }
      standIn(what, members, { kept, written, place, reading });
      return kept;
    },
  };
}

interface Kept {
  readonly kept: Record<string, JsonValue>;
  readonly written: ReadonlyMap<string, string>;
  readonly place: Place;
  readonly reading: Reading;
}

function standIn(what: string, members: Members, { kept, written, place, reading }: Kept): void {
  for (const [name, { as, required }] of Object.entries(members)) {
    const target = as === undefined || as === false ? name : as;
    if (required === undefined || Object.hasOwn(kept, target)) continue;
    if (!written.has(target)) {
      const message = `${what} needs \`${toSnakeCase(name)}\`.`;
      reading.faults.push(errorAt(place.written, 'MissingKey', message, required.hint));
    }
    kept[target] = required.standIn;
  }
}

function twice(place: Place, key: string, earlier: string): Fault {
  return errorAt(place.written, 'KeyTwice', `\`${key}\` and \`${earlier}\` say the same thing.`, 'Keep one of them.');
}

function unknownKey(what: string, key: string, place: Place, members: Members, written: JsonObject): Fault {
  const free = Object.keys(members).filter(name => !Object.hasOwn(written, name));
  const known = free.map(toSnakeCase).filter(name => !Object.hasOwn(written, name));
  const message = `${what} has no \`${key}\`.`;
  return errorAt(place.written, 'UnknownKey', message, hintFor(key, known) ?? `The keys are ${known.join(', ')}.`);
}

function presentMembers(value: JsonObject, place: Place, reading: Reading): [string, JsonValue][] {
  return Object.entries(value).filter(([key, member]) => {
    if ((member as unknown) === undefined) return false;
    if (!DANGEROUS_KEYS.has(key)) return true;
    const message = `\`${key}\` is not allowed as a key.`;
    reading.faults.push(errorAt(pointerTo(place.written, key), 'DangerousKey', message));
    return false;
  });
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

function objectSchema(members: Members): JsonObject {
  const properties: Record<string, JsonValue> = {};
  for (const [key, { shape }] of Object.entries(members)) {
    properties[toSnakeCase(key)] = shape.schema;
    properties[key] = shape.schema;
  }
  // A key with two spellings is not asked for: the other one may be there.
  const required = Object.keys(members).filter(key => members[key]!.required !== undefined && toSnakeCase(key) === key);
  return { type: 'object', properties, required, additionalProperties: false };
}
