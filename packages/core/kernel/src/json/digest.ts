import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical.ts';
import type { JsonValue } from './value.ts';

/** Crockford's alphabet in lower case: no i, l, o, u. */
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const SHORT_ID_LENGTH = 26;

/** SHA-256 of the UTF-8 of `text`, 64 hexadecimal digits in lower case. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** `sha256:` and the hash of the canonical JSON: equal for equal values, whatever their key order. */
export function digestOf(value: JsonValue): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** `prefix` and 26 base32 characters, the first 130 bits of SHA-256 of `text`. The same text gives the same id, after a crash too. */
export function shortId(prefix: string, text: string): string {
  const bytes = sha256(utf8ToBytes(text));
  let id = prefix;
  let bits = 0;
  let held = 0;
  for (let i = 0; id.length < prefix.length + SHORT_ID_LENGTH; ) {
    if (held < 5) {
      bits = ((bits << 8) | bytes[i++]!) & 0xfff;
      held += 8;
    }
    held -= 5;
    id += BASE32.charAt((bits >> held) & 31);
  }
  return id;
}
