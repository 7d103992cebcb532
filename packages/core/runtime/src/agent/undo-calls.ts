import {
  type CompiledContract,
  compensatingCall,
  type DoneCall,
  masked,
  type Run,
  SignalboxError,
} from '@signalbox/kernel';
import { executeTool } from '../gate/execute-tool.ts';
import { VisitFacts } from '../gate/gate-facts.ts';
import { toolContext } from '../gate/tool-context.ts';
import type { EffectTools } from '../journal/effect-tools.ts';
import type { TaskExecution } from '../journal/execution.ts';
import { PERMANENT } from '../journal/handler.ts';
import type { AgentNode, AgentWorld } from './agent-node.ts';

export type ToolsOfAgent = Pick<AgentNode, 'contract' | 'tool'>;

/**
 * Undoes the calls of one visit, the last first, each as its contract declares.
 *  1. One that cannot be undone holds up none of the others; the first error is thrown when all were tried.
 *  2. Nothing of it is recorded, so at another attempt all are undone again: each under a key that is always the same.
 */
export async function undoCalls(
  execution: TaskExecution,
  run: Run,
  calls: readonly DoneCall[],
  by: ToolsOfAgent,
  world: AgentWorld,
): Promise<void> {
  const contract = await world.contract(run.contracts?.[by.contract] ?? '');
  const errors: unknown[] = [];
  for (const call of calls.toReversed()) {
    try {
      await undo(execution, run, call, { contract, by, world });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

interface Undoing {
  readonly contract: CompiledContract;
  readonly by: ToolsOfAgent;
  readonly world: AgentWorld;
}

async function undo(
  execution: TaskExecution,
  run: Run,
  call: DoneCall,
  { contract, by, world: { secrets } }: Undoing,
): Promise<void> {
  const facts = new VisitFacts(execution, run, contract, { keys: new Map(), view: execution.token.state }).now;
  const undoing = compensatingCall(contract, call, facts);
  if (undoing === undefined) return;
  if (!undoing.ok) throw invalid(call, undoing.message);
  const { name, definition } = undoing.tool;
  const tool = by.tool(name);
  if (tool === undefined) throw invalid(call, `There is no code behind \`${name}\`.`);
  const { clock } = execution;
  const { args, idempotencyKey: key } = undoing;
  execution.conceal(args, masked(args, undoing.tool.sensitive));
  const effect = async (tools: EffectTools) => {
    const context = toolContext(execution, secrets, tools);
    const output = await executeTool({ contract, name, tool, args, facts, clock }, context);
    execution.conceal(output, masked(output, undoing.tool.sensitiveOutput));
    return output;
  };
  await execution.perform(`undo:${call.op}`, effect, {
    kind: 'tool',
    class: 'repeat',
    timeout: definition.timeout,
    key,
  });
}

/** It would be no better at another attempt. */
function invalid({ tool }: DoneCall, why: string): Error {
  const error = new SignalboxError('CompensationInvalid', `A call of "${tool}" cannot be undone: ${why}`, {
    hint: 'Undo it by hand, and mend `compensate` in the contract.',
    details: { tool },
  });
  return Object.assign(error, { [PERMANENT]: true });
}
