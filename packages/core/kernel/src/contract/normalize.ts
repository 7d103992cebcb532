import { RETRY_DEFAULTS } from '../graph/defaults.ts';
import type { RetryPolicy } from '../graph/definition.ts';
import { duration, type Parts, sorted, text, texts, unlessEmpty, without } from '../graph/normalize-parts.ts';
import { digestOf } from '../json/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { normalizedSchema } from '../schema/normalize.ts';
import { ON_BUDGET_REACHED, TOOL_DEFAULTS } from './defaults.ts';
import type { CallRule, ContractDefinition, DynamicPrompt, ToolApproval, ToolContract } from './definition.ts';

/**
 * The form of a contract that is hashed: what judges alike is written alike. These are one:
 * 1. Tools and keys in any order; members that are absent or hold their default.
 * 2. The version that the author gave it, and its description. What the agent is told stays: descriptions of tools,
 *    messages of rules, prompts.
 * 3. Schemas that differ in annotations and spelling only, as `normalizedSchema` has it.
 * 4. Durations of one length: `60s`, `1m`. Sets in any order: `sensitive`, assignees, the tools of a rule.
 * 5. White space around an expression.
 */
export function normalizedContract(definition: ContractDefinition): JsonObject {
  const { name, tools, prompts, rules, budgets, output, outputRules, confidence } = definition;
  type Hashed = Omit<Parts<ContractDefinition>, 'version' | 'description' | 'extends'>;
  return plain(
    without<Hashed>({
      name,
      tools: Object.fromEntries(Object.entries(tools).map(([tool, contract]) => [tool, normalizeTool(contract)])),
      prompts: unlessEmpty(prompts.map(normalizePrompt)),
      rules: unlessEmpty(rules.map(normalizeRule)),
      budgets: unlessEmpty(budgets && { ...budgets, onReached: unless(budgets.onReached, ON_BUDGET_REACHED) }),
      output: output && normalizedSchema(output),
      outputRules: unlessEmpty(outputRules.map(({ assert, message }) => ({ assert: text(assert), message }))),
      confidence: confidence && { ...confidence, assignees: sorted(confidence.assignees) },
    }),
  ) as JsonObject;
}

/** `sha256:` and 64 hexadecimal digits: the identity of a contract. */
export function hashOf(definition: ContractDefinition): string {
  return digestOf(normalizedContract(definition));
}

function normalizeTool(tool: ToolContract) {
  const { approval, compensate } = tool;
  const parts: Parts<ToolContract> = {
    description: tool.description,
    input: normalizedSchema(tool.input),
    output: tool.output && normalizedSchema(tool.output),
    effect: unless(tool.effect, TOOL_DEFAULTS.effect),
    when: tool.when && text(tool.when),
    bind: unlessEmpty(texts(tool.bind)),
    normalize: unless(tool.normalize, TOOL_DEFAULTS.normalize),
    approval: approval && normalizeApproval(approval),
    idempotencyKey: tool.idempotencyKey && text(tool.idempotencyKey),
    timeout: unless(duration(tool.timeout), duration(TOOL_DEFAULTS.timeout)),
    retry: tool.retry && normalizeRetry(tool.retry),
    limits: unlessEmpty(tool.limits),
    sensitive: unlessEmpty(sorted(tool.sensitive)),
    sensitiveOutput: unlessEmpty(sorted(tool.sensitiveOutput)),
    writes: unlessEmpty(texts(tool.writes)),
    compensate: compensate && { tool: compensate.tool, args: unlessEmpty(texts(compensate.args)) },
    bridge: unlessEmpty(tool.bridge),
    parallel: unless(tool.parallel, TOOL_DEFAULTS.parallel),
    cost: unlessEmpty(tool.cost),
  };
  return without(parts);
}

function normalizeApproval(approval: ToolApproval) {
  const parts: Parts<ToolApproval> = {
    when: approval.when && text(approval.when),
    assignees: unlessEmpty(sorted(approval.assignees)),
    quorum: unless(approval.quorum, 1),
    fourEyes: unless(approval.fourEyes, false),
    deadline: duration(approval.deadline),
    title: approval.title,
  };
  return without(parts);
}

function normalizeRetry(retry: RetryPolicy) {
  const parts: Parts<RetryPolicy> = {
    attempts: retry.attempts,
    backoff: unless(duration(retry.backoff), `${RETRY_DEFAULTS.backoff}ms`),
    factor: unless(retry.factor, RETRY_DEFAULTS.factor),
    maxBackoff: unless(duration(retry.maxBackoff), `${RETRY_DEFAULTS.maxBackoff}ms`),
    jitter: unless(retry.jitter, RETRY_DEFAULTS.jitter),
    on: sorted(retry.on),
  };
  return without(parts);
}

function normalizeRule({ tools, assert, message }: CallRule) {
  return without<Parts<CallRule>>({ tools: sorted(tools), assert: text(assert), message });
}

function normalizePrompt({ condition, template, priority }: DynamicPrompt) {
  return without<Parts<DynamicPrompt>>({ condition: text(condition), template, priority: unless(priority, 0) });
}

function unless<Value>(value: Value, silent: Value): Value | undefined {
  return value === silent ? undefined : value;
}

/** Without the members that are `undefined`, which are no JSON. */
function plain(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value as JsonValue;
  const kept = Object.entries(value).filter(([, member]) => (member as unknown) !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, plain(member)]));
}
