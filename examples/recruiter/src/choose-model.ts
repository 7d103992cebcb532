import { createModels } from '@signalbox/models-ai-sdk';
import type { ModelPort } from 'signalbox';
import { RULES, RuleModel } from './rule-model.ts';
import { createUnderstanding } from './understand.ts';

export interface ChosenModel {
  /** `provider/model`, or `rules/recruiter`. */
  readonly name: string;
  readonly models: ModelPort;
}

/** A language model where the environment has a key or an address for one; else rules, which say that they are. */
export function chooseModel(env: NodeJS.ProcessEnv = process.env): ChosenModel {
  const name = env.RECRUITER_MODEL ?? defaultName(env);
  return name === RULES
    ? { name, models: new RuleModel(createUnderstanding()) }
    : { name, models: createModels({ secrets: key => env[key] }) };
}

function defaultName({ OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_BASE_URL }: NodeJS.ProcessEnv): string {
  if (OPENAI_BASE_URL) return 'openai-compatible/default';
  if (OPENAI_API_KEY) return 'openai/gpt-5-mini';
  return ANTHROPIC_API_KEY ? 'anthropic/claude-haiku-4-5' : RULES;
}
