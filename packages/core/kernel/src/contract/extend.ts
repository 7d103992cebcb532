import { typeOfSchema } from '../expression/schema-type.ts';
import type { JsonObject } from '../json/value.ts';
import { leadsSomewhere } from './check/pointers.ts';
import { complete, completeTool, toApproval } from './complete.ts';
import type { ContractDefinition, ToolApproval, ToolContract } from './definition.ts';
import type { ContractDraft } from './draft.ts';

/**
 * What a contract that extends another one comes to. What it leaves out is the base's; conditions are conjoined, rules,
 * bonds and sensitive places added, everything else takes the place of the base's. That nothing is wider for it is to be
 * shown by comparing the two. What the child says comes first, so that its indexes are those of its document.
 */
export function extend(draft: ContractDraft, base: ContractDefinition): ContractDefinition {
  const { tools: written, rules = [], prompts, outputRules = [], budgets, confidence, ...rest } = complete(draft);
  const tools = draft.tools === undefined ? base.tools : mergeTools(draft.tools, base);
  const mergedBudgets = draft.budgets === undefined ? base.budgets : mergeBudgets(draft.budgets, base.budgets);
  const mergedConfidence = confidence === undefined ? base.confidence : { ...base.confidence, ...confidence };
  const output = draft.output ?? base.output;
  return {
    ...rest,
    tools,
    prompts: [...prompts, ...base.prompts],
    rules: [...rules, ...rulesOf(base, tools)],
    outputRules: [...outputRules, ...base.outputRules],
    ...(output === undefined ? {} : { output }),
    ...(mergedBudgets === undefined ? {} : { budgets: mergedBudgets }),
    ...(mergedConfidence === undefined ? {} : { confidence: mergedConfidence }),
  };
}

function mergeTools(
  drafts: NonNullable<ContractDraft['tools']>,
  base: ContractDefinition,
): ContractDefinition['tools'] {
  return Object.fromEntries(
    Object.entries(drafts).map(([name, draft]) => [
      name,
      Object.hasOwn(base.tools, name) ? mergeTool(draft, base.tools[name]!) : completeTool(draft),
    ]),
  );
}

function mergeTool(draft: Partial<ToolContract>, base: ToolContract): ToolContract {
  const { when, approval, bind, limits, sensitive = [], sensitiveOutput = [], ...rest } = draft;
  const condition = joined(when, '&&', base.when);
  const asked = mergeApproval(approval, base.approval);
  const { when: _when, approval: _approval, ...kept } = base;
  return {
    ...kept,
    ...rest,
    bind: { ...base.bind, ...bind },
    sensitive: union(leadingInto(draft.input, base.sensitive), sensitive),
    sensitiveOutput: union(leadingInto(draft.output, base.sensitiveOutput), sensitiveOutput),
    ...(draft.compensate === undefined
      ? {}
      : { compensate: { ...draft.compensate, args: draft.compensate.args ?? {} } }),
    ...(base.limits === undefined && limits === undefined ? {} : { limits: { ...base.limits, ...limits } }),
    ...(condition === undefined ? {} : { when: condition }),
    ...(asked === undefined ? {} : { approval: asked }),
  };
}

/** A condition of the child's own is added to the base's; where the base always asks, it is for the comparison to refuse. */
function mergeApproval(
  written: ToolApproval | boolean | undefined,
  base: ToolApproval | undefined,
): ToolApproval | undefined {
  if (written === undefined || base === undefined) return written === undefined ? base : toApproval(written);
  if (written === false) return undefined;
  const { when, ...others } = base;
  if (written === true) return others;
  const condition =
    written.when === undefined ? when : when === undefined ? written.when : joined(written.when, '||', when);
  return { ...others, ...written, ...(condition === undefined ? {} : { when: condition }) };
}

function joined(own: string | undefined, operator: '&&' | '||', base: string | undefined): string | undefined {
  if (own === undefined || base === undefined) return own ?? base;
  return `(${own}) ${operator} (${base})`;
}

/** Places that a schema of the child's own has not any more are nobody's to mask. */
function leadingInto(schema: JsonObject | undefined, pointers: readonly string[]): readonly string[] {
  if (schema === undefined) return pointers;
  const type = typeOfSchema(schema);
  return pointers.filter(pointer => leadsSomewhere(pointer, type));
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...b, ...a])];
}

function mergeBudgets(
  draft: NonNullable<ContractDraft['budgets']>,
  base: ContractDefinition['budgets'],
): NonNullable<ContractDefinition['budgets']> {
  const scopes = (['run', 'session', 'tenantPerDay'] as const)
    .filter(scope => draft[scope] !== undefined || base?.[scope] !== undefined)
    .map(scope => [scope, { ...base?.[scope], ...draft[scope] }] as const);
  return { ...Object.fromEntries(scopes), onReached: draft.onReached ?? base?.onReached ?? 'stop' };
}

/** Rules of tools that the child does not have would name what is not there. */
function rulesOf(base: ContractDefinition, tools: ContractDefinition['tools']): ContractDefinition['rules'] {
  return base.rules.flatMap(rule => {
    if (rule.tools === undefined) return [rule];
    const left = rule.tools.filter(tool => Object.hasOwn(tools, tool));
    return left.length === 0 ? [] : [{ ...rule, tools: left }];
  });
}
