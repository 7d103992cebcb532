import type { BridgeOptions, CompiledContract, Validator } from '@signalbox/kernel';
import type { ConfidenceThreshold } from './low-confidence.ts';
import type { ModelRecords, PromptVersion } from './request-record.ts';

/** What of an agent is plain data, wherever it is written: in code or in a graph file. */
export interface AgentTuning {
  /** `provider/model`, such as `openai/gpt-5-mini`. */
  readonly model: string;
  /** Goes on where a budget of the contract is reached that says `onReached: degrade`. */
  readonly cheaperModel?: string;
  /** Asked to mend what is wrong with a call or a reply, instead of `model`: a small one may do. */
  readonly repairModel?: string;
  /** Calls of the model in one visit; default 12. */
  readonly maxTurns?: number;
  /** How often the model is shown what is wrong with its calls or its reply; default 2. */
  readonly maxRepairs?: number;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /**
   * A reply that is less sure than that (by its member `confidence`, 0 to 1) is put to a person; the contract's own threshold
   * holds beside it.
   */
  readonly confidence?: ConfidenceThreshold;
  /** What the log keeps of what the model is told: every text once (`full`), or who and how much. Default: what the box says. */
  readonly record?: ModelRecords;
}

/** An agent node, ready to run. */
export interface AgentSpec extends AgentTuning {
  readonly contract: CompiledContract;
  /** What the agent is, as the author wrote it. */
  readonly system?: string;
  /** What it is to do now. */
  readonly prompt: string;
  /** Of the reply; absent: its text is the output. The contract's own output schema holds beside it. */
  readonly output?: Validator;
  /** How results become texts for the prompt, where the contract does not say it. */
  readonly bridge?: BridgeOptions;
  /** The files that system prompt and prompt are made of. */
  readonly prompts?: readonly PromptVersion[];
}

export const AGENT_DEFAULTS = { maxTurns: 12, maxRepairs: 2, maxOutputTokens: 4_096 } as const;
