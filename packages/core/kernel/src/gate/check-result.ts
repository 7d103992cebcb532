import type { CompiledContract, CompiledTool } from '../contract/compiled-contract.ts';
import type { JsonValue } from '../json/value.ts';
import type { Issue } from '../schema/issue.ts';
import type { GateFacts } from './judgement.ts';
import { saysSensitive } from './masked.ts';
import { Sight } from './sight.ts';
import { type ToolResult, toolOf } from './tool-result.ts';

/**
 * `output` is what came out of the schema, `writes` what it changes, by state key. A result that fits no schema, or of which
 * a write cannot be made, is recorded as done and failed: the effect is there and is not repeated.
 */
export type CheckedResult =
  | { readonly ok: true; readonly output: JsonValue; readonly writes: Readonly<Record<string, JsonValue>> }
  | { readonly ok: false; readonly message: string; readonly issues: readonly Issue[] };

/** `facts` are those of now, with the call that was made among the tools' histories or not, as the caller keeps them. */
export function checkResult(contract: CompiledContract, result: ToolResult, facts: GateFacts): CheckedResult {
  const tool = toolOf(contract, result);
  const validation = tool.output?.validate(result.output) ?? { ok: true, value: result.output };
  if (!validation.ok) return notFitting(result.tool, validation.issues);
  return withWrites(tool, { ...result, output: validation.value }, new Sight(contract, facts));
}

function notFitting(tool: string, issues: readonly Issue[]): CheckedResult {
  const said = issues.map(({ pointer, message }) => `${pointer || 'it'} ${message}`).join('; ');
  return { ok: false, message: `The result of \`${tool}\` does not fit its schema: ${said}.`, issues };
}

function withWrites(tool: CompiledTool, { args, output }: ToolResult, sight: Sight): CheckedResult {
  sight.args = args;
  sight.output = output;
  const writes: Record<string, JsonValue> = {};
  for (const [key, expression] of tool.writes) {
    const result = expression.evaluate(sight);
    if (!result.ok) return unwritten(tool, { args, output }, key, result.reason);
    writes[key] = result.value;
  }
  return { ok: true, output, writes };
}

function unwritten(
  { name, sensitive: ofArgs, sensitiveOutput: ofOutput }: CompiledTool,
  { args, output }: Pick<ToolResult, 'args' | 'output'>,
  key: string,
  reason: string,
): CheckedResult {
  const sensitive = saysSensitive(reason, args, ofArgs) || saysSensitive(reason, output, ofOutput);
  const why = sensitive ? 'it cannot be evaluated' : reason;
  return { ok: false, message: `The result of \`${name}\` cannot be written to \`${key}\`: ${why}.`, issues: [] };
}
