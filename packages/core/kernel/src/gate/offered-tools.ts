import type { CompiledContract, CompiledTool } from '../contract/compiled-contract.ts';
import type { GateFacts, RefusalCode } from './judgement.ts';
import type { GateOptions } from './options.ts';
import { historyOf, Sight } from './sight.ts';

/** Why a tool cannot be called at present, whatever the arguments. */
export interface Withheld {
  readonly tool: string;
  readonly code: Extract<RefusalCode, 'notAllowed' | 'disabledInState' | 'limitReached' | 'historyOfFailures'>;
  /** A sentence, for the model and for people. */
  readonly reason: string;
}

export interface OfferedTools {
  /** In the order of the contract. */
  readonly offered: readonly string[];
  /** In the order of the contract, then the known tools that it does not have. */
  readonly withheld: readonly Withheld[];
}

/** Which tools the model is told of, and which not and why. A tool that is offered may still be refused for its arguments. */
export function offeredTools(contract: CompiledContract, facts: GateFacts, options: GateOptions = {}): OfferedTools {
  const sight = new Sight(contract, facts);
  const offered: string[] = [];
  const withheld: Withheld[] = [];
  for (const tool of contract.tools.values()) {
    const why = disabled(tool, sight) ?? usedUp(tool, facts);
    if (why === undefined) offered.push(tool.name);
    else withheld.push(why);
  }
  for (const name of options.known ?? []) if (!contract.tools.has(name)) withheld.push(notAllowed(name));
  return { offered, withheld };
}

export function notAllowed(tool: string): Withheld {
  return { tool, code: 'notAllowed', reason: `The contract does not have the tool \`${tool}\`.` };
}

/** Whether the contract's `when` closes the tool; one that cannot be evaluated does. */
export function disabled({ name, when }: CompiledTool, sight: Sight): Withheld | undefined {
  if (when === undefined) return undefined;
  const result = when.evaluate(sight);
  if (result.ok && result.value === true) return undefined;
  const why = result.ok ? `it needs \`${when.source}\`` : `\`${when.source}\` cannot be evaluated: ${result.reason}`;
  return {
    tool: name,
    code: 'disabledInState',
    reason: `The tool \`${name}\` cannot be called in this state: ${why}.`,
  };
}

/** Whether the calls so far leave no further one. A run without a session is a session of its own. */
export function usedUp(tool: CompiledTool, facts: GateFacts): Withheld | undefined {
  const { limits } = tool.definition;
  if (limits === undefined) return undefined;
  const { calls, callsInNode, callsInSession = calls, failedInARow } = historyOf(tool.name, facts);
  const reached = [
    { limit: limits.perRun, count: calls, per: 'run' },
    { limit: limits.perNode, count: callsInNode, per: 'visit of a node' },
    { limit: limits.perSession, count: callsInSession, per: 'session' },
  ].find(({ limit, count }) => limit !== undefined && count >= limit);
  if (reached !== undefined) {
    const reason = `The tool \`${tool.name}\` may be called ${times(reached.limit!)} per ${reached.per}, and was called ${times(reached.count)}.`;
    return { tool: tool.name, code: 'limitReached', reason };
  }
  if (limits.failuresInARow === undefined || failedInARow < limits.failuresInARow) return undefined;
  const reason = `The tool \`${tool.name}\` failed ${times(failedInARow)} in a row and is not called again.`;
  return { tool: tool.name, code: 'historyOfFailures', reason };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
