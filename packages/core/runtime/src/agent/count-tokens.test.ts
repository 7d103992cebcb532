import type { ModelMessage, ModelRequest } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { countRequest, countTokens } from './count-tokens.ts';

const TOOL = { name: 'look_up', description: 'Looks an order up.', input: { type: 'object' } };

/** A message that counts how often it is written out. */
function told(text: string): { readonly message: ModelMessage; readonly times: () => number } {
  let times = 0;
  const message: ModelMessage = { role: 'user', text };
  const toJSON = () => {
    times += 1;
    return { ...message };
  };
  return { message: Object.defineProperty(message, 'toJSON', { value: toJSON }), times: () => times };
}

function request(...messages: ModelMessage[]): ModelRequest {
  return { model: 'test/one', system: 'You answer questions about orders.', messages, tools: [{ ...TOOL }] };
}

describe('the tokens of a request', () => {
  it('are counted once for each message of a conversation, however often it is told again', () => {
    const [first, second] = [told('What of R-17?'), told('And of R-18?')];
    const short = countRequest(request(first.message));
    const long = countRequest(request(first.message, second.message));
    expect(long).toBeGreaterThan(short);
    expect([first.times(), second.times()]).toEqual([1, 1]);
    expect(countRequest(request(first.message))).toBe(short);
  });

  it('are those of all that it says in one text, brackets between its parts apart', () => {
    const { system, messages, tools } = request({ role: 'user', text: 'What of R-17? 订单的情况如何?' });
    const whole = countTokens(`${system}\n${JSON.stringify(messages)}\n${JSON.stringify(tools)}`);
    expect(countRequest({ model: 'test/one', system: system!, messages, tools: tools! })).toBeGreaterThan(whole * 0.95);
  });
});
