import { type Fault, pointerTo } from '../error/fault.ts';
import { DANGEROUS_KEYS, hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { compileWithAjv } from './ajv.ts';
import { checkKeyword } from './check-keyword.ts';
import { checkLoops } from './check-loops.ts';
import { checkAnchors, checkTarget, isReference, REFERENCES } from './check-references.ts';
import { checkSiblings } from './check-siblings.ts';
import { closest } from './closest.ts';
import { copyJson, mentions } from './copy-json.ts';
import type { Issue } from './issue.ts';
import { KEYWORDS } from './keywords.ts';
import { hasOwnBase, schemaWithin } from './refs.ts';
import { subSchemas } from './sub-schemas.ts';

/**
 * All that is wrong with a JSON Schema 2020-12, at `pointer` and below: `InvalidSchema`, `InvalidPattern`, `NoOptions`,
 * `DangerousKey`, `AsyncSchema`, and `DefaultOutOfBounds` for a default that its own schema refuses. Warnings:
 * `UnknownKeyword` (a near miss of a keyword, which JSON Schema would ignore), `UnknownFormat` (not checked).
 * Another dialect named by `$schema` is read as 2020-12.
 */
export function checkJsonSchema(schema: JsonObject, pointer: string): Fault[] {
  const faults = checkSchemaShape(schema, pointer);
  return faults.some(fault => fault.severity === 'error') ? faults : [...faults, ...checkUse({ schema, pointer })];
}

/** The part of {@link checkJsonSchema} that needs no generated code: everything but defaults. */
export function checkSchemaShape(schema: JsonObject, pointer: string): Fault[] {
  const faults: Fault[] = [];
  checkKeys(schema, pointer, faults);
  checkSchema(schema, pointer, schema, faults);
  faults.push(...checkAnchors(schema, pointer));
  return faults.some(({ severity }) => severity === 'error') ? faults : [...faults, ...checkLoops(schema, pointer)];
}

interface Root {
  readonly schema: JsonObject;
  readonly pointer: string;
}

function checkSchema(schema: JsonValue, pointer: string, root: JsonObject, faults: Fault[]): void {
  if (typeof schema === 'boolean') return;
  if (!isJsonObject(schema)) {
    faults.push({ code: 'InvalidSchema', severity: 'error', pointer, message: 'A schema must be an object.' });
    return;
  }
  if ((schema.$async ?? false) !== false) {
    const message = 'An asynchronous schema cannot be used.';
    faults.push({ code: 'AsyncSchema', severity: 'error', pointer: pointerTo(pointer, '$async'), message });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const place = pointerTo(pointer, keyword);
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined) faults.push(...misspelled(keyword, place));
    else faults.push(...checkKeyword(keyword, kind, value, place));
    if (isReference(keyword) && typeof value === 'string') faults.push(...checkTarget(value, place, root));
  }
  faults.push(...checkSiblings(schema, pointer));
  for (const sub of subSchemas(schema, pointer)) checkSchema(sub.schema, sub.pointer, root, faults);
}

function misspelled(keyword: string, pointer: string): Fault[] {
  if (keyword.startsWith('x-') || keyword.length < 4) return [];
  const meant = closest(keyword, KEYWORDS.keys());
  if (meant === undefined) return [];
  const message = `\`${keyword}\` is not a keyword of JSON Schema and checks nothing.`;
  return [{ code: 'UnknownKeyword', severity: 'warning', pointer, message, hint: `Did you mean \`${meant}\`?` }];
}

/** Wherever it stands, in a value as well: such a key would reach a prototype. */
function checkKeys(value: JsonValue, pointer: string, faults: Fault[]): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      checkKeys(item, pointerTo(pointer, index), faults);
    });
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const place = pointerTo(pointer, key);
      if (DANGEROUS_KEYS.has(key)) {
        const message = `\`${key}\` is not allowed as a key.`;
        faults.push({ code: 'DangerousKey', severity: 'error', pointer: place, message });
      } else checkKeys(member, place, faults);
    }
  }
}

function checkUse(root: Root): Fault[] {
  try {
    if (hasOwnBase(root.schema)) compileWithAjv(root.schema);
    return checkDefaults(root.schema, root.pointer, root);
  } catch (error) {
    const message = `The schema cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
    const hint = 'Leave `$id` out where nothing refers to it: #/$defs/address points into the same schema without it.';
    return [{ code: 'InvalidSchema', severity: 'error', pointer: root.pointer, message, hint }];
  }
}

function checkDefaults(schema: JsonValue, pointer: string, root: Root): Fault[] {
  if (!isJsonObject(schema)) return [];
  const nested = subSchemas(schema, pointer).flatMap(sub => checkDefaults(sub.schema, sub.pointer, root));
  if (!hasKey(schema, 'default')) return nested;
  const issues = refusals(schema, pointer, root);
  return [
    ...issues.map(issue => defaultFault(pointerTo(pointer, 'default') + issue.pointer, issue.message)),
    ...nested,
  ];
}

function defaultFault(pointer: string, message: string): Fault {
  const text = `The default is outside its own bounds: it ${message}.`;
  return { code: 'DefaultOutOfBounds', severity: 'error', pointer, message: text };
}

/** Why a schema refuses its own default. Its references resolve in the root, so it is compiled inside it where it has any. */
function refusals(schema: JsonObject, pointer: string, root: Root): readonly Issue[] {
  const used = REFERENCES.some(keyword => mentions(schema, keyword));
  const check = compileWithAjv(used ? schemaWithin(root.schema, pointer.slice(root.pointer.length)) : schema);
  return check(copyJson(schema.default!)) ?? [];
}
