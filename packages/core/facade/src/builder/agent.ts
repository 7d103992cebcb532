import { fromStandardSchema, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { AgentTuning, PromptVersion } from '@signalbox/runtime';
import type { Prompt } from '../loader/load-prompt.ts';
import { toBridge } from './agent-bridge.ts';
import { agentHandler } from './agent-handler.ts';
import type { AgentParts, PromptOf } from './agent-parts.ts';
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

/** What of an agent in code is data, and part of the graph's version. What the log keeps is none of what it does. */
export function agentSettings({ contract, tools = {}, system, prompt, bridge, ...options }: AnyAgent): JsonObject {
  const { record, ...tuning } = tuningOf(options);
  return present({
    ...tuning,
    contract: contractUse(contract).reference,
    tools: Object.keys(tools),
    system: dataOf(system),
    prompt: dataOf(prompt),
    bridge,
  }) as unknown as JsonObject;
}

/** The handler of an agent in code. */
export function codedAgent({ contract, tools = {}, system, prompt, output, bridge, ...options }: AnyAgent): Handler {
  const use = contractUse(contract);
  const prompts = [system, prompt].filter(text => typeof text === 'object').map(versionOf);
  const fixed = present({
    ...tuningOf(options),
    output: output && fromStandardSchema(output),
    bridge: bridge && toBridge(bridge),
    prompts: prompts.length === 0 ? undefined : prompts,
  });
  return agentHandler({
    tools,
    contract: () => use,
    parts: async (context: never) => ({
      ...fixed,
      ...present({ system: system && (await textOf(system, context)) }),
      prompt: await textOf(prompt, context),
    }),
  });
}

function tuningOf(options: AgentTuning): AgentTuning {
  const { model, cheaperModel, repairModel, maxTurns, maxRepairs, maxOutputTokens, temperature } = options;
  const { confidence, record } = options;
  const models = { model, cheaperModel, repairModel };
  return present({ ...models, maxTurns, maxRepairs, maxOutputTokens, temperature, confidence, record });
}

/** What of a prompt is data: what a function makes is the code's to say. */
function dataOf(prompt: PromptOf<never> | undefined): JsonValue | undefined {
  return typeof prompt === 'object' ? { ...versionOf(prompt) } : typeof prompt === 'string' ? prompt : undefined;
}

function versionOf({ name, hash }: Prompt): PromptVersion {
  return { name, hash };
}

async function textOf(prompt: PromptOf<never>, context: never): Promise<string> {
  if (typeof prompt === 'object') return prompt.fill(seenIn(context));
  return typeof prompt === 'function' ? await prompt(context) : prompt;
}
