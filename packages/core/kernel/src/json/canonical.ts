import { SignalboxError } from '../error/error.ts';
import { isWellFormedText } from './text.ts';
import type { JsonValue } from './value.ts';

/**
 * The one text of a value on which two parties must agree (RFC 8785): no space, keys sorted by UTF-16 code units.
 * Numbers and texts are written by ECMAScript's own rules, as the RFC has it.
 *
 * @throws SignalboxError `InvalidValue` for undefined, NaN and the like, and lone surrogates: a digest of a guess would be worse
 * than none.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return canonicalText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object') return refuse(String(value));
  if (Array.isArray(value)) return `[${Array.from(value as readonly JsonValue[], canonicalJson).join(',')}]`;
  const object = value as { readonly [key: string]: JsonValue };
  let members = '';
  for (const key of Object.keys(object).sort()) {
    members += `${members === '' ? '' : ','}${canonicalText(key)}:${canonicalJson(object[key]!)}`;
  }
  return `{${members}}`;
}

/** Texts that stand as they are between their quotes; most keys and many values are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function canonicalText(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return isWellFormedText(text) ? JSON.stringify(text) : refuse('half a surrogate pair');
}

function refuse(what: string): never {
  throw new SignalboxError('InvalidValue', `No canonical JSON can be written: the value holds ${what}.`, {
    hint: 'Pass the value through assertJsonValue first, which names the place.',
  });
}
