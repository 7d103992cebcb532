import { type Fault, pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { closest } from './closest.ts';
import { FORMATS } from './formats.ts';
import { type KeywordKind, TYPES } from './keywords.ts';
import { patternProblem } from './pattern.ts';

/** What is wrong with the value of one keyword itself; schemas inside it are for others to look at. */
export function checkKeyword(keyword: string, kind: KeywordKind, value: JsonValue, pointer: string): Fault[] {
  switch (kind) {
    case 'type':
      return checkType(value, pointer);
    case 'enum':
      return checkEnum(value, pointer);
    case 'format':
      return checkFormat(value, pointer);
    case 'pattern':
      return typeof value === 'string' ? checkPattern(value, pointer) : [wrong(keyword, 'a text', pointer)];
    case 'schemaByPattern':
      return isJsonObject(value)
        ? Object.keys(value).flatMap(source => checkPattern(source, pointerTo(pointer, source)))
        : [wrong(keyword, 'an object of schemas', pointer)];
    case 'olderId':
      return [fault('InvalidSchema', pointer, '`id` is no keyword any more.', 'Write `$id`, or leave it out.')];
    default: {
      const rule = RULES[kind];
      return rule === undefined || rule.holds(value) ? [] : [wrong(keyword, rule.wanted, pointer)];
    }
  }
}

interface Rule {
  readonly wanted: string;
  holds(value: JsonValue): boolean;
}

const RULES: Readonly<Partial<Record<KeywordKind, Rule>>> = {
  anchor: { wanted: 'a name of letters, digits, `-`, `_` and `.` that begins with a letter or `_`', holds: isAnchor },
  boolean: { wanted: 'true or false', holds: value => typeof value === 'boolean' },
  count: { wanted: 'a whole number, 0 or more', holds: value => Number.isSafeInteger(value) && Number(value) >= 0 },
  dependencies: { wanted: 'an object of lists of keys or schemas', holds: isDependencies },
  fragment: { wanted: 'a text that begins with `#`', holds: value => typeof value === 'string' && value[0] === '#' },
  list: { wanted: 'a list', holds: value => Array.isArray(value) },
  namesByKey: { wanted: 'an object of lists of keys', holds: isNamesByKey },
  number: { wanted: 'a number', holds: value => typeof value === 'number' },
  positive: { wanted: 'a number more than 0', holds: value => typeof value === 'number' && value > 0 },
  ref: { wanted: 'a text', holds: value => typeof value === 'string' },
  schema: { wanted: 'a schema', holds: value => isJsonObject(value) || typeof value === 'boolean' },
  schemaByKey: { wanted: 'an object of schemas', holds: isJsonObject },
  schemaList: { wanted: 'a list of schemas, one at least', holds: value => Array.isArray(value) && value.length > 0 },
  text: { wanted: 'a text', holds: value => typeof value === 'string' },
  uniqueTexts: { wanted: 'a list of keys, each named once', holds: isUniqueTexts },
};

function isUniqueTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every(item => typeof item === 'string') && new Set(value).size === value.length;
}

function isNamesByKey(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every(isUniqueTexts);
}

function isDependencies(value: JsonValue): boolean {
  return isJsonObject(value) && Object.values(value).every(of => !Array.isArray(of) || isUniqueTexts(of));
}

function isAnchor(value: JsonValue): boolean {
  return typeof value === 'string' && /^[A-Za-z_][-\w.]*$/.test(value);
}

function wrong(keyword: string, wanted: string, pointer: string): Fault {
  return fault('InvalidSchema', pointer, `\`${keyword}\` must be ${wanted}.`);
}

function fault(code: string, pointer: string, message: string, hint?: string): Fault {
  return { code, severity: 'error', pointer, message, ...(hint === undefined ? {} : { hint }) };
}

function checkType(value: JsonValue, pointer: string): Fault[] {
  if (!Array.isArray(value)) return unknownType(value, pointer);
  if (!isUniqueTexts(value) || value.length === 0)
    return [wrong('type', 'a type or a list of different types', pointer)];
  return value.flatMap((type, index) => unknownType(type, pointerTo(pointer, index)));
}

function unknownType(type: JsonValue, pointer: string): Fault[] {
  if (typeof type === 'string' && TYPES.includes(type)) return [];
  const meant = typeof type === 'string' ? closest(type, TYPES) : undefined;
  const hint = meant === undefined ? `The types are ${TYPES.join(', ')}.` : `Did you mean \`${meant}\`?`;
  return [fault('InvalidSchema', pointer, `There is no type ${JSON.stringify(type)}.`, hint)];
}

function checkEnum(value: JsonValue, pointer: string): Fault[] {
  if (!Array.isArray(value)) return [wrong('enum', 'a list of values', pointer)];
  return value.length > 0 ? [] : [fault('NoOptions', pointer, '`enum` has no value to choose from.')];
}

function checkFormat(value: JsonValue, pointer: string): Fault[] {
  if (typeof value !== 'string') return [wrong('format', 'a text', pointer)];
  if (Object.hasOwn(FORMATS, value)) return [];
  const meant = closest(value, Object.keys(FORMATS));
  const hint = meant === undefined ? 'Use `pattern` to check a text.' : `Did you mean \`${meant}\`?`;
  const message = `The format "${value}" is not known, so nothing checks it.`;
  return [{ code: 'UnknownFormat', severity: 'warning', pointer, message, hint }];
}

function checkPattern(source: string, pointer: string): Fault[] {
  const problem = patternProblem(source);
  if (problem === undefined) return [];
  const hint = 'Patterns run in linear time: no look-around, no back references; a script is \\p{Han}.';
  return [fault('InvalidPattern', pointer, `The pattern cannot be used: ${problem}.`, hint)];
}
