import { SignalboxError } from '../error/error.ts';
import { type JsonScanFault, JsonScanner, JsonScanStop } from './json-scanner.ts';
import { utf8Length } from './text.ts';
import { type JsonValue, MAX_JSON_DEPTH } from './value.ts';

export interface StrictJsonLimits {
  /** How deep arrays and objects may nest; `[]` is one deep. Default 64, never more than 1,000. */
  readonly maxDepth?: number;
  /** Size of the whole text in UTF-8. Default 8 MiB. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
/** The scanner recurses; beyond this it could exhaust the stack. */
const DEEPEST = 1_000;

/**
 * The one reader of JSON from outside: what is hashed, screened, shown and executed is one value.
 * Refused, beside what is no JSON: a key that stands twice, dangerous keys, too deep or too large a text, numbers beyond
 * 2^53 - 1 or too close to 0 for a double, NUL and lone surrogates (raw or escaped), anything after the value. -0 reads as 0.
 *
 * @throws SignalboxError `InvalidJson`, `details`: `pointer`, `offset` (UTF-16 units from 0), `line` and `column` (from 1),
 * `reason` (a {@link JsonRefusal}).
 */
export function parseStrictJson(text: string, limits: StrictJsonLimits = {}): JsonValue {
  const maxBytes = limits.maxBytes ?? DEFAULT_MAX_BYTES;
  if (exceeds(text, maxBytes)) {
    throw invalidJson(text, {
      reason: 'tooLarge',
      pointer: '',
      offset: 0,
      message: `the text is larger than ${maxBytes} bytes`,
    });
  }
  const scanner = new JsonScanner(text, Math.min(limits.maxDepth ?? MAX_JSON_DEPTH, DEEPEST));
  try {
    scanner.scan();
  } catch (error) {
    throw error instanceof JsonScanStop ? invalidJson(text, error.fault) : error;
  }
  return scanner.sawNegativeZero ? JSON.parse(text, withoutNegativeZero) : JSON.parse(text);
}

function exceeds(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || utf8Length(text) > maxBytes;
}

function withoutNegativeZero(_key: string, value: unknown): unknown {
  return value === 0 ? 0 : value;
}

function invalidJson(text: string, fault: JsonScanFault): SignalboxError {
  const { reason, pointer, offset, message, hint } = fault;
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  const line = before.length;
  const column = (before.at(-1) ?? '').length + 1;
  return new SignalboxError('InvalidJson', `Invalid JSON at line ${line}, column ${column}: ${message}.`, {
    ...(hint === undefined ? {} : { hint }),
    details: { pointer, offset, line, column, reason },
  });
}
