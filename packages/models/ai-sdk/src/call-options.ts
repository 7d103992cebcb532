import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import { isJsonObject, isSignalboxError, type JsonObject, type JsonValue, parseStrictJson } from '@signalbox/kernel';
import type { ModelMessage, ModelRequest, ModelToolCall } from '@signalbox/ports';
import { isClosedSchema } from './closed-schema.ts';
import type { Connection } from './connection.ts';

// JSON of the provider packages can be written to, ours cannot; they do not write.
type SdkSchema = NonNullable<Extract<LanguageModelV3CallOptions['responseFormat'], { type: 'json' }>['schema']>;
type SdkOptions = NonNullable<LanguageModelV3CallOptions['providerOptions']>;
type SdkResult = Extract<LanguageModelV3ToolResultPart['output'], { type: 'json' }>['value'];

/** `instructed`: the schema of the reply is told in the prompt, and not in the provider's own member for it. */
export function callOptions(
  request: ModelRequest,
  { kind, options }: Connection,
  instructed: boolean,
): LanguageModelV3CallOptions {
  const { output, tools = [], maxOutputTokens, temperature, seed } = request;
  const system = [request.system, output !== undefined && instructed ? instruction(output) : undefined]
    .filter(text => text !== undefined && text !== '')
    .join('\n\n');
  return {
    prompt: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...request.messages.flatMap(message => toPrompt(message, kind)),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }) => ({
            type: 'function' as const,
            name,
            ...(description === undefined ? {} : { description }),
            inputSchema: input as SdkSchema,
          })),
        }),
    ...(output === undefined || instructed
      ? {}
      : { responseFormat: { type: 'json' as const, schema: output as SdkSchema, name: 'reply' } }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(seed === undefined ? {} : { seed }),
    providerOptions: (kind === 'openai' && output !== undefined
      ? withStrictness(options, output)
      : options) as SdkOptions,
  };
}

function instruction(schema: JsonObject): string {
  return [
    'Reply with one JSON value and nothing else: no prose before or after it, no code fence.',
    'It has to satisfy this JSON Schema:',
    JSON.stringify(schema),
  ].join('\n');
}

/** OpenAI refuses other schemas when it is to be strict about them. */
function withStrictness(options: Connection['options'], output: JsonObject): Record<string, JsonObject> {
  return { ...options, openai: { strictJsonSchema: isClosedSchema(output), ...options.openai } };
}

/** An assistant that said nothing is left out: some providers refuse empty messages, and it tells the model nothing. */
function toPrompt(message: ModelMessage, kind: Connection['kind']): LanguageModelV3Message[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: [{ type: 'text', text: message.text }] }];
    case 'assistant': {
      const { text = '', calls = [] } = message;
      if (text === '' && calls.length === 0) return [];
      const said = text === '' ? [] : [{ type: 'text' as const, text }];
      return [{ role: 'assistant', content: [...said, ...calls.map(call => toCallPart(call, kind))] }];
    }
    case 'tool':
      return [{ role: 'tool', content: [toResultPart(message)] }];
  }
}

function toCallPart({ id, tool, arguments: text }: ModelToolCall, kind: Connection['kind']) {
  const input = kind === 'anthropic' ? argumentsObject(text) : text;
  return { type: 'tool-call' as const, toolCallId: id, toolName: tool, input };
}

/** The API takes objects only; text that is none is shown to the model under the name that its documentation proposes. */
function argumentsObject(text: string): JsonObject {
  const value = readJson(text);
  return isJsonObject(value) ? value : { INVALID_JSON: text };
}

function readJson(text: string): JsonValue | undefined {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (isSignalboxError(error)) return undefined;
    throw error;
  }
}

function toResultPart(message: Extract<ModelMessage, { role: 'tool' }>): LanguageModelV3ToolResultPart {
  const { id, tool, result, failed } = message;
  const output =
    typeof result === 'string'
      ? { type: failed ? ('error-text' as const) : ('text' as const), value: result }
      : { type: failed ? ('error-json' as const) : ('json' as const), value: result as SdkResult };
  return { type: 'tool-result', toolCallId: id, toolName: tool, output };
}
