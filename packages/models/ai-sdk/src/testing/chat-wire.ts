import { DEFAULT_USAGE, event, pieces, type ReplyTurn, type Wire } from './turn.ts';

/** OpenAI's `/chat/completions`, which others speak as well. */
export const CHAT: Wire = {
  path: '/v1/chat/completions',
  whole(turn, model) {
    const { text = '', calls = [], finish } = turn;
    const refused = finish === 'refused';
    const message = {
      role: 'assistant',
      content: refused || text === '' ? null : text,
      refusal: refused ? text : null,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((_, index) => toolCall(turn, index)) }),
    };
    const choice = { index: 0, message, finish_reason: finishReason(turn) };
    return { ...head(turn, model), object: 'chat.completion', choices: [choice], ...usageOf(turn) };
  },
  events(turn, model) {
    const { text = '', calls = [], finish } = turn;
    const chunk = (delta: object, reason: string | null = null) =>
      event({
        ...head(turn, model),
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
    const member = finish === 'refused' ? 'refusal' : 'content';
    return [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(text).map(piece => chunk({ [member]: piece })),
      ...calls.flatMap(({ id, tool, arguments: args }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: '' } }] }),
        ...pieces(args).map(piece => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, finishReason(turn)),
      event({ ...head(turn, model), object: 'chat.completion.chunk', choices: [], ...usageOf(turn) }),
      'data: [DONE]\n\n',
    ];
  },
  error: ({ message = 'The stand-in says no.', type = 'invalid_request_error', code = null, param = null }) => ({
    error: { message, type, code, param },
  }),
  errorEvent: message => event({ error: { message, type: 'server_error', code: null, param: null } }),
};

function head({ model: named }: ReplyTurn, model: string) {
  return { id: 'chatcmpl-1', created: 1_767_225_600, model: named ?? model };
}

function toolCall({ calls = [] }: ReplyTurn, index: number) {
  const { id, tool, arguments: text } = calls[index]!;
  return { id, type: 'function', function: { name: tool, arguments: text } };
}

function finishReason({ finish, calls = [] }: ReplyTurn): string {
  switch (finish) {
    case 'length':
      return 'length';
    case 'filtered':
      return 'content_filter';
    case undefined:
      return calls.length > 0 ? 'tool_calls' : 'stop';
    case 'tools':
      return 'tool_calls';
    case 'stop':
    case 'refused':
      return 'stop';
  }
}

function usageOf({ usage = DEFAULT_USAGE }: ReplyTurn) {
  if (usage === null) return {};
  const { input, output, cached = 0, reasoning = 0 } = usage;
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  };
}
