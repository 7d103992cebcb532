import { RE2JS } from 're2js';

/**
 * A `pattern` of a schema or a field. It may match anywhere in the text (JSON Schema), so `^` and `$` are the author's
 * to write. Matching takes time linear in the text, by characters as code points; look-around and back references,
 * which no linear engine has, are refused.
 */
export interface Pattern {
  readonly source: string;
  test(text: string): boolean;
  /** Distinct for distinct sources: ajv keys its patterns by it. */
  toString(): string;
}

/** Escapes that mean in JSON Schema's dialect (ECMA-262 with `u`) what they mean here. Digits are left to the engine. */
const LETTER_ESCAPES = new Set('dDwWsSbBnrtvfcxupP');
const MOST_KEPT = 1000;
const kept = new Map<string, Pattern>();

/** Throws an `Error` whose message says what is wrong with the pattern. */
export function compilePattern(source: string): Pattern {
  const known = kept.get(source);
  if (known !== undefined) return known;
  for (const [whole, escaped] of source.matchAll(/\\(.)/gs)) {
    if (/[A-Za-z]/.test(escaped!) && !LETTER_ESCAPES.has(escaped!))
      throw new Error(`the escape ${whole} is not supported`);
  }
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  const pattern: Pattern = { source, test: text => compiled.test(text), toString: () => source };
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(source, pattern);
  return pattern;
}

/** What is wrong with a pattern, or undefined. */
export function patternProblem(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
  }
}
