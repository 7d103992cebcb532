import type { JsonObject } from '@signalbox/kernel';
import type { Tool, ToolContext } from '@signalbox/ports';
import type { AgentTuning } from '@signalbox/runtime';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Prompt } from '../loader/load-prompt.ts';
import type { ContractChoice } from './contract-use.ts';

/** What a tool does: a function of its arguments, or an object with `execute`. */
export type ToolCode = Tool | ((args: JsonObject, context: ToolContext) => unknown);

/**
 * A text, how it is made from what the node sees, or a prompt of `loadPrompt`: it sees `input`, `state`, `nodes`, `answers`,
 * `given` and `session`, and its hash is part of the graph's version and of the record of the calls.
 */
export type PromptOf<Context> = string | Prompt | ((context: Context) => string | Promise<string>);

/** How results of tools become texts for the prompt, where the contract does not say it of a tool. */
export interface BridgeOfNode {
  /** With `{{ CEL }}` over `tool` (its name), `args`, `output` and the rest of what a contract sees. */
  readonly template?: string;
  /** Code points; default 4,000. */
  readonly maxChars?: number;
}

/**
 * An agent: a model that works by a prompt, and reaches the world by the tools that its contract allows and in no other way.
 * `contract` is a path to its file, which is read anew at each start of a run, or the contract itself.
 */
export interface AgentParts<Context> extends AgentTuning {
  readonly contract: ContractChoice;
  /** Code behind the names of the contract's tools. */
  readonly tools?: Readonly<Record<string, ToolCode>>;
  /** What the agent is. */
  readonly system?: PromptOf<Context>;
  /** What it is to do. */
  readonly prompt: PromptOf<Context>;
  readonly output?: StandardSchemaV1;
  readonly bridge?: BridgeOfNode;
  /** Raised by the author when prompt or tools change their meaning; default 1. */
  readonly rev?: number;
}
