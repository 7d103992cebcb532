import { APICallError } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue, SignalboxError } from '@signalbox/kernel';
import type { ModelErrorCode } from '@signalbox/ports';
import { retryAfterMillis } from './retry-after.ts';

/** Why a request got no reply. Texts are as they came and may hold what is secret, until `seenFailure`. */
export interface Failure {
  readonly code: ModelErrorCode;
  /** In the provider's words. */
  readonly reason: string;
  /** May the same request be sent again? */
  readonly passing: boolean;
  /** HTTP. */
  readonly status?: number;
  /** ms that the server asks to wait. */
  readonly retryAfter?: number;
  /** What the provider says the fault is in, such as `tools[0].parameters`. */
  readonly param?: string;
}

const PASSING = new Set([500, 502, 503, 504, 529]);
/** Errors of the provider packages about what they could not read or would not send; they have no status. */
const UNREADABLE = /^AI_(InvalidResponseData|JSONParse|TypeValidation|EmptyResponseBody|NoContentGenerated)Error$/;
const NOT_SENT = /^AI_(UnsupportedFunctionality|InvalidPrompt|InvalidArgument|LoadSetting|LoadAPIKey)Error$/;

/** Undefined: no failure of a model, but of the program. */
export function failureOf(error: unknown, now: number): Failure | undefined {
  if (APICallError.isInstance(error)) return failureOfCall(error, now);
  if (!(error instanceof Error)) return undefined;
  if (UNREADABLE.test(error.name)) return brokenReply(error.message);
  if (NOT_SENT.test(error.name)) return { code: 'ModelRefusedRequest', reason: error.message, passing: false };
  return undefined;
}

export function brokenReply(reason: string): Failure {
  return { code: 'ModelReplyInvalid', reason, passing: false };
}

function failureOfCall(error: APICallError, now: number): Failure {
  const { statusCode: status } = error;
  // Without a status nothing answered: the connection was refused, reset, or its name is not known.
  if (status === undefined) return { code: 'ModelUnavailable', reason: error.message, passing: true };
  if (status >= 200 && status < 300) return { ...brokenReply(unreadable(error)), status };
  const told = { reason: reasonOf(error), status, ...paramOf(error.data) };
  const retryAfter = retryAfterMillis(error.responseHeaders ?? {}, now);
  const wait = retryAfter === undefined ? {} : { retryAfter };
  if (status === 429) return { ...told, ...wait, code: 'ModelRateLimited', passing: !isOutOfQuota(error.data) };
  if (PASSING.has(status)) return { ...told, ...wait, code: 'ModelUnavailable', passing: true };
  if (status === 408) return { ...told, code: 'ModelTimeout', passing: false };
  if (status === 404) return { ...told, code: 'ModelUnknown', passing: false };
  return { ...told, code: status > 500 ? 'ModelUnavailable' : 'ModelRefusedRequest', passing: false };
}

function unreadable({ message, responseBody }: APICallError): string {
  if (responseBody === undefined) return 'the connection broke off before the reply had ended';
  return `what came is no reply of this provider (${message})`;
}

function reasonOf({ message, responseBody = '' }: APICallError): string {
  // Where the body is not what the provider package expects, it says only the name of the status, or nothing.
  const plain = /^[A-Z][A-Za-z ]*$/.test(message) || message === '';
  return plain && responseBody.trim() !== '' ? responseBody.trim() : message;
}

const LONGEST_REASON = 1_000;

/** As it may be seen: what is secret is hidden before anything is cut, so that no part of it is left. */
export function seenFailure(failure: Failure, masked: (text: string) => string): Failure {
  const { reason, param } = failure;
  return {
    ...failure,
    reason: shortened(masked(reason), LONGEST_REASON),
    ...(param === undefined ? {} : { param: masked(param) }),
  };
}

/** OpenAI answers with 429 also when an account has no money left, which no waiting helps. */
function isOutOfQuota(data: unknown): boolean {
  const error = errorIn(data);
  return error?.code === 'insufficient_quota' || error?.type === 'insufficient_quota';
}

function paramOf(data: unknown): { readonly param?: string } {
  const param = errorIn(data)?.param;
  return typeof param === 'string' ? { param } : {};
}

function errorIn(data: unknown): JsonObject | undefined {
  const { error } = (typeof data === 'object' && data !== null ? data : {}) as { error?: JsonValue };
  return isJsonObject(error) ? error : undefined;
}

const HINTS: Readonly<Record<ModelErrorCode, string>> = {
  ModelUnavailable: 'Try again later, or name a `fallback` model.',
  ModelRateLimited: 'Send less at once, raise the limit of the account, or name a `fallback` model.',
  ModelTimeout: 'Give it more time (`timeout`), or ask for a shorter reply.',
  ModelRefusedRequest: 'Change what the provider names; it was sent as shown.',
  ModelReplyInvalid: 'Ask again; what had come was dropped.',
  ModelUnknown: 'Check the name of the model, and whether this account may use it.',
};
const LONGEST_PART = 500;
const KEY_HINT = 'Check the API key, and whether its account may use this model.';

/** `failure`: as it may be seen. */
export function modelError(
  failure: Failure,
  about: { readonly model: string; readonly attempts: number; readonly offending?: JsonObject },
): SignalboxError {
  const { code, reason, status, retryAfter, param } = failure;
  const { model, attempts, offending } = about;
  const rejectedKey = status === 401 || status === 403;
  const times = attempts > 1 ? `, after ${attempts} requests` : '';
  const shown =
    offending === undefined ? '' : ` What it does not take: ${shortened(JSON.stringify(offending), LONGEST_PART)}`;
  return new SignalboxError(code, `${sentence(code, model)}${times}: ${withStop(reason)}${shown}`, {
    hint: rejectedKey ? KEY_HINT : HINTS[code],
    details: {
      model,
      attempts,
      reason,
      ...(status === undefined ? {} : { status }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(param === undefined ? {} : { param }),
      ...(offending === undefined ? {} : { offending }),
    },
  });
}

function sentence(code: ModelErrorCode, model: string): string {
  switch (code) {
    case 'ModelUnavailable':
      return `${model} cannot be reached`;
    case 'ModelRateLimited':
      return `${model} takes no more requests for now`;
    case 'ModelTimeout':
      return `${model} did not reply in time`;
    case 'ModelRefusedRequest':
      return `${model} does not take the request`;
    case 'ModelReplyInvalid':
      return `${model} gave no whole reply`;
    case 'ModelUnknown':
      return `${model} is not known to its provider`;
  }
}

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
