import { type Fault, pointerTo } from '../error/fault.ts';
import { isHighSurrogate, isLowSurrogate } from './text.ts';
import { DANGEROUS_KEYS } from './value.ts';

/** Why a text is not strict JSON. `integerTooLarge` is any number beyond 2^53 - 1: none there is held exactly. */
export type JsonRefusal =
  | 'syntax'
  | 'trailing'
  | 'duplicateKey'
  | 'dangerousKey'
  | 'tooDeep'
  | 'tooLarge'
  | 'integerTooLarge'
  | 'numberTooLarge'
  | 'numberTooSmall'
  | 'nul'
  | 'loneSurrogate';

/** One refusal with its place: `pointer` to the value or key, `offset` in UTF-16 units from the start of the text. */
export interface JsonScanFault extends Pick<Fault, 'pointer' | 'message' | 'hint'> {
  readonly reason: JsonRefusal;
  readonly offset: number;
}

/** Thrown inside this folder only, to leave the recursion; `parseStrictJson` turns it into a SignalboxError. */
export class JsonScanStop extends Error {
  readonly fault: JsonScanFault;

  constructor(fault: JsonScanFault) {
    super(fault.message);
    this.fault = fault;
  }
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const ARRAY_OPEN = 0x5b;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;

const HEX4 = /^[0-9a-fA-F]{4}$/;
const SIMPLE_ESCAPES = '"\\/bfnrt';
/** So many digits always stay below 2^53. */
const SAFE_DIGITS = 15;

/**
 * Looks at every character of a JSON text once and builds nothing.
 *
 * 1. A text that passes is accepted by `JSON.parse`, which reads from it exactly what was looked at here.
 * 2. `path` holds the tokens down to where `offset` is; only the first `held` of them are current.
 * 3. Keys are compared and judged as they read after unescaping.
 * 4. No text with NUL or a lone surrogate gets into a fault: a fault is itself stored.
 */
export class JsonScanner {
  /** Whether a negative zero was met, which `JSON.parse` would hand on as one. */
  sawNegativeZero = false;
  private readonly text: string;
  private readonly maxDepth: number;
  private readonly path: (string | number)[] = [];
  private held = 0;
  private offset = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  scan(): void {
    this.skipSpace();
    this.scanValue(0);
    this.skipSpace();
    if (this.offset < this.text.length) this.unexpected('the end of the text', 'trailing');
  }

  private scanValue(depth: number): void {
    const code = this.text.charCodeAt(this.offset);
    if (code === QUOTE) this.scanString();
    else if (code === OBJECT_OPEN) this.scanObject(depth);
    else if (code === ARRAY_OPEN) this.scanArray(depth);
    else if (code === MINUS || isDigit(code)) this.scanNumber();
    else if (!(this.skipWord('true') || this.skipWord('false') || this.skipWord('null'))) this.unexpected('a value');
  }

  private scanObject(depth: number): void {
    if (this.open(depth, OBJECT_CLOSE)) return;
    const keys = new Set<string>();
    do {
      this.held = depth;
      if (this.text.charCodeAt(this.offset) !== QUOTE) this.unexpected('a key in double quotes');
      this.scanKey(depth, keys);
      this.skipSpace();
      if (this.text.charCodeAt(this.offset) !== COLON) this.unexpected('":"');
      this.offset++;
      this.skipSpace();
      this.scanValue(depth + 1);
    } while (this.continues(OBJECT_CLOSE, '"," or "}"'));
    this.held = depth;
  }

  private scanArray(depth: number): void {
    if (this.open(depth, ARRAY_CLOSE)) return;
    let index = 0;
    do {
      this.path[depth] = index++;
      this.held = depth + 1;
      this.scanValue(depth + 1);
    } while (this.continues(ARRAY_CLOSE, '"," or "]"'));
    this.held = depth;
  }

  /** Steps over the opening bracket; true when the container is empty and closed as well. */
  private open(depth: number, close: number): boolean {
    if (depth >= this.maxDepth) this.refuse('tooDeep', `nested deeper than ${this.maxDepth}`);
    this.offset++;
    this.skipSpace();
    if (this.text.charCodeAt(this.offset) !== close) return false;
    this.offset++;
    return true;
  }

  private continues(close: number, expected: string): boolean {
    this.skipSpace();
    const code = this.text.charCodeAt(this.offset);
    if (code !== COMMA && code !== close) this.unexpected(expected);
    this.offset++;
    if (code === close) return false;
    this.skipSpace();
    return true;
  }

  private scanKey(depth: number, keys: Set<string>): void {
    const start = this.offset;
    const escaped = this.scanString();
    const raw = this.text.slice(start + 1, this.offset - 1);
    const key = escaped ? (JSON.parse(`"${raw}"`) as string) : raw;
    this.path[depth] = key;
    this.held = depth + 1;
    if (DANGEROUS_KEYS.has(key)) this.refuse('dangerousKey', `the key ${quoted(key)} is not allowed`, { at: start });
    if (keys.size === keys.add(key).size)
      this.refuse('duplicateKey', `the key ${quoted(key)} stands twice`, { at: start });
  }

