import { fromStandardSchema, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { Tool } from '@signalbox/ports';
import type { AgentNode, PromptVersion } from '@signalbox/runtime';
import type { Prompt } from '../loader/load-prompt.ts';
import { toBridge } from './agent-bridge.ts';
import type { AgentParts, PromptOf, ToolCode } from './agent-parts.ts';
import { contractUse } from './contract-use.ts';
import type { Handler } from './handler.ts';
import type { NodeOptions } from './node-spec.ts';
import { present } from './present.ts';
import { seenIn } from './seen-in.ts';
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
  return present({
    model,
    cheaperModel,
    contract: contractUse(contract).reference,
    tools: Object.keys(tools),
    system: dataOf(options.system),
    prompt: dataOf(options.prompt),
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
  const prompts = [options.system, options.prompt].filter(prompt => typeof prompt === 'object').map(versionOf);
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
          prompts: prompts.length === 0 ? undefined : prompts,
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

/** What of a prompt is data: what a function makes is the code's to say. */
function dataOf(prompt: PromptOf<never> | undefined): JsonValue | undefined {
  return typeof prompt === 'object' ? { ...versionOf(prompt) } : typeof prompt === 'string' ? prompt : undefined;
}

function versionOf({ name, hash }: Prompt): PromptVersion {
  return { name, hash };
}

async function textOf(prompt: PromptOf<never> | undefined, context: AgentContext): Promise<string | undefined> {
  if (typeof prompt === 'object') return prompt.fill(seenIn(context));
  return typeof prompt === 'function' ? await (prompt as PromptFunction)(context) : prompt;
}

type PromptFunction = (context: AgentContext) => string | Promise<string>;

export function toTool(code: ToolCode | undefined): Tool | undefined {
  return typeof code === 'function' ? { execute: code } : code;
}
