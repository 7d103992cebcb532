import { fromStandardSchema, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { Tool } from '@signalbox/ports';
import type { AgentNode } from '@signalbox/runtime';
import { toBridge } from './agent-bridge.ts';
import type { AgentParts, PromptOf, ToolCode } from './agent-parts.ts';
import { contractUse } from './contract-use.ts';
import type { Handler } from './handler.ts';
import type { NodeOptions } from './node-spec.ts';
import { present } from './present.ts';
import type { StateTypes } from './state-types.ts';

/** See `AgentParts`. */
export type AgentOptions<Context, State extends StateTypes = StateTypes, Ref extends string = string> = NodeOptions<
  State,
  Ref
> &
  AgentParts<Context>;

type AnyAgent = AgentOptions<never>;

/** What of an agent is data, and part of the graph's version. */
export function agentSettings(options: AnyAgent): JsonObject {
  const { model, cheaperModel, contract, maxTurns, maxOutputTokens, temperature, maxRepairs, tools = {} } = options;
  const { confidence, repairModel, bridge } = options;
  const text = (prompt: PromptOf<never> | undefined) => (typeof prompt === 'string' ? prompt : undefined);
  return present({
    model,
    cheaperModel,
    contract: contractUse(contract).reference,
    tools: Object.keys(tools),
    system: text(options.system),
    prompt: text(options.prompt),
    maxTurns,
    maxOutputTokens,
    temperature,
    maxRepairs,
    repairModel,
    bridge,
    confidence,
  }) as unknown as JsonObject;
}

interface AgentContext {
  agent(node: AgentNode): Promise<JsonValue>;
}

interface UndoContext {
  undoCalls(by: Pick<AgentNode, 'contract' | 'tool'>): Promise<void>;
}

export function agentHandler(options: AnyAgent): Handler {
  const { contract, tools = {}, output } = options;
  const use = contractUse(contract);
  const validator = output && fromStandardSchema(output);
  const bridge = options.bridge && toBridge(options.bridge);
  const tool = (name: string) => toTool(Object.hasOwn(tools, name) ? tools[name] : undefined);
  return {
    contract: () => use,
    execute: async (context: AgentContext) =>
      await context.agent({
        ...present({
          model: options.model,
          cheaperModel: options.cheaperModel,
          system: await textOf(options.system, context),
          maxTurns: options.maxTurns,
          maxOutputTokens: options.maxOutputTokens,
          temperature: options.temperature,
          maxRepairs: options.maxRepairs,
          repairModel: options.repairModel,
          bridge,
          confidence: options.confidence,
          record: options.record,
          output: validator,
        }),
        model: options.model,
        prompt: (await textOf(options.prompt, context)) ?? '',
        contract: use.reference,
        tool,
        known: Object.keys(tools),
      }),
    undo: async (context: UndoContext) => await context.undoCalls({ contract: use.reference, tool }),
  };
}

async function textOf(prompt: PromptOf<never> | undefined, context: AgentContext): Promise<string | undefined> {
  return typeof prompt === 'function' ? await (prompt as PromptFunction)(context) : prompt;
}

type PromptFunction = (context: AgentContext) => string | Promise<string>;

export function toTool(code: ToolCode | undefined): Tool | undefined {
  return typeof code === 'function' ? { execute: code } : code;
}
