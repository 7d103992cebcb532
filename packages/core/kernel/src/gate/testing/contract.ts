import { compileContract } from '../../contract/compile-contract.ts';
import type { CompiledContract } from '../../contract/compiled-contract.ts';
import { readContract } from '../../contract/read-contract.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { judgeCall } from '../judge-call.ts';
import type { GateFacts, Judgement, ToolHistory } from '../judgement.ts';
import type { GateOptions } from '../options.ts';

/** A contract as a file would have it, with the tools by name; without an input schema one takes any object. */
export function contractOf(tools: Readonly<Record<string, JsonObject>>, rest: JsonObject = {}): CompiledContract {
  const allowed = Object.entries(tools).map(([name, tool]) => ({ name, input_schema: { type: 'object' }, ...tool }));
  const { definition, faults } = readContract({ agent_name: 'desk', allowed_tools: allowed, ...rest });
  if (definition === undefined) throw new Error(faults.map(fault => `${fault.pointer} ${fault.message}`).join('\n'));
  return compileContract(definition);
}

export function factsOf(facts: Partial<GateFacts> = {}): GateFacts {
  return { state: {}, now: Date.UTC(2026, 2, 4, 9), tools: {}, ...facts };
}

export function historyOf(history: Partial<ToolHistory>): ToolHistory {
  return { calls: 0, callsInNode: 0, succeeded: 0, failed: 0, failedInARow: 0, refused: 0, ...history };
}

/** Arguments that are no text are written as JSON first. */
export function judge(
  contract: CompiledContract,
  tool: string,
  args: JsonValue,
  facts: Partial<GateFacts> = {},
  options: GateOptions = {},
): Judgement {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return judgeCall(contract, { id: 'call_1', tool, arguments: text }, factsOf(facts), options);
}

/** What became of a call, at a glance: the arguments that the tool gets, or the code and the places. */
export function verdictOf(judgement: Judgement): JsonValue {
  if (judgement.verdict !== 'refused') return { [judgement.verdict]: judgement.args };
  const { code, issues } = judgement.refusal;
  return { [code]: issues?.map(issue => issue.pointer) ?? [] };
}
