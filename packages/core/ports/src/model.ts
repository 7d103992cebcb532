import type { JsonObject, JsonValue, Money } from '@signalbox/kernel';

/**
 * A language model, whoever serves it.
 *  1. One `call` is one request to the provider as far as the caller can tell; retries inside it (rate limits, with the
 *     delay the server asks for) are counted in `reply.attempts`.
 *  2. What fails throws a `ModelError` by code; nothing is made up in its place.
 *  3. Arguments of tool calls are handed on as the text that came, unread and unrepaired.
 *  4. Partial text goes to `onText` alone; the reply is whole.
 */
export interface ModelPort {
  call(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
  /**
   * What usage costs. `model`: as requested, or as the reply names it (after a fallback that is another). Undefined, like a port
   * without it: not known.
   */
  costOf?(usage: ModelUsage, model: string): Money | undefined;
}

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  readonly onText?: (delta: string) => void;
  /** Sent along where the provider takes one. */
  readonly idempotencyKey?: string;
}

export interface ModelRequest {
  /** `provider/model`, such as `openai/gpt-5-mini`; what a provider name stands for is the port's to say. */
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** JSON Schema that the text of the reply is to satisfy. The model is held or asked to; what it says all the same is told as it is. */
  readonly output?: JsonObject;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
}

export interface ModelTool {
  readonly name: string;
  readonly description?: string;
  readonly input: JsonObject;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text?: string; readonly calls?: readonly ModelToolCall[] }
  | {
      readonly role: 'tool';
      readonly id: string;
      readonly tool: string;
      readonly result: JsonValue;
      readonly failed?: true;
    };

/** `arguments`: the raw text. */
export interface ModelToolCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
}

export interface ModelReply {
  readonly text: string;
  /** With `length`, the last may be cut off. */
  readonly calls: readonly ModelToolCall[];
  readonly finish: 'stop' | 'length' | 'tools' | 'filtered' | 'refused' | 'other';
  readonly usage: ModelUsage;
  /** As the provider names what answered. */
  readonly model: string;
  /** Requests that were made for it, the last included. */
  readonly attempts: number;
}

/** Tokens. `cached` is part of `input`, `reasoning` part of `output`. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
  /** The provider told none: the zeros are no measurement, and what was reserved for the call counts as spent. */
  readonly unknown?: true;
}

/** What a failed call is, as `error.code`: see `docs/errors`. */
export type ModelErrorCode =
  | 'ModelUnavailable'
  | 'ModelRateLimited'
  | 'ModelTimeout'
  | 'ModelRefusedRequest'
  | 'ModelReplyInvalid'
  | 'ModelUnknown';
