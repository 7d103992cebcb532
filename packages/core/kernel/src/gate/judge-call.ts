import type { CompiledContract } from '../contract/compiled-contract.ts';
import { digestOf } from '../json/digest.ts';
import type { JsonObject } from '../json/value.ts';
import { checkBound } from './check-bound.ts';
import { checkBudget } from './check-budget.ts';
import { checkLimits } from './check-limits.ts';
import { checkRules } from './check-rules.ts';
import { findTool } from './find-tool.ts';
import { fitArguments } from './fit-arguments.ts';
import type { GateFacts, Judgement, ToolCall } from './judgement.ts';
import { offeredTools } from './offered-tools.ts';
import type { GateOptions } from './options.ts';
import { Passage, type Stop } from './passage.ts';
import { readArguments } from './read-arguments.ts';

/**
 * What the gate says of a call: refused, ready, or to be approved. A pure function: the same contract, call, facts and
 * options give the same judgement.
 *
 * 1. Stages are passed in the order of `GateStageName`, each once; the first that refuses is the last.
 * 2. An expression that cannot be evaluated closes: the tool is left out, the call refused, or a person asked.
 * 3. `args` satisfies the schema of the tool, and is what was read, rules that fired and defaults that were added apart.
 * 4. No sensitive value stands in the stages or in a refusal.
 */
export function judgeCall(
  contract: CompiledContract,
  call: ToolCall,
  facts: GateFacts,
  options: GateOptions = {},
): Judgement {
  const passage = new Passage(contract, call, facts, options);
  const stop = pass(passage);
  if (stop !== undefined) return refused(passage, stop);
  const { stages, args, idempotencyKey } = passage;
  const { effect } = passage.tool.definition;
  const version: JsonObject = options.version === undefined ? {} : { version: options.version };
  return {
    call,
    stages,
    contract: contract.hash,
    verdict: asks(passage) ? 'approval' : 'ready',
    args,
    subject: digestOf({ tool: call.tool, ...version, contract: contract.hash, effect, args }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(passage.asksBudget ? { asksBudget: true as const } : {}),
  };
}

function pass(passage: Passage): Stop | undefined {
  const read = readArguments(passage);
  if ('code' in read) return read;
  return (
    findTool(passage) ??
    fitArguments(passage, read.value) ??
    checkBound(passage) ??
    checkLimits(passage) ??
    checkRules(passage) ??
    checkBudget(passage)
  );
}

/** The stage `approval`. */
function asks(passage: Passage): boolean {
  const { definition, approvalWhen } = passage.tool;
  const why = definition.approval === undefined ? undefined : whyAsk(passage, approvalWhen);
  if (why === undefined) passage.pass('approval');
  else passage.stages.push({ stage: 'approval', outcome: 'asks', reason: why, code: 'needsApproval' });
  return why !== undefined;
}

function whyAsk(passage: Passage, when: Passage['tool']['approvalWhen']): string | undefined {
  if (when === undefined) return 'every call is approved';
  const result = when.evaluate(passage.sight);
  if (!result.ok) return passage.unevaluable(when, result.reason);
  return result.value === false ? undefined : `\`${when.source}\` holds`;
}

function refused({ contract, call, facts, options, stages }: Passage, stop: Stop): Judgement {
  const { code, message, issues, retryable = false } = stop;
  const { offered } = offeredTools(contract, facts, options);
  const isSpent = stages.at(-1)?.stage === 'budget';
  return {
    call,
    stages,
    contract: contract.hash,
    verdict: 'refused',
    refusal: {
      code,
      message,
      ...(issues === undefined ? {} : { issues }),
      allowed: isSpent ? offered.filter(name => name !== call.tool) : offered,
      retryable,
    },
  };
}
