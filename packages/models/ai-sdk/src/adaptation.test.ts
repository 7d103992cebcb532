import type { JsonObject } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import type { ModelNotice } from './notice.ts';
import { FLAVOURS, MODEL, modelsAt } from './testing/flavour.ts';
import { ask, LIVE, outcome, served } from './testing/served.ts';
import type { Received, Turn } from './testing/turn.ts';

const INPUT = {
  type: 'object',
  properties: {
    order: { type: 'string', pattern: '^(?=R-)R-\\d+$', description: 'Number of the order' },
    amount: { type: 'number', exclusiveMinimum: 0 },
  },
  required: ['order'],
} satisfies JsonObject;
const tools = [
  { name: 'lookUp', input: { type: 'object', properties: {} } },
  { name: 'refund', description: 'Pays money back.', input: INPUT },
];
const output = { type: 'object', properties: { reply: { type: 'string' } } } satisfies JsonObject;

/** Takes a request unless its text has the word in it; then it says `message`. */
function unless(word: string, fault: { readonly message: string; readonly param?: string }) {
  return (received: Received): Turn =>
    JSON.stringify(received.body).includes(word) ? { status: 400, ...fault } : { text: '{"reply":"Done."}' };
}

describe.each(FLAVOURS)('%s', flavour => {
  const request = ask(MODEL[flavour], { tools });

  it('that does not take the schema of a tool gets what it takes, once', async () => {
    const { url, script, received } = await served();
    const refusing = unless('(?=R-)R', { message: 'tools.1: the input_schema is not valid JSON Schema' });
    script(refusing, received => {
      expect(JSON.stringify(received.body)).toContain('must match: ^(?=R-)R');
      return { text: 'Done.' };
    });
    const notices: ModelNotice[] = [];
    const reply = await modelsAt(url, { observe: notice => notices.push(notice) }).call(request, LIVE);
    expect(reply).toMatchObject({ text: 'Done.', attempts: 2 });
    expect(notices).toMatchObject([{ kind: 'adapted', tools: true, output: false, without: [] }]);
    expect(received).toHaveLength(2);
  });

  it('is not asked again in the way that it refused', async () => {
    const { url, script, received } = await served();
    const refusal: Turn = { status: 400, message: 'tools.1: bad input_schema' };
    script(refusal, { text: 'One.' }, { text: 'Two.' }, refusal);
    const models = modelsAt(url);
    await models.call(request, LIVE);
    expect(await models.call({ ...request, system: 'And now?' }, LIVE)).toMatchObject({ text: 'Two.', attempts: 1 });
    expect(received).toHaveLength(3);
  });

  it('that finds another fault later gets the request without that as well', async () => {
    const { url, script, received } = await served();
    const models = modelsAt(url);
    script({ status: 400, message: 'tools.1: bad input_schema' }, { text: 'One.' });
    await models.call(request, LIVE);
    script({ status: 400, message: 'temperature is not supported' }, { text: 'Two.' });
    expect(await models.call({ ...request, temperature: 0 }, LIVE)).toMatchObject({ text: 'Two.', attempts: 2 });
    const last = JSON.stringify(received.at(-1)!.body);
    expect([last.includes('"temperature"'), last.includes('must match: ^(?=R-)R')]).toEqual([false, true]);
  });

  it('that does not take the adapted request either is told with what it does not take', async () => {
    const { url, script, received } = await served();
    const refusal: Turn = { status: 400, message: "Invalid schema for function 'refund': no way." };
    script(refusal, refusal, refusal);
    expect(await outcome(modelsAt(url).call(request, LIVE))).toMatchObject({
      code: 'ModelRefusedRequest',
      message: expect.stringMatching(/no way\. What it does not take: \{"tool":"refund","schema":\{"type":"object"/),
      details: { status: 400, attempts: 2, offending: { tool: 'refund', schema: { type: 'object' } } },
    });
    expect(received).toHaveLength(2);
  });

  it('that says so with 422 gets what it takes as well', async () => {
    const { url, script } = await served();
    script({ status: 422, message: 'tools.1: bad input_schema' }, { text: 'Done.' });
    expect(await modelsAt(url).call(request, LIVE)).toMatchObject({ text: 'Done.', attempts: 2 });
  });

  it('that does not take one setting, and later another, gets requests without both', async () => {
    const { url, script, received } = await served();
    const models = modelsAt(url);
    const settings = { temperature: 0.3, seed: 7 };
    script({ status: 400, message: 'temperature is not supported' }, { text: 'One.' });
    await models.call({ ...request, temperature: 0.3 }, LIVE);
    script({ status: 400, message: 'seed is not supported' }, { text: 'Two.' }, { text: 'Three.' });
    expect(await models.call({ ...request, ...settings }, LIVE)).toMatchObject({ text: 'Two.', attempts: 2 });
    expect(await models.call({ ...request, ...settings }, LIVE)).toMatchObject({ text: 'Three.', attempts: 1 });
    const last = received.at(-1)!.body;
    expect(['temperature' in last, 'seed' in last]).toEqual([false, false]);
  });

  it('that refuses for another reason is not asked again', async () => {
    const { url, script, received } = await served();
    script({ status: 400, message: 'The prompt is too long: maximum context length is 8192 tokens.' });
    const error = await outcome(modelsAt(url).call(request, LIVE));
    expect(error).toMatchObject({ code: 'ModelRefusedRequest', details: { attempts: 1 } });
    expect(received).toHaveLength(1);
  });

  it('that does not take a setting gets the request without it', async () => {
    const { url, script, received } = await served();
    const fault = { message: "Unsupported parameter: 'temperature' is not supported with this model." };
    script(unless('"temperature"', fault), { text: 'Done.' });
    await modelsAt(url).call(ask(MODEL[flavour], { temperature: 0.3 }), LIVE);
    expect(received.map(({ body }) => 'temperature' in body)).toEqual([true, false]);
  });

  it('that finds a bound too high is not asked without it', async () => {
    const { url, script, received } = await served();
    script({ status: 400, message: 'max_tokens: 100000 > 8192, which is the most for this model' }, { text: 'One.' });
    const call = modelsAt(url).call({ ...request, maxOutputTokens: 100_000 }, LIVE);
    expect(await outcome(call)).toMatchObject({
      code: 'ModelRefusedRequest',
      message: expect.stringContaining('8192'),
    });
    expect(received).toHaveLength(1);
  });

  it('keeps an idempotency key for each different request', async () => {
    const { url, script, received } = await served();
    script({ status: 503 }, { status: 400, message: 'tools.1: bad input_schema' }, { status: 503 }, { text: 'Done.' });
    await modelsAt(url).call(request, { ...LIVE, idempotencyKey: 'op_7' });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['op_7', 'op_7', 'op_7-1', 'op_7-1']);
  });
});

describe('the place of a fault', () => {
  it.each([
    [
      { message: 'bad', param: 'tools[1].parameters' },
      { tool: 'refund', schema: expect.anything() },
    ],
    [{ message: 'tools.0.custom.input_schema: bad' }, { tool: 'lookUp', schema: tools[0]!.input }],
    [
      { message: "Invalid schema for function 'refund': In context=('properties', 'amount'), bad." },
      { tool: 'refund', at: '/properties/amount', schema: { type: 'number', description: '(more than: 0)' } },
    ],
    [{ message: "Invalid schema for response_format 'reply'" }, { output: true, schema: output }],
    [{ message: 'No thanks.' }, undefined],
  ])('is found from %j', async (fault, offending) => {
    const { url, script } = await served();
    script({ status: 400, ...fault }, { status: 400, ...fault });
    const error = await outcome(modelsAt(url).call(ask(MODEL['openai-chat'], { tools, output }), LIVE));
    expect((error.details as JsonObject).offending).toEqual(offending);
  });
});

describe('a reply with a schema', () => {
  it.each(['openai', 'openai-chat'] as const)(
    'is asked of %s by its own means, strictly if it can be',
    async flavour => {
      const { url, script, received } = await served();
      script({ text: '{"reply":"Done."}' }, { text: '{"reply":"Done."}' });
      const closed = { ...output, required: ['reply'], additionalProperties: false };
      for (const schema of [output, closed]) await modelsAt(url).call(ask(MODEL[flavour], { output: schema }), LIVE);
      const texts = received.map(({ body }) => JSON.stringify(body));
      expect(texts.map(text => /"strict":(\w+)/.exec(text)?.[1])).toEqual(['false', 'true']);
      expect(texts.every(text => text.includes('json_schema'))).toBe(true);
    },
  );

  it('is put into words where the provider takes none', async () => {
    const { url, script, received } = await served();
    script({ text: '```json\n{"reply":"Done."}\n```' });
    const reply = await modelsAt(url).call(ask(MODEL.compatible, { system: 'Be kind.', output }), LIVE);
    expect(reply.text).toBe('{"reply":"Done."}');
    const text = JSON.stringify(received[0]!.body);
    expect(text).not.toContain('response_format');
    expect(text).toContain(JSON.stringify(JSON.stringify(output)).slice(1, -1));
    expect(text).toContain('Be kind.');
  });

  it.each(FLAVOURS)('is put into words where %s refuses it', async flavour => {
    const { url, script, received } = await served();
    script({ status: 400, message: 'output_config, response_format, text.format: no' }, { text: '{"reply":"Done."}' });
    const call = modelsAt(url).call(ask(MODEL[flavour], { output }), LIVE);
    const made = flavour === 'compatible' ? 1 : 2;
    if (made === 2) expect(await call).toMatchObject({ text: '{"reply":"Done."}', attempts: 2 });
    else await expect(call).rejects.toMatchObject({ code: 'ModelRefusedRequest' });
    expect(received).toHaveLength(made);
  });

  it.each([
    ['prose', 'Sure! {"reply":"Done."}'],
    ['half of it', '{"reply":"Do'],
    ['nothing', ''],
    ['a fence around something else', '```json\n{"reply":"Done.","reply":"Not done."}\n```'],
  ])('that is %s is told as it is', async (_, text) => {
    const { url, script } = await served();
    script({ text });
    const reply = await modelsAt(url).call(ask(MODEL.compatible, { output }), LIVE);
    expect(reply).toMatchObject({ text, finish: 'stop' });
  });

  it('that the provider makes by its own means is not looked into', async () => {
    const { url, script } = await served();
    const text = '```json\n{"reply":"Done."}\n```';
    script({ text });
    expect((await modelsAt(url).call(ask(MODEL.openai, { output }), LIVE)).text).toBe(text);
  });

  it.each([
    ['refused', { text: 'I cannot.', finish: 'refused' }],
    ['cut at its length', { text: '{"reply":"Do', finish: 'length' }],
    ['a call', { calls: [{ id: 'c', tool: 'refund', arguments: '{' }] }],
  ] as const)('that is %s is told as it is', async (_, turn) => {
    const { url, script } = await served();
    script(turn);
    const finish = 'finish' in turn ? turn.finish : 'tools';
    expect(await modelsAt(url).call(ask(MODEL.openai, { output, tools }), LIVE)).toMatchObject({ finish });
  });
});
