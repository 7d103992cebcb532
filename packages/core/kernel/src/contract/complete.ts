import { CONTRACT_VERSION, ON_BUDGET_REACHED, TOOL_DEFAULTS } from './defaults.ts';
import type { ContractDefinition, ToolApproval, ToolContract } from './definition.ts';
import type { ContractDraft } from './draft.ts';

/** What a document says, with the defaults where it is silent. What a tool takes is never a default: without it, nothing. */
export function complete(draft: ContractDraft): ContractDefinition {
  const { tools = {}, prompts = [], budgets, version = CONTRACT_VERSION, ...rest } = draft;
  return {
    ...rest,
    version,
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, completeTool(tool)])),
    prompts: prompts.map(prompt => ({ ...prompt, priority: prompt.priority ?? 0 })),
    rules: draft.rules ?? [],
    outputRules: draft.outputRules ?? [],
    ...(budgets === undefined ? {} : { budgets: { onReached: ON_BUDGET_REACHED, ...budgets } }),
  };
}

export function completeTool(tool: Partial<ToolContract>): ToolContract {
  const { approval, ...rest } = tool;
  const asked = toApproval(approval);
  return {
    input: NO_ARGUMENTS,
    effect: TOOL_DEFAULTS.effect,
    bind: {},
    normalize: TOOL_DEFAULTS.normalize,
    sensitive: [],
    sensitiveOutput: [],
    writes: {},
    parallel: TOOL_DEFAULTS.parallel,
    ...rest,
    ...(tool.compensate === undefined ? {} : { compensate: { ...tool.compensate, args: tool.compensate.args ?? {} } }),
    ...(asked === undefined ? {} : { approval: asked }),
  };
}

const NO_ARGUMENTS = { type: 'object', additionalProperties: false };

/** Drafts hold `true` and `false` as written. */
export function toApproval(written: ToolApproval | boolean | undefined): ToolApproval | undefined {
  return written === true ? {} : written === false ? undefined : written;
}
