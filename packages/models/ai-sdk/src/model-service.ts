import type { ProviderV3 } from '@ai-sdk/provider';
import type { JsonObject } from '@signalbox/kernel';

/** What services have in common. */
export interface Service {
  /** Where the service is, with its version: `https://api.openai.com/v1`; or `secret:NAME`. */
  readonly baseUrl?: string;
  /** `secret:NAME` of the API key. */
  readonly key?: string;
  /** More headers; a value may be `secret:NAME`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Settings of the provider package, sent with each call as they are, such as `{ reasoningEffort: 'low' }`. */
  readonly options?: JsonObject;
}

/** `api`: default `responses`. */
export interface OpenAIService extends Service {
  readonly kind: 'openai';
  readonly api?: 'responses' | 'chat';
}

export interface AnthropicService extends Service {
  readonly kind: 'anthropic';
}

/** Whatever speaks `/chat/completions`. */
export interface CompatibleService extends Service {
  readonly kind: 'openai-compatible';
  readonly baseUrl: string;
  /** Does it take a JSON Schema for its reply (`response_format`)? Default false: the schema is put into the prompt. */
  readonly structuredOutput?: boolean;
}

/** A provider package of the AI SDK, made by the caller, keys and all. */
export interface SdkService {
  readonly kind: 'ai-sdk';
  readonly provider: Pick<ProviderV3, 'languageModel'>;
  /** Default true. */
  readonly structuredOutput?: boolean;
  readonly options?: JsonObject;
}

export type ModelService = OpenAIService | AnthropicService | CompatibleService | SdkService;

/**
 * By the name before the `/`. `openai` and `anthropic`, with the keys of the environment, and `openai-compatible` where
 * `OPENAI_BASE_URL` says that there is one, need not be named.
 */
export type Services = Readonly<Record<string, ModelService>>;

export const OPENAI_URL = 'https://api.openai.com/v1';
export const ANTHROPIC_URL = 'https://api.anthropic.com/v1';
