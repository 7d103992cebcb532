import assert from 'node:assert/strict';
import type { ModelReply, ModelTool } from '@signalbox/ports';
import { check, type ModelCheck } from './model-check.ts';

const REFUND: ModelTool = {
  name: 'refund',
  description: 'Pays money back.',
  input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
};
const TEXT = 'Gerne! 好的，马上。\n\nAnything else? 👍';
const CALLS: ModelReply['calls'] = [
  { id: 'call_a', tool: 'refund', arguments: '{ "order":"R-17",  "amount": 19.90 }' },
  { id: 'call_b', tool: 'refund', arguments: '{"order":"R-18","note":"12345678901234567890"}' },
];
/** What a double cannot hold, a key twice, an escape that need not be: reading and writing again would change each. */
const TEXTS = ['{"id":12345678901234567890}', '{"a":1,"a":2}', '{"a":"\\u0041"}', '{"a":1.10}'];

export const replyChecks: readonly ModelCheck[] = [
  check('a reply has the text, the usage and the name of what answered', async ({ script, call }) => {
    script({ kind: 'reply', text: TEXT, usage: { input: 120, output: 34 } });
    const { text, calls, finish, usage, model, attempts } = await call();
    assert.deepEqual({ text, calls, finish, attempts }, { text: TEXT, calls: [], finish: 'stop', attempts: 1 });
    assert.deepEqual({ input: usage.input, output: usage.output }, { input: 120, output: 34 });
    assert.ok(model.length > 0);
  }),
  check('tokens from a cache are part of the input', async ({ script, call }) => {
    script({ kind: 'reply', text: 'Yes.', usage: { input: 100, output: 5, cached: 40 } });
    const { usage } = await call();
    assert.deepEqual({ input: usage.input, cached: usage.cached }, { input: 100, cached: 40 });
  }),
  check('partial texts are the text of the reply, in order', async ({ script, told }) => {
    script({ kind: 'reply', text: TEXT });
    const { reply, deltas } = await told();
    assert.equal(deltas.join(''), reply.text);
    assert.equal(reply.text, TEXT);
    assert.ok(deltas.every(delta => delta !== ''));
  }),
  check('a reply is the same whether or not somebody listens to its text', async ({ script, call, told }) => {
    const turn = { kind: 'reply', text: TEXT, calls: CALLS, usage: { input: 9, output: 8 } } as const;
    script(turn, turn);
    const alone = await call({ tools: [REFUND] });
    const { reply } = await told({ tools: [REFUND] });
    assert.deepEqual(reply, alone);
  }),
  check('calls come in the order of the reply, with their ids and texts', async ({ script, call, told }) => {
    const turn = { kind: 'reply', text: 'One moment.', calls: CALLS } as const;
    script(turn, turn);
    for (const reply of [await call({ tools: [REFUND] }), (await told({ tools: [REFUND] })).reply]) {
      assert.deepEqual(reply.calls, CALLS);
      assert.equal(reply.finish, 'tools');
    }
  }),
  ...TEXTS.map(text =>
    check(`arguments are handed on as the text that came: ${text}`, async ({ script, call, told }) => {
      const turn = { kind: 'reply', calls: [{ id: 'call_a', tool: 'refund', arguments: text }] } as const;
      script(turn, turn);
      assert.equal((await call({ tools: [REFUND] })).calls[0]?.arguments, text);
      assert.equal((await told({ tools: [REFUND] })).reply.calls[0]?.arguments, text);
    }),
  ),
  check('arguments that are no JSON are handed on as well', async ({ script, told }) => {
    const text = '{"order": "R-17", amount: ';
    script({ kind: 'reply', calls: [{ id: 'call_a', tool: 'refund', arguments: text }] });
    assert.equal((await told({ tools: [REFUND] })).reply.calls[0]?.arguments, text);
  }),
  check('an empty reply is told as it is', async ({ script, call, told }) => {
    script({ kind: 'reply' }, { kind: 'reply' });
    assert.deepEqual(pick(await call()), { text: '', calls: [], finish: 'stop' });
    const { reply, deltas } = await told();
    assert.deepEqual({ ...pick(reply), deltas }, { text: '', calls: [], finish: 'stop', deltas: [] });
  }),
  check('a refusal is told as one', async ({ script, call, told }) => {
    const turn = { kind: 'reply', text: 'I cannot help with that.', finish: 'refused' } as const;
    script(turn, turn);
    const refused = { text: 'I cannot help with that.', calls: [], finish: 'refused' };
    assert.deepEqual(pick(await call()), refused);
    assert.deepEqual(pick((await told()).reply), refused);
  }),
  check('a reply that was cut at its length says so', async ({ script, call, told }) => {
    const turn = { kind: 'reply', text: 'Once upon', finish: 'length' } as const;
    script(turn, turn);
    assert.deepEqual(pick(await call()), { text: 'Once upon', calls: [], finish: 'length' });
    assert.deepEqual(pick((await told()).reply), { text: 'Once upon', calls: [], finish: 'length' });
  }),
  check('what is said and asked reaches the service', async ({ script, call, sent }) => {
    script({ kind: 'reply', text: 'Done.' });
    await call({
      system: 'You work at the desk.',
      tools: [REFUND],
      messages: [
        { role: 'user', text: 'Charged twice!' },
        { role: 'assistant', text: 'Let me see.', calls: [CALLS[0]!] },
        { role: 'tool', id: 'call_a', tool: 'refund', result: { refunded: 'R-17' } },
      ],
    });
    const [text = ''] = sent();
    const parts = ['You work at the desk.', 'Charged twice!', 'Let me see.', 'call_a', 'refunded', 'Pays money back.'];
    assert.deepEqual(
      parts.filter(part => !text.includes(part)),
      [],
    );
  }),
  check('calls side by side do not mix', async ({ script, call }) => {
    script({ kind: 'reply', text: 'A' }, { kind: 'reply', text: 'B' }, { kind: 'reply', text: 'C' });
    const replies = await Promise.all([call(), call(), call()]);
    assert.deepEqual(replies.map(({ text }) => text).toSorted(), ['A', 'B', 'C']);
    assert.ok(replies.every(({ attempts }) => attempts === 1));
  }),
];

function pick({ text, calls, finish }: ModelReply): Pick<ModelReply, 'text' | 'calls' | 'finish'> {
  return { text, calls, finish };
}
