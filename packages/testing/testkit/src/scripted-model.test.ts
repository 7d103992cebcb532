import type { ModelRequest } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from './scripted-model.ts';

const LIVE = { signal: new AbortController().signal };

function ask(text: string): ModelRequest {
  return { model: 'test/one', messages: [{ role: 'user', text }] };
}

describe('a scripted model', () => {
  it('says its lines in order', async () => {
    const model = scriptedModel(['One.', { text: 'Two.', usage: { input: 3, output: 2 } }, () => 'Three.']);
    const replies = [];
    for (const text of ['a', 'b', 'c']) replies.push(await model.call(ask(text), LIVE));
    expect(replies).toEqual([
      { text: 'One.', calls: [], finish: 'stop', usage: { input: 0, output: 0 }, model: 'test/one', attempts: 1 },
      expect.objectContaining({ text: 'Two.', usage: { input: 3, output: 2 } }),
      expect.objectContaining({ text: 'Three.' }),
    ]);
    expect(model.left).toBe(0);
  });

  it('calls tools, with ids of its own and arguments as JSON, or with the very text', async () => {
    const model = scriptedModel([
      { calls: [{ tool: 'refund', arguments: { order: 'R-17' } }] },
      {
        calls: [
          { id: 'x', tool: 'refund', arguments: '{"order": ' },
          { tool: 'close', arguments: {} },
        ],
      },
    ]);
    expect(await model.call(ask('a'), LIVE)).toMatchObject({
      finish: 'tools',
      calls: [{ id: 'call_1', tool: 'refund', arguments: '{"order":"R-17"}' }],
    });
    expect((await model.call(ask('b'), LIVE)).calls).toEqual([
      { id: 'x', tool: 'refund', arguments: '{"order": ' },
      { id: 'call_3', tool: 'close', arguments: '{}' },
    ]);
  });

  it('answers what a line is for, whatever the order', async () => {
    const about = (word: string) => (request: ModelRequest) => JSON.stringify(request.messages).includes(word);
    const model = scriptedModel([
      'Something else.',
      { when: about('refund'), say: 'A refund.' },
      { when: about('bill'), say: request => `${request.model} on bills.`, always: true },
    ]);
    const texts = [];
    for (const text of ['a bill', 'a refund', 'a bill', 'a refund'])
      texts.push((await model.call(ask(text), LIVE)).text);
    expect(texts).toEqual(['test/one on bills.', 'A refund.', 'test/one on bills.', 'Something else.']);
  });

  it('fails where the script says so', async () => {
    const model = scriptedModel([{ fails: 'ModelRateLimited' }, 'Now.']);
    await expect(model.call(ask('a'), LIVE)).rejects.toMatchObject({ code: 'ModelRateLimited' });
    expect((await model.call(ask('a'), LIVE)).text).toBe('Now.');
  });

  it('keeps what it was asked, as it was then', async () => {
    const model = scriptedModel(['One.']);
    const messages = [{ role: 'user' as const, text: 'Hello' }];
    await model.call({ model: 'test/one', messages }, LIVE);
    messages.push({ role: 'user', text: 'later' });
    expect(model.requests).toEqual([ask('Hello')]);
  });

  it('has no reply when the script is over, and says what it was asked', async () => {
    const model = scriptedModel(['One.', { when: () => false, say: 'Never.' }]);
    await model.call(ask('a'), LIVE);
    await expect(model.call(ask('Why twice?'), LIVE)).rejects.toMatchObject({
      code: 'ScriptOver',
      message: expect.stringMatching(/request 2: none of the 1 lines left is for it\. .*Why twice\?/),
    });
    expect(model.left).toBe(1);
  });

  it('tells its text in parts, and heeds the signal', async () => {
    const model = scriptedModel([' One two\nthree. ']);
    const deltas: string[] = [];
    const reply = await model.call(ask('a'), { ...LIVE, onText: delta => deltas.push(delta) });
    expect(deltas.join('')).toBe(reply.text);
    expect(deltas.length).toBeGreaterThan(1);
    await expect(model.call(ask('a'), { signal: AbortSignal.abort('no') })).rejects.toBe('no');
  });
});
