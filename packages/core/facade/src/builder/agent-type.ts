import {
  compileJsonSchema,
  compileText,
  ExprType,
  type JsonObject,
  type JsonValue,
  SignalboxError,
} from '@signalbox/kernel';
import type { AgentTuning, ContractUse } from '@signalbox/runtime';
import { toBridge } from './agent-bridge.ts';
import { agentHandler } from './agent-handler.ts';
import type { BridgeOfNode, ToolCode } from './agent-parts.ts';
import { contractUse } from './contract-use.ts';
import type { NodeType } from './node-type.ts';
import { present } from './present.ts';
import { SEEN, seenIn } from './seen-in.ts';

/** What a node of type `agent` sets in a graph file; texts may hold `{{ CEL }}`. */
export interface AgentSettings extends AgentTuning {
  /** Path of the contract, from the folder of the graph file. */
  readonly contract: string;
  readonly system?: string;
  readonly prompt: string;
  /** JSON Schema of the reply. */
  readonly output?: JsonObject;
  readonly bridge?: BridgeOfNode;
}

const TEXT = { type: 'string', minLength: 1 };
const COUNT = { type: 'integer', minimum: 1 };

const SETTINGS = compileJsonSchema({
  type: 'object',
  required: ['model', 'contract', 'prompt'],
  additionalProperties: false,
  properties: {
    model: TEXT,
    cheaperModel: TEXT,
    contract: TEXT,
    system: TEXT,
    prompt: TEXT,
    output: { type: 'object' },
    maxTurns: COUNT,
    maxOutputTokens: COUNT,
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    maxRepairs: { type: 'integer', minimum: 0 },
    repairModel: TEXT,
    bridge: { type: 'object', additionalProperties: false, properties: { template: TEXT, maxChars: COUNT } },
    record: { enum: ['full', 'digest'] },
    confidence: {
      type: 'object',
      required: ['below'],
      additionalProperties: false,
      properties: {
        below: { type: 'number', minimum: 0, maximum: 1 },
        assignees: { type: 'array', items: TEXT, minItems: 1 },
      },
    },
  },
});

export interface AgentTypeOptions {
  /** Code behind the names of the contracts' tools. */
  readonly tools?: Readonly<Record<string, ToolCode>>;
  /** Default `agent`. */
  readonly type?: string;
  /** Raised by the author when the tools change their meaning; default 1. */
  readonly rev?: number;
}

/** The node type `agent` of graph files: `types: [agentType({ tools: { refund } })]`. */
export function agentType({
  tools = {},
  type = 'agent',
  rev = 1,
}: AgentTypeOptions = {}): NodeType<AgentSettings, JsonValue> {
  const uses = new Map<string, ContractUse>();
  const useOf = (path: string): ContractUse => {
    const use = uses.get(path) ?? contractUse(path);
    uses.set(path, use);
    return use;
  };
  const handler = agentHandler({
    tools,
    contract: ({ contract }) => (typeof contract === 'string' ? useOf(contract) : undefined),
    parts: (context: AgentTypeContext) => {
      const { contract, system, prompt, output, bridge, ...tuning } = context.with;
      return {
        ...tuning,
        ...present({
          system: system && fill(system, context),
          output: output && compileJsonSchema(output),
          bridge: bridge && toBridge(bridge),
        }),
        prompt: fill(prompt, context),
      };
    },
  });
  const key = `${type}@${rev}`;
  return Object.freeze({ type, rev, key, output: undefined, handler: { settings: SETTINGS, ...handler } });
}

interface AgentTypeContext {
  readonly with: AgentSettings;
}

const OPEN = { variables: Object.fromEntries(SEEN.map(name => [name, ExprType.dyn])) };

/** @throws SignalboxError `PromptFailed` */
function fill(text: string, context: AgentTypeContext): string {
  const { template, faults } = compileText(text, OPEN);
  const filled = template?.fill(seenIn(context));
  if (filled?.ok) return filled.text;
  const reason = filled?.reason ?? faults.map(({ message }) => message).join('; ');
  throw new SignalboxError('PromptFailed', `The prompt cannot be filled in: ${reason}.`, {
    hint: 'Write has(…) ? … : … or orValue where something may be absent.',
    details: { reason },
  });
}
