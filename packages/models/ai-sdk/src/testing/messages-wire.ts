import { DEFAULT_USAGE, event, pieces, type ReplyTurn, type Wire } from './turn.ts';

/** Anthropic's `/messages`. */
export const MESSAGES: Wire = {
  path: '/v1/messages',
  whole(turn, model) {
    const { text = '', calls = [] } = turn;
    const content = [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, tool, arguments: args }) => ({ type: 'tool_use', id, name: tool, input: JSON.parse(args) })),
    ];
    return { ...head(turn, model), content, stop_reason: stopReason(turn), stop_sequence: null, usage: usageOf(turn) };
  },
  events(turn, model) {
    const { text = '', calls = [] } = turn;
    const { input_tokens, cache_read_input_tokens, output_tokens } = usageOf(turn);
    const opening = { input_tokens, cache_read_input_tokens, cache_creation_input_tokens: 0, output_tokens: 1 };
    const blocks = [
      ...(text === '' ? [] : [{ start: { type: 'text', text: '' }, type: 'text_delta', member: 'text', text }]),
      ...calls.map(({ id, tool, arguments: args }) => ({
        start: { type: 'tool_use', id, name: tool, input: {} },
        type: 'input_json_delta',
        member: 'partial_json',
        text: args,
      })),
    ];
    const message = { ...head(turn, model), content: [], stop_reason: null, stop_sequence: null, usage: opening };
    return [
      named({ type: 'message_start', message }),
      named({ type: 'ping' }),
      ...blocks.flatMap((block, index) => [
        named({ type: 'content_block_start', index, content_block: block.start }),
        ...pieces(block.text).map(piece =>
          named({ type: 'content_block_delta', index, delta: { type: block.type, [block.member]: piece } }),
        ),
        named({ type: 'content_block_stop', index }),
      ]),
      named({
        type: 'message_delta',
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        usage: { output_tokens },
      }),
      named({ type: 'message_stop' }),
    ];
  },
  error: ({ message = 'The stand-in says no.', type = 'invalid_request_error' }) => ({
    type: 'error',
    error: { type, message },
  }),
  errorEvent: message => named({ type: 'error', error: { type: 'api_error', message } }),
};

function named(data: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return event(data, data.type);
}

function head({ model: answering }: ReplyTurn, model: string) {
  return { id: 'msg_1', type: 'message', role: 'assistant', model: answering ?? model };
}

function stopReason({ finish, calls = [] }: ReplyTurn): string {
  switch (finish) {
    case 'length':
      return 'max_tokens';
    case 'refused':
    case 'filtered':
      return 'refusal';
    case undefined:
      return calls.length > 0 ? 'tool_use' : 'end_turn';
    case 'tools':
      return 'tool_use';
    case 'stop':
      return 'end_turn';
  }
}

/** Here what was read from the cache stands beside the input, not in it. */
function usageOf({ usage }: ReplyTurn) {
  const { input, output, cached = 0 } = usage ?? DEFAULT_USAGE;
  return { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output };
}
