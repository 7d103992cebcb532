import type { CompiledContract, CompiledTool } from '../contract/compiled-contract.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { GateFacts } from './judgement.ts';
import { saysSensitive } from './masked.ts';
import { Sight } from './sight.ts';
import { type ToolResult, toolOf } from './tool-result.ts';

export type CompensatingCall =
  | { readonly ok: true; readonly tool: CompiledTool; readonly args: JsonObject; readonly idempotencyKey?: string }
  | { readonly ok: false; readonly message: string };

/**
 * The call that undoes one that was done, as the contract declares it; undefined where it declares none.
 *  1. It is the author's and no wish of an agent: `when`, `bind`, limits, rules and approvals are not asked.
 *  2. Its arguments fit the schema of its tool all the same, and nothing of them is normalized.
 */
export function compensatingCall(
  contract: CompiledContract,
  done: ToolResult,
  facts: GateFacts,
): CompensatingCall | undefined {
  const tool = toolOf(contract, done);
  if (tool.compensate === undefined) return undefined;
  const by = toolOf(contract, { ...done, tool: tool.compensate.tool });
  const sight = new Sight(contract, facts);
  sight.args = done.args;
  sight.output = done.output;
  const args: Record<string, JsonValue> = {};
  for (const [name, expression] of tool.compensate.args) {
    const result = expression.evaluate(sight);
    if (!result.ok) return { ok: false, message: `\`${name}\` of \`${by.name}\` ${why(tool, done, result.reason)}.` };
    args[name] = result.value;
  }
  return fitting(by, args, facts, contract);
}

function fitting(by: CompiledTool, args: JsonObject, facts: GateFacts, contract: CompiledContract): CompensatingCall {
  const valid = by.input.validate(args);
  if (!valid.ok) {
    const said = valid.issues.map(({ pointer, message }) => `${pointer || 'it'} ${message}`).join('; ');
    return { ok: false, message: `The arguments of \`${by.name}\` do not fit its schema: ${said}.` };
  }
  const fit = { ok: true, tool: by, args: valid.value as JsonObject } as const;
  if (by.idempotencyKey === undefined) return fit;
  const sight = new Sight(contract, facts);
  sight.args = fit.args;
  const key = by.idempotencyKey.evaluate(sight);
  if (key.ok && typeof key.value === 'string' && key.value !== '') return { ...fit, idempotencyKey: key.value };
  return { ok: false, message: `\`${by.idempotencyKey.source}\` gives no idempotency key for \`${by.name}\`.` };
}

function why(tool: CompiledTool, { args, output }: ToolResult, reason: string): string {
  const sensitive = saysSensitive(reason, args, tool.sensitive) || saysSensitive(reason, output, tool.sensitiveOutput);
  return `cannot be evaluated${sensitive ? '' : `: ${reason}`}`;
}
