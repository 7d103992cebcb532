import { isSignalboxError } from '../../error/error.ts';
import { type Fault, pointerTo } from '../../error/fault.ts';
import { DANGEROUS_KEYS, isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { checkJsonSchema } from '../../schema/check-json-schema.ts';
import { kindOf } from '../../schema/issue.ts';
import { parseDuration } from '../../time/duration.ts';
import { errorAt, hintFor } from './fault.ts';

/**
 * Reads one part of a definition: gives what is well shaped and a fault for what is not. Undefined leaves the part out,
 * so that the checks after it never meet a value of the wrong kind.
 */
export type Read = (value: unknown, pointer: string, faults: Fault[]) => unknown;

/** A member that must be there. `standIn` takes its place where it is not, so that the rest is checked all the same. */
export interface Member {
  readonly read: Read;
  readonly standIn: unknown;
  /** Of the fault when it is not there. */
  readonly code: string;
}

export type Members = Readonly<Record<string, Read | Member>>;

export function required(read: Read, standIn?: unknown, code = 'MissingKey'): Member {
  return { read, standIn, code };
}

function wrong(value: unknown, pointer: string, faults: Fault[], wanted: string): undefined {
  const isScalar = wanted.startsWith('a text') && (typeof value === 'number' || typeof value === 'boolean');
  const message = `Here ${wanted} is wanted, not ${kindOf(value as JsonValue)}.`;
  if (isScalar) faults.push(errorAt(pointer, 'TextWanted', message, 'Quote it, as in "1.10" or "yes".'));
  else faults.push(errorAt(pointer, 'WrongType', message));
  return undefined;
}

export const text: Read = (value, pointer, faults) =>
  typeof value === 'string' ? value : wrong(value, pointer, faults, 'a text');

export const filledText: Read = (value, pointer, faults) => {
  if (typeof value !== 'string') return wrong(value, pointer, faults, 'a text');
  if (value.trim() !== '') return value;
  faults.push(errorAt(pointer, 'EmptyText', 'The text is empty.'));
  return undefined;
};

export const flag: Read = (value, pointer, faults) =>
  typeof value === 'boolean' ? value : wrong(value, pointer, faults, 'true or false');

export function numberIn(min: number, max: number): Read {
  return (value, pointer, faults) => {
    if (typeof value !== 'number' || Number.isNaN(value)) return wrong(value, pointer, faults, 'a number');
    if (value >= min && value <= max) return value;
    const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : `from ${min} to ${max}`;
    faults.push(errorAt(pointer, 'OutOfRange', `${value} is out of range: it must be ${range}.`));
    return undefined;
  };
}

/** A whole number of at least `min`. */
export function count(min: number, max: number = Number.MAX_SAFE_INTEGER): Read {
  const within = numberIn(min, max === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : max);
  return (value, pointer, faults) => {
    const read = within(value, pointer, faults);
    if (read === undefined || Number.isSafeInteger(read)) return read;
    faults.push(errorAt(pointer, 'OutOfRange', `${value} must be a whole number.`));
    return undefined;
  };
}

/** One that cannot be read counts as some time: that there is none would be another fault. */
export const duration: Read = (value, pointer, faults) => {
  if (typeof value !== 'string') return wrong(value, pointer, faults, 'a text such as 30s or 2h') ?? '1s';
  return attempt(() => parseDuration(value), pointer, faults) ? value : '1s';
};

/** True, or undefined with the fault that was thrown. */
export function attempt(parse: () => unknown, pointer: string, faults: Fault[]): true | undefined {
  try {
    parse();
    return true;
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    faults.push(errorAt(pointer, error.code, error.message, error.hint));
    return undefined;
  }
}

export function oneOf(what: string, values: readonly string[]): Read {
  return (value, pointer, faults) => {
    if (typeof value !== 'string') return wrong(value, pointer, faults, 'a text');
    if (values.includes(value)) return value;
    faults.push(errorAt(pointer, 'UnknownValue', `\`${value}\` is no ${what}.`, hintFor(value, values)));
    return undefined;
  };
}

export function eitherOf(choose: (value: unknown) => Read): Read {
  return (value, pointer, faults) => choose(value)(value, pointer, faults);
}

export function listOf(read: Read, options: { empty?: string } = {}): Read {
  return (value, pointer, faults) => {
    if (!Array.isArray(value)) return wrong(value, pointer, faults, 'a list');
    if (value.length === 0 && options.empty !== undefined)
      faults.push(errorAt(pointer, options.empty, 'The list is empty.'));
    return value.flatMap((item, index) => {
      const kept = read(item, pointerTo(pointer, index), faults);
      return kept === undefined ? [] : [kept];
    });
  };
}

/** `checkKey` says whether a key is fit; an unfit one is told and its value kept, so that routes to it are no faults as well. */
export function mapOf(read: Read, checkKey: (key: string, pointer: string) => Fault[] = () => []): Read {
  return (value, pointer, faults) => {
    if (!isJsonObject(value)) return wrong(value, pointer, faults, 'a map');
    const kept: [string, unknown][] = [];
    for (const [key, member] of presentMembers(value, pointer, faults)) {
      const place = pointerTo(pointer, key);
      faults.push(...checkKey(key, place));
      const part = read(member, place, faults);
      if (part !== undefined) kept.push([key, part]);
    }
    return Object.fromEntries(kept);
  };
}

/** Keys outside `members` are faults and are left out; so is the whole where a required key has no fit value and no stand-in. */
export function objectOf(what: string, members: Members): Read {
  return (value, pointer, faults) => {
    if (!isJsonObject(value)) return wrong(value, pointer, faults, 'a map');
    const kept: Record<string, unknown> = {};
    const written = new Set<string>();
    for (const [key, member] of presentMembers(value, pointer, faults)) {
      written.add(key);
      const known = Object.hasOwn(members, key) ? members[key]! : undefined;
      const part = known && (typeof known === 'function' ? known : known.read)(member, pointerTo(pointer, key), faults);
      if (known === undefined) faults.push(unknownKey(what, key, pointer, Object.keys(members), value));
      else if (part !== undefined) kept[key] = part;
    }
    return fillIn(what, members, kept, written, pointer, faults);
  };
}

function fillIn(
  what: string,
  members: Members,
  kept: Record<string, unknown>,
  written: ReadonlySet<string>,
  pointer: string,
  faults: Fault[],
): Record<string, unknown> | undefined {
  let isWhole = true;
  for (const [key, member] of Object.entries(members)) {
    if (typeof member === 'function' || Object.hasOwn(kept, key)) continue;
    if (!written.has(key)) faults.push(errorAt(pointer, member.code, `${what} needs \`${key}\`.`));
    if (member.standIn === undefined) isWhole = false;
    else kept[key] = member.standIn;
  }
  return isWhole ? kept : undefined;
}

function unknownKey(what: string, key: string, pointer: string, known: readonly string[], written: JsonObject): Fault {
  const free = known.filter(name => !Object.hasOwn(written, name));
  return errorAt(pointerTo(pointer, key), 'UnknownKey', `${what} has no \`${key}\`.`, hintFor(key, free));
}

function presentMembers(value: JsonObject, pointer: string, faults: Fault[]): [string, JsonValue][] {
  return Object.entries(value).filter(([key, member]) => {
    if ((member as unknown) === undefined) return false;
    if (!DANGEROUS_KEYS.has(key)) return true;
    faults.push(errorAt(pointerTo(pointer, key), 'DangerousKey', `\`${key}\` is not allowed as a key.`));
    return false;
  });
}

/** Any JSON. */
export const json: Read = (value, pointer, faults) => {
  if (Array.isArray(value)) return listOf(json)(value, pointer, faults);
  if (isJsonObject(value)) return mapOf(json)(value, pointer, faults);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  faults.push(errorAt(pointer, 'InvalidValue', `A ${typeof value} is no JSON value.`));
  return undefined;
};

export const jsonObject: Read = (value, pointer, faults) =>
  isJsonObject(value) ? json(value, pointer, faults) : wrong(value, pointer, faults, 'a map');

/** A text, or `{ cel }`. */
export function templated(constant: Read): Read {
  const expression = objectOf('A value by CEL', { cel: required(filledText) });
  return eitherOf(value => (isJsonObject(value) ? expression : constant));
}

/** A schema that cannot be used counts as one that lets all through, so that it is told once. */
export const schema: Read = (value, pointer, faults) => {
  if (!isJsonObject(value)) return wrong(value, pointer, faults, 'a JSON Schema, a map,') ?? {};
  const found = checkJsonSchema(value, pointer);
  faults.push(...found);
  return found.some(fault => fault.severity === 'error') ? {} : value;
};
