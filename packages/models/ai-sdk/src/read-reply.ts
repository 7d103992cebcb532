import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3Warning,
} from '@ai-sdk/provider';
import type { ModelReply, ModelToolCall, ModelUsage } from '@signalbox/ports';
import { brokenReply, type Failure } from './failure.ts';

/** A whole reply, or why there is none. */
export type Received =
  | { readonly ok: true; readonly reply: Omit<ModelReply, 'attempts'>; readonly ignored: readonly string[] }
  | { readonly ok: false; readonly failure: Failure };

/** `requested` stands where the provider does not name what answered. */
export function readGenerated(result: LanguageModelV3GenerateResult, requested: string): Received {
  const { content, finishReason, usage, response, warnings } = result;
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = content.flatMap(part => (part.type === 'tool-call' ? [toCall(part)] : []));
  return toReceived({ text, calls, finishReason, usage, model: response?.modelId ?? requested, warnings });
}

/**
 * A stream that ends without saying why it ends, or says that it failed, is no reply, however much of it came. `onText`
 * gets the very pieces that the text of the reply is made of.
 */
export async function readStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  requested: string,
  onText: (delta: string) => void,
): Promise<Received> {
  let text = '';
  let model = requested;
  let warnings: readonly SharedV3Warning[] = [];
  const calls: ModelToolCall[] = [];
  let end: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        text += part.delta;
        if (part.delta !== '') onText(part.delta);
        break;
      case 'tool-call':
        calls.push(toCall(part));
        break;
      case 'stream-start':
        warnings = part.warnings;
        break;
      case 'response-metadata':
        model = part.modelId ?? model;
        break;
      case 'error':
        return { ok: false, failure: brokenReply(`the provider broke off: ${messageOf(part.error)}`) };
      case 'finish':
        end = part;
        break;
    }
  }
  if (end === undefined) return { ok: false, failure: CUT };
  return toReceived({ text, calls, finishReason: end.finishReason, usage: end.usage, model, warnings });
}

const CUT = brokenReply('the stream ended before the reply did');

interface Collected {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly finishReason: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
  readonly model: string;
  readonly warnings: readonly SharedV3Warning[];
}

function toReceived({ text, calls, finishReason, usage, model, warnings }: Collected): Received {
  if (finishReason.unified === 'error') return { ok: false, failure: CUT };
  // OpenAI's Responses API gives no reason for the ordinary end; the package makes `stop` or `tool-calls` of that, never `other`.
  if (finishReason.unified === 'other' && finishReason.raw === undefined) return { ok: false, failure: CUT };
  const reply = { text, calls, finish: finishOf(finishReason, calls), usage: usageOf(usage), model };
  return { ok: true, reply, ignored: warnings.flatMap(ignoredBy) };
}

function ignoredBy(warning: SharedV3Warning): string[] {
  return warning.type === 'unsupported' ? [warning.details ?? warning.feature] : [];
}

function toCall(part: { toolCallId: string; toolName: string; input: string }): ModelToolCall {
  return { id: part.toolCallId, tool: part.toolName, arguments: part.input };
}

/** Services say that they refused in three ways; what remains of `content-filter` is a filter around the model. */
const REFUSED = new Set([undefined, 'stop', 'refusal']);

function finishOf({ unified, raw }: LanguageModelV3FinishReason, calls: readonly unknown[]): ModelReply['finish'] {
  switch (unified) {
    case 'stop':
      return calls.length > 0 ? 'tools' : 'stop';
    case 'length':
      return 'length';
    case 'tool-calls':
      return 'tools';
    case 'content-filter':
      return REFUSED.has(raw) ? 'refused' : 'filtered';
    case 'error':
    case 'other':
      return 'other';
  }
}

/** What is no count of tokens was not told: less than nothing would be money given back. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelUsage {
  const [input, output] = [inputTokens.total, outputTokens.total].map(countOf);
  if (input === undefined || output === undefined) return { input: input ?? 0, output: output ?? 0, unknown: true };
  const cached = countOf(inputTokens.cacheRead) ?? 0;
  const reasoning = countOf(outputTokens.reasoning) ?? 0;
  return {
    input,
    output,
    ...(cached > 0 && cached <= input ? { cached } : {}),
    ...(reasoning > 0 && reasoning <= output ? { reasoning } : {}),
  };
}

function countOf(told: number | undefined): number | undefined {
  return told !== undefined && Number.isSafeInteger(told) && told >= 0 ? told : undefined;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(error);
}
