import { pointerTo } from '../error/fault.ts';
import type { ExprType } from '../expression/expr-type.ts';
import type { ExprEnv, Expression } from '../expression/expression.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import type { ExpressionCompiler } from './expression-compiler.ts';
import type { Template } from './program.ts';

type Filled = ReturnType<Template['fill']>;
type Fill = (bindings: Readonly<Record<string, unknown>>) => Filled;

/** `{ cel: "…" }` and nothing else in it. */
export function isCel(value: JsonValue | undefined): value is { readonly cel: string } {
  return isJsonObject(value) && typeof value.cel === 'string' && Object.keys(value).length === 1;
}

export function hasCel(value: JsonValue): boolean {
  if (isCel(value)) return true;
  if (Array.isArray(value)) return value.some(hasCel);
  return isJsonObject(value) && Object.values(value).some(hasCel);
}

/** `expected` is the type of what a `{ cel }` at the top gives. Parts without CEL are shared with the definition, not copied. */
export function compileTemplate(
  value: JsonValue,
  pointer: string,
  env: ExprEnv,
  compiler: ExpressionCompiler,
  expected?: ExprType,
): Template {
  const fill = fillOf(value, pointer, env, compiler, expected);
  return fill === undefined ? { constant: value, fill: () => ({ ok: true, value }) } : { constant: undefined, fill };
}

/** Undefined where nothing has to be filled in. */
function fillOf(
  value: JsonValue,
  pointer: string,
  env: ExprEnv,
  compiler: ExpressionCompiler,
  expected?: ExprType,
): Fill | undefined {
  if (!hasCel(value)) return undefined;
  if (isCel(value)) return fillWith(compiler.compile(value.cel, `${pointer}/cel`, env, expected));
  const members = Object.entries(value as object).map(([key, member]: [string, JsonValue]) => ({
    key,
    fill: fillOf(member, pointerTo(pointer, key), env, compiler) ?? (() => ({ ok: true as const, value: member })),
  }));
  const isList = Array.isArray(value);
  return bindings => {
    const filled: [string, JsonValue][] = [];
    for (const { key, fill } of members) {
      const result = fill(bindings);
      if (!result.ok) return result;
      filled.push([key, result.value]);
    }
    return { ok: true, value: isList ? filled.map(([, member]) => member) : Object.fromEntries(filled) };
  };
}

function fillWith(expression: Expression): Fill {
  return bindings => {
    const result = expression.evaluate(bindings);
    return result.ok ? result : { ok: false, reason: `${expression.source}: ${result.reason}` };
  };
}
