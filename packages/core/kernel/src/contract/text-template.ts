import type { Fault } from '../error/fault.ts';
import type { ExprEnv, Expression } from '../expression/expression.ts';
import { errorAt } from '../graph/check/fault.ts';
import type { ExpressionCompiler } from '../graph/expression-compiler.ts';
import type { JsonValue } from '../json/value.ts';

/** A text with `{{ CEL }}` in it. Texts are put in as they are, other values as JSON; null and nothing else as no text. */
export interface TextTemplate {
  readonly source: string;
  fill(bindings: Readonly<Record<string, unknown>>): TextResult;
}

export type TextResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

type Part = string | { readonly source: string; readonly offset: number };

export function compileTextTemplate(
  source: string,
  pointer: string,
  env: ExprEnv,
  compiler: ExpressionCompiler,
): TextTemplate {
  const { parts, fault } = split(source, pointer);
  if (fault !== undefined) compiler.faults.push(fault);
  const compiled = parts.map(part => (typeof part === 'string' ? part : compilePart(part, pointer, env, compiler)));
  return { source, fill: bindings => fill(compiled, bindings) };
}

function compilePart(
  part: { readonly source: string; readonly offset: number },
  pointer: string,
  env: ExprEnv,
  compiler: ExpressionCompiler,
): Expression {
  const before = compiler.faults.length;
  const expression = compiler.compile(part.source, pointer, env);
  for (const [index, fault] of compiler.faults.entries()) {
    if (index >= before) compiler.faults[index] = { ...fault, offset: part.offset + (fault.offset ?? 0) };
  }
  return expression;
}

function fill(parts: readonly (string | Expression)[], bindings: Readonly<Record<string, unknown>>): TextResult {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const result = part.evaluate(bindings);
    if (!result.ok) return { ok: false, reason: `${part.source.trim()}: ${result.reason}` };
    text += textOf(result.value);
  }
  return { ok: true, text };
}

function textOf(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const OPEN = '{{';
const CLOSE = '}}';

function split(source: string, pointer: string): { parts: Part[]; fault?: Fault } {
  const parts: Part[] = [];
  let at = 0;
  for (let open = source.indexOf(OPEN); open >= 0; open = source.indexOf(OPEN, at)) {
    const close = endOf(source, open + OPEN.length);
    if (close === undefined) {
      const message = 'The text opens `{{` and does not close it.';
      const fault = { ...errorAt(pointer, 'ExpressionSyntax', message, 'Close it with `}}`.'), offset: open };
      return { parts: [...parts, source.slice(at)], fault };
    }
    if (open > at) parts.push(source.slice(at, open));
    parts.push({ source: source.slice(open + OPEN.length, close), offset: open + OPEN.length });
    at = close + CLOSE.length;
  }
  if (at < source.length) parts.push(source.slice(at));
  return { parts };
}

/** Where the expression that starts at `from` ends: the first `}}` outside of texts and of maps that are open. */
function endOf(source: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const char = source[at]!;
    if (char === '"' || char === "'") at = endOfText(source, at);
    else if (depth === 0 && source.startsWith(CLOSE, at)) return at;
    else if (char === '{') depth++;
    else if (char === '}') depth--;
  }
  return undefined;
}

function endOfText(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === source[from]) return at;
  }
  return source.length;
}