  /** True when the string holds an escape. */
  private scanString(): boolean {
    const text = this.text;
    let escaped = false;
    for (let at = this.offset + 1; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.offset = at + 1;
        return escaped;
      }
      if (code === BACKSLASH) {
        escaped = true;
        at = this.scanEscape(at);
      } else if (code >= 0xd800 && code <= 0xdfff) {
        if (!isHighSurrogate(code) || !isLowSurrogate(text.charCodeAt(at + 1))) this.loneSurrogate(at);
        at++;
      } else if (!(code >= 0x20)) this.rawControl(at);
    }
  }

  /** `at` is the backslash; gives the last character of the escape (of both halves, for a pair). */
  private scanEscape(at: number): number {
    const kind = this.text.charCodeAt(at + 1);
    if (kind !== LOWER_U) {
      if (SIMPLE_ESCAPES.includes(this.text.charAt(at + 1) || ' ')) return at + 1;
      this.refuse('syntax', `no escape of JSON: ${this.charAt(at + 1)} after a backslash`, { at });
    }
    const code = this.hexAt(at);
    if (code === 0) this.refuse('nul', 'NUL (U+0000) in a text', { at, hint: NUL_HINT });
    if (isLowSurrogate(code)) this.loneSurrogate(at);
    if (!isHighSurrogate(code)) return at + 5;
    if (!this.text.startsWith('\\u', at + 6) || !isLowSurrogate(this.hexAt(at + 6))) this.loneSurrogate(at);
    return at + 11;
  }

  private hexAt(at: number): number {
    const digits = this.text.slice(at + 2, at + 6);
    if (!HEX4.test(digits)) this.refuse('syntax', '\\u must be followed by four hexadecimal digits', { at });
    return Number.parseInt(digits, 16);
  }

  private scanNumber(): void {
    const start = this.offset;
    const negative = this.text.charCodeAt(start) === MINUS;
    if (negative) this.offset++;
    if (this.text.charCodeAt(this.offset) === ZERO) this.offset++;
    else this.skipDigits();
    let plain = true;
    if (this.text.charCodeAt(this.offset) === DOT) {
      plain = false;
      this.offset++;
      this.skipDigits();
    }
    const mark = this.text.charCodeAt(this.offset);
    if (mark === LOWER_E || mark === UPPER_E) {
      plain = false;
      this.offset++;
      const sign = this.text.charCodeAt(this.offset);
      if (sign === PLUS || sign === MINUS) this.offset++;
      this.skipDigits();
    }
    if (!plain || negative || this.offset - start > SAFE_DIGITS)
      this.checkNumber(start, this.text.slice(start, this.offset));
  }

  private checkNumber(at: number, numeral: string): void {
    const number = Number(numeral);
    if (number === 0) {
      if (/^[^eE]*[1-9]/.test(numeral)) this.refuse('numberTooSmall', 'a number too close to 0 for a double', { at });
      if (numeral.startsWith('-')) this.sawNegativeZero = true;
    }
    if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return;
    const reason = Number.isFinite(number) ? 'integerTooLarge' : 'numberTooLarge';
    this.refuse(reason, 'a number beyond 2^53 - 1, which a double does not hold exactly', {
      at,
      hint: 'Send it as text, under `format: int64` where it is an integer.',
    });
  }

  private skipDigits(): void {
    if (!isDigit(this.text.charCodeAt(this.offset))) this.unexpected('a digit');
    do this.offset++;
    while (isDigit(this.text.charCodeAt(this.offset)));
  }

  private skipWord(word: string): boolean {
    if (!this.text.startsWith(word, this.offset)) return false;
    this.offset += word.length;
    return true;
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.offset);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.offset++;
    }
  }

  private loneSurrogate(at: number): never {
    this.refuse('loneSurrogate', 'half a surrogate pair in a text', {
      at,
      hint: 'A character was cut in two before the text was sent; cut between code points.',
    });
  }

  private rawControl(at: number): never {
    this.offset = at;
    if (at >= this.text.length) this.unexpected('a closing double quote');
    if (this.text.charCodeAt(at) === 0) this.refuse('nul', 'NUL (U+0000) in a text', { hint: NUL_HINT });
    this.refuse('syntax', `a control character (${this.charAt(at)}) in a text`, { hint: 'Write it as an escape.' });
  }

  private unexpected(expected: string, reason: JsonRefusal = 'syntax'): never {
    const nul = this.text.charCodeAt(this.offset) === 0;
    this.refuse(nul ? 'nul' : reason, `expected ${expected}, found ${this.charAt(this.offset)}`);
  }

  private charAt(at: number): string {
    if (at >= this.text.length) return 'the end of the text';
    const code = this.text.charCodeAt(at);
    if (code > 0x20 && code < 0x7f) return `"${this.text.charAt(at)}"`;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }

  private refuse(reason: JsonRefusal, message: string, place: { at?: number; hint?: string } = {}): never {
    const pointer = this.path.slice(0, this.held).reduce<string>(pointerTo, '');
    const hint = place.hint === undefined ? {} : { hint: place.hint };
    throw new JsonScanStop({ reason, message, pointer, offset: place.at ?? this.offset, ...hint });
  }
}

const NUL_HINT = 'Not every store can hold it. Send binary data as base64.';

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function quoted(key: string): string {
  const points = [...key.slice(0, 120)].slice(0, 40).join('');
  return JSON.stringify(points.length < key.length ? `${points}…` : key);
}
