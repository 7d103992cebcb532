import type { JsonObject, JsonValue } from '@signalbox/kernel';
import type { Tool } from '@signalbox/ports';
import type { AgentNode, ContractUse } from '@signalbox/runtime';
import type { ToolCode } from './agent-parts.ts';
import type { Handler } from './handler.ts';

/** Where an agent's parts come from: code, or what a node sets in a graph file. */
export interface AgentSource<Context> {
  readonly tools: Readonly<Record<string, ToolCode>>;
  /** Undefined where the settings of the node name none. */
  contract(settings: JsonObject): ContractUse | undefined;
  /** At each execution, from what the node sees. */
  parts(context: Context): VisitParts | Promise<VisitParts>;
}

/** All that is left where contract and tools are taken care of. */
export type VisitParts = Omit<AgentNode, 'contract' | 'tool' | 'known'>;

interface AgentContext {
  readonly with: JsonObject;
  agent(node: AgentNode): Promise<JsonValue>;
}

interface UndoContext {
  readonly with: JsonObject;
  undoCalls(by: Pick<AgentNode, 'contract' | 'tool'>): Promise<void>;
}

export function agentHandler<Context>({ tools, contract, parts }: AgentSource<Context>): Handler {
  const known = Object.keys(tools);
  const tool = (name: string) => toTool(Object.hasOwn(tools, name) ? tools[name] : undefined);
  const calls = (settings: JsonObject) => ({ contract: contract(settings)!.reference, tool });
  return {
    contract,
    execute: async (context: AgentContext & Context) =>
      await context.agent({ ...(await parts(context)), known, ...calls(context.with) }),
    undo: async (context: UndoContext) => await context.undoCalls(calls(context.with)),
  };
}

function toTool(code: ToolCode | undefined): Tool | undefined {
  return typeof code === 'function' ? { execute: code } : code;
}
