import type { BridgeOptions, CompiledContract, Validator } from '@signalbox/kernel';
import type { ConfidenceThreshold } from './low-confidence.ts';
import type { ModelRecords, PromptVersion } from './request-record.ts';

/** An agent node, ready to run. */
export interface AgentSpec {
  readonly contract: CompiledContract;
  /** `provider/model`. */
  readonly model: string;
  /** Goes on where a budget that degrades is reached. */
  readonly cheaperModel?: string;
  /** What the agent is, as the author wrote it. */
  readonly system?: string;
  /** What it is to do now. */
  readonly prompt: string;
  /** Calls of the model in one visit; default 12. */
  readonly maxTurns?: number;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Of the reply; absent: its text is the output. The contract's own output schema holds beside it. */
  readonly output?: Validator;
  /** A reply less sure than that is put to a person; the contract's own threshold holds beside it. */
  readonly confidence?: ConfidenceThreshold;
  /** How results become texts for the prompt, where the contract does not say it. */
  readonly bridge?: BridgeOptions;
  /** The files that system prompt and prompt are made of. */
  readonly prompts?: readonly PromptVersion[];
  /** What the log keeps of its requests; default: what the box says. */
  readonly record?: ModelRecords;
  /** How often the model is shown what is wrong with its calls or its reply; default 2. */
  readonly maxRepairs?: number;
  /** Is shown it instead of `model`. */
  readonly repairModel?: string;
}

export const AGENT_DEFAULTS = { maxTurns: 12, maxRepairs: 2, maxOutputTokens: 4_096 } as const;
