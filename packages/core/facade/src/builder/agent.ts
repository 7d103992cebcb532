import { fromStandardSchema, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { Tool, ToolContext } from '@signalbox/ports';
import type { AgentNode } from '@signalbox/runtime';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type ContractChoice, contractUse } from './contract-use.ts';
import type { Handler } from './handler.ts';
import type { NodeOptions } from './node-spec.ts';
import { present } from './present.ts';
import type { StateTypes } from './state-types.ts';

/** What a tool does: a function of its arguments, or an object with `execute`. */
export type ToolCode = Tool | ((args: JsonObject, context: ToolContext) => unknown);

/** A text, or how it is made from what the node sees. */
export type PromptOf<Context> = string | ((context: Context) => string | Promise<string>);

/**
 * An agent: a model that works by a prompt, and reaches the world by the tools that its contract allows and in no other way.
 * `contract` is a path to its file, which is read anew at each start of a run, or the contract itself.
 */
export interface AgentOptions<Context, State extends StateTypes = StateTypes, Ref extends string = string>
  extends NodeOptions<State, Ref> {
  /** `provider/model`, such as `openai/gpt-5-mini`. */
  readonly model: string;
  /** Goes on where a budget of the contract is reached that says `onReached: degrade`. */
  readonly cheaperModel?: string;
  readonly contract: ContractChoice;
  /** Code behind the names of the contract's tools. */
  readonly tools?: Readonly<Record<string, ToolCode>>;
  /** What the agent is. */
  readonly system?: PromptOf<Context>;
  /** What it is to do. */
  readonly prompt: PromptOf<Context>;
  readonly output?: StandardSchemaV1;
  /** Calls of the model in one visit; default 12. */
  readonly maxTurns?: number;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** How often the model is shown what is wrong with its calls or its reply; default 2. */
  readonly maxRepairs?: number;
  /** Raised by the author when prompt or tools change their meaning; default 1. */
  readonly rev?: number;
}

type AnyAgent = AgentOptions<never>;

/** What of an agent is data, and part of the graph's version. */
export function agentSettings(options: AnyAgent): JsonObject {
  const { model, cheaperModel, contract, maxTurns, maxOutputTokens, temperature, maxRepairs, tools = {} } = options;
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
  }) as unknown as JsonObject;
}

interface AgentContext {
  agent(node: AgentNode): Promise<JsonValue>;
}

export function agentHandler(options: AnyAgent): Handler {
  const { contract, tools = {}, output } = options;
  const use = contractUse(contract);
  const validator = output && fromStandardSchema(output);
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
          output: validator,
        }),
        model: options.model,
        prompt: (await textOf(options.prompt, context)) ?? '',
        contract: use.reference,
        tool: name => toTool(Object.hasOwn(tools, name) ? tools[name] : undefined),
        known: Object.keys(tools),
      }),
  };
}

async function textOf(prompt: PromptOf<never> | undefined, context: AgentContext): Promise<string | undefined> {
  return typeof prompt === 'function' ? await (prompt as PromptFunction)(context) : prompt;
}

type PromptFunction = (context: AgentContext) => string | Promise<string>;

export function toTool(code: ToolCode | undefined): Tool | undefined {
  return typeof code === 'function' ? { execute: code } : code;
}
