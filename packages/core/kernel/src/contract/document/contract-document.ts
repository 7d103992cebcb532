import type { Amounts } from '../../budget/amounts.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { TOOL_DEFAULTS } from '../defaults.ts';
import type { ContractDefinition, ToolContract } from '../definition.ts';

/** The document of a contract: what `readContract` makes of it is that contract again. What it extended is worked in. */
export function contractDocument(definition: ContractDefinition): JsonObject {
  const { name, version, description, tools, prompts, rules, budgets, output, outputRules, confidence } = definition;
  return without({
    version,
    agent_name: name,
    description,
    allowed_tools: Object.entries(tools).map(([tool, contract]) => toolDocument(tool, contract)),
    dynamic_prompts: unlessEmpty(prompts.map(prompt => ({ ...prompt, priority: unless(prompt.priority, 0) }))),
    rules: unlessEmpty(rules),
    budgets: budgets && {
      run: amountsDocument(budgets.run),
      session: amountsDocument(budgets.session),
      tenant_per_day: amountsDocument(budgets.tenantPerDay),
      on_reached: budgets.onReached,
    },
    output_schema: output,
    output_rules: unlessEmpty(outputRules),
    confidence,
  });
}

function toolDocument(name: string, tool: ToolContract): JsonObject {
  const { approval, limits, retry, bridge } = tool;
  return without({
    name,
    description: tool.description,
    effect: tool.effect,
    input_schema: tool.input,
    output_schema: tool.output,
    when: tool.when,
    bind: unlessEmpty(tool.bind),
    normalize: unless(tool.normalize, TOOL_DEFAULTS.normalize),
    approval: approval && (Object.keys(approval).length === 0 ? true : snakeKeys(approval)),
    idempotency_key: tool.idempotencyKey,
    timeout: tool.timeout,
    retry: retry && snakeKeys(retry),
    limits: limits && snakeKeys(limits),
    sensitive: unlessEmpty(tool.sensitive),
    sensitive_output: unlessEmpty(tool.sensitiveOutput),
    writes: writesDocument(tool.writes),
    compensate: tool.compensate,
    bridge: bridge && snakeKeys(bridge),
    parallel: unless(tool.parallel, TOOL_DEFAULTS.parallel),
    cost: amountsDocument(tool.cost),
  });
}

/** A map of exactly `key` and `value` would be read as one write. */
function writesDocument(writes: ToolContract['writes']): JsonValue | undefined {
  const entries = Object.entries(writes);
  if (entries.length === 0) return undefined;
  if (entries.some(([key]) => key !== 'key' && key !== 'value')) return writes;
  return entries.map(([key, value]) => ({ key, value }));
}

function amountsDocument(amounts: Amounts | undefined): JsonValue | undefined {
  if (amounts === undefined) return undefined;
  const { time, money, ...counts } = amounts;
  return without({
    ...snakeKeys(counts),
    money: money && `${money.amount} ${money.currency}`,
    time: time === undefined ? undefined : `${time}ms`,
  });
}

function snakeKeys(value: object): Record<string, unknown> {
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  return Object.fromEntries(
    entries.map(([key, member]) => [key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`), member]),
  );
}

function unless<Value>(value: Value, silent: Value): Value | undefined {
  return value === silent ? undefined : value;
}

function unlessEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** Without members that are `undefined`, at any depth. */
function without(members: object): JsonObject {
  return plain(members) as JsonObject;
}

function plain(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value as JsonValue)) return value as JsonValue;
  const kept = Object.entries(value as Readonly<Record<string, unknown>>).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, plain(member)]));
}
