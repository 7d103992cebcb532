import { CHAT } from './chat-wire.ts';
import { DEFAULT_USAGE, event, pieces, type ReplyTurn, type Wire } from './turn.ts';

/** OpenAI's `/responses`. */
export const RESPONSES: Wire = {
  path: '/v1/responses',
  whole: (turn, model) => ({ ...head(turn, model), ...end(turn), output: itemsOf(turn) }),
  events(turn, model) {
    const response = head(turn, model);
    const told = itemsOf(turn).flatMap((item, index) => eventsOfItem(item, index));
    const last = event({
      type: isWhole(turn) ? 'response.completed' : 'response.incomplete',
      response: { ...response, ...end(turn), output: itemsOf(turn) },
    });
    return [event({ type: 'response.created', response: { ...response, status: 'in_progress' } }), ...told, last];
  },
  error: CHAT.error,
  errorEvent: message =>
    event({
      type: 'error',
      sequence_number: 9,
      error: { type: 'server_error', code: 'server_error', message, param: null },
    }),
};

type Item = ReturnType<typeof itemsOf>[number];

function itemsOf({ text = '', calls = [], finish }: ReplyTurn) {
  const part =
    finish === 'refused'
      ? { type: 'refusal' as const, refusal: text }
      : { type: 'output_text' as const, text, annotations: [], logprobs: [] };
  const message = { type: 'message' as const, id: 'msg_1', role: 'assistant', status: 'completed', content: [part] };
  return [
    ...(text === '' ? [] : [message]),
    ...calls.map(({ id, tool, arguments: args }, index) => ({
      type: 'function_call' as const,
      id: `fc_${index}`,
      call_id: id,
      name: tool,
      arguments: args,
      status: 'completed',
    })),
  ];
}

function eventsOfItem(item: Item, index: number): string[] {
  const at = { item_id: item.id, output_index: index };
  if (item.type === 'message') {
    const [part] = item.content;
    const refusal = part!.type === 'refusal';
    const text = part!.type === 'refusal' ? part!.refusal : part!.text;
    const deltas = pieces(text).map(delta =>
      event({
        type: refusal ? 'response.refusal.delta' : 'response.output_text.delta',
        ...at,
        content_index: 0,
        delta,
      }),
    );
    const empty = { ...item, content: [], status: 'in_progress' };
    return [
      event({ type: 'response.output_item.added', output_index: index, item: empty }),
      ...deltas,
      ...(refusal ? [event({ type: 'response.refusal.done', ...at, content_index: 0, refusal: text })] : []),
      event({ type: 'response.output_item.done', output_index: index, item }),
    ];
  }
  return [
    event({ type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } }),
    ...pieces(item.arguments).map(delta => event({ type: 'response.function_call_arguments.delta', ...at, delta })),
    event({ type: 'response.output_item.done', output_index: index, item }),
  ];
}

function head({ model: named }: ReplyTurn, model: string) {
  return { id: 'resp_1', object: 'response', created_at: 1_767_225_600, model: named ?? model };
}

function isWhole({ finish }: ReplyTurn): boolean {
  return finish !== 'length' && finish !== 'filtered';
}

function end(turn: ReplyTurn) {
  const { usage = DEFAULT_USAGE, finish } = turn;
  const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return {
    status: isWhole(turn) ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: isWhole(turn) ? null : { reason },
    usage: {
      input_tokens: usage?.input ?? 0,
      input_tokens_details: { cached_tokens: usage?.cached ?? 0 },
      output_tokens: usage?.output ?? 0,
      output_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
    },
  };
}
