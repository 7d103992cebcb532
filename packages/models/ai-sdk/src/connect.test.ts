import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import { createModels } from './create-models.ts';
import type { ModelNotice } from './notice.ts';
import { MODEL, modelsAt } from './testing/flavour.ts';
import { ask, LIVE, outcome, served } from './testing/served.ts';

const tools = [{ name: 'refund', input: { type: 'object', properties: {} } }];

describe('without configuration', () => {
  it('the environment says where models are, and with which key', async () => {
    const { url, script, received } = await served();
    const environment: Record<string, string> = {
      OPENAI_API_KEY: 'key-of-openai',
      OPENAI_BASE_URL: url,
      ANTHROPIC_API_KEY: 'key-of-anthropic',
      ANTHROPIC_BASE_URL: url,
    };
    const models = createModels({ secrets: name => environment[name] });
    script({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
    for (const model of ['openai/gpt-5-mini', 'anthropic/claude-haiku-4-5', 'openai-compatible/qwen/qwen3'])
      await models.call(ask(model), LIVE);
    expect(
      received.map(({ path, body, headers }) => [path, body.model, headers.authorization ?? headers['x-api-key']]),
    ).toEqual([
      ['/v1/responses', 'gpt-5-mini', 'Bearer key-of-openai'],
      ['/v1/messages', 'claude-haiku-4-5', 'key-of-anthropic'],
      ['/v1/chat/completions', 'qwen/qwen3', 'Bearer key-of-openai'],
    ]);
  });

  it('a service without a key gets none', async () => {
    const { url, script, received } = await served();
    script({ text: 'One.' });
    const secrets = (name: string) => (name === 'OPENAI_BASE_URL' ? url : undefined);
    await createModels({ secrets }).call(ask('openai-compatible/llama'), LIVE);
    expect(received[0]!.headers.authorization).toBeUndefined();
  });

  it('a key that is not there is named', async () => {
    const models = createModels({ secrets: () => undefined });
    expect(await outcome(models.call(ask('openai/gpt-5-mini'), LIVE))).toMatchObject({
      code: 'UnknownSecret',
      message: 'There is no secret OPENAI_API_KEY.',
    });
  });

  it('a key is read for each call, so that it can be changed', async () => {
    const { url, script, received } = await served();
    script({ text: 'One.' }, { text: 'Two.' });
    let key = 'first';
    const secrets = (name: string) => (name === 'OPENAI_BASE_URL' ? url : key);
    const models = createModels({ secrets });
    await models.call(ask('openai/gpt-5-mini'), LIVE);
    key = 'second';
    await models.call(ask('openai/gpt-5-mini'), LIVE);
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });
});

describe('a model name', () => {
  it.each([
    ['gpt-5-mini', 'is not written as provider/model', 'openai/gpt-5-mini'],
    ['openai/', 'is not written as provider/model', 'openai/gpt-5-mini'],
    ['opanai/gpt-5', 'names a provider that there is not: "opanai"', 'Did you mean openai?'],
    ['constructor/x', 'names a provider that there is not', 'providers'],
    ['openai-compatible/x', 'names a provider that there is not', 'OPENAI_BASE_URL'],
  ])('such as %s is refused with what to do', async (model, message, hint) => {
    const models = createModels({ secrets: () => undefined });
    expect(await outcome(models.call(ask(model), LIVE))).toMatchObject({
      code: 'ModelUnknown',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

describe('a provider', () => {
  it('has headers and settings of its own, with secrets by reference', async () => {
    const { url, script, received } = await served();
    script({ text: 'One.' });
    const models = createModels({
      providers: {
        desk: {
          kind: 'openai',
          baseUrl: url,
          key: 'secret:KEY',
          headers: { 'x-team': 'secret:TEAM', 'x-desk': 'finance' },
          options: { reasoningEffort: 'low' },
        },
      },
      secrets: name => `value-of-${name}`,
    });
    await models.call(ask('desk/gpt-5-mini'), LIVE);
    expect(received[0]!.headers).toMatchObject({
      authorization: 'Bearer value-of-KEY',
      'x-team': 'value-of-TEAM',
      'x-desk': 'finance',
    });
    expect(received[0]!.body.reasoning).toEqual({ effort: 'low' });
  });

  it('whose key is no reference is refused, and the key not repeated', async () => {
    const models = createModels({ providers: { desk: { kind: 'openai', key: 'sk-plain-key' } } });
    const error = await outcome(models.call(ask('desk/gpt-5-mini'), LIVE));
    expect(error).toMatchObject({ code: 'InvalidSecretReference' });
    expect(JSON.stringify(error)).not.toContain('sk-plain-key');
  });

  it('may be any package of the AI SDK', async () => {
    const { url, script } = await served();
    script({ text: 'One.', calls: [{ id: 'c', tool: 'refund', arguments: '{"a":1.10}' }] });
    const provider = createOpenAICompatible({ name: 'mine', baseURL: url });
    const models = createModels({ providers: { mine: { kind: 'ai-sdk', provider } } });
    expect(await models.call(ask('mine/one', { tools }), LIVE)).toMatchObject({
      text: 'One.',
      calls: [{ id: 'c', tool: 'refund', arguments: '{"a":1.10}' }],
      finish: 'tools',
    });
  });
});

describe('a conversation', () => {
  const messages = [
    { role: 'user', text: 'Charged twice!' },
    { role: 'assistant' },
    { role: 'assistant', calls: [{ id: 'c', tool: 'refund', arguments: '{"order": "R-17", ' }] },
    { role: 'tool', id: 'c', tool: 'refund', result: { code: 'argumentsInvalid' }, failed: true },
  ] as const;

  it('shows the model of Anthropic arguments that were no JSON, in the form that its API takes', async () => {
    const { url, script, received } = await served();
    script({ text: 'One.' });
    await modelsAt(url).call({ model: MODEL.anthropic, messages, tools }, LIVE);
    expect(received[0]!.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', input: { INVALID_JSON: '{"order": "R-17", ' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', is_error: true }] },
    ]);
  });

  it('leaves out what an assistant did not say', async () => {
    const { url, script, received } = await served();
    script({ text: 'One.' });
    await modelsAt(url).call({ model: MODEL['openai-chat'], messages, tools }, LIVE);
    const roles = (received[0]!.body.messages as { role: string }[]).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool']);
  });
});

describe('a tool whose name no provider takes', () => {
  const named = [
    { name: 'crm.look_up', input: { type: 'object', properties: {} } },
    { name: 'crm_look_up', input: { type: 'object', properties: {} } },
    { name: `查询.${'x'.repeat(80)}`, input: { type: 'object', properties: {} } },
  ];
  const messages = [
    { role: 'user', text: 'Who is it?' },
    { role: 'assistant', calls: [{ id: 'c', tool: 'crm.look_up', arguments: '{}' }] },
    { role: 'tool', id: 'c', tool: 'crm.look_up', result: { found: 0 } },
  ] as const;

  it.each(['openai-chat', 'openai', 'anthropic'] as const)(
    'is sent to %s under a name of its own that is taken, and called by ours',
    async flavour => {
      const { url, script, received } = await served();
      script(
        { calls: [{ id: 'c2', tool: 'crm_look_up_2', arguments: '{}' }] },
        { calls: [{ id: 'c3', tool: 'made.up', arguments: '{}' }] },
      );
      const request = { model: MODEL[flavour], messages, tools: named };
      expect((await modelsAt(url).call(request, LIVE)).calls).toMatchObject([{ tool: 'crm.look_up' }]);
      expect((await modelsAt(url).call(request, { ...LIVE, onText: () => {} })).calls).toMatchObject([
        { tool: 'made.up' },
      ]);
      const sent = JSON.stringify(received[0]!.body);
      const names = [...new Set([...sent.matchAll(/"name":"([^"]+)"/g)].map(match => match[1]!))];
      expect(names).toEqual(expect.arrayContaining(['crm_look_up', 'crm_look_up_2', `___${'x'.repeat(61)}`]));
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    },
  );
});

describe('a setting', () => {
  it('that a model does not take is left out, and it is told', async () => {
    const { url, script, received } = await served();
    script({ text: 'One.' }, { text: 'Two.' });
    const told: ModelNotice[] = [];
    const models = modelsAt(url, { observe: notice => told.push(notice) });
    const request = ask('openai/gpt-5-mini', { temperature: 0.2, maxOutputTokens: 100 });
    await models.call(request, LIVE);
    await models.call(request, { ...LIVE, onText: () => {} });
    for (const { body } of received) expect([body.temperature, body.max_output_tokens]).toEqual([undefined, 100]);
    const notice = { kind: 'ignored', model: 'openai/gpt-5-mini', what: expect.stringContaining('temperature') };
    expect(told).toEqual([notice, notice]);
  });
});

describe('usage', () => {
  it.each([
    ['less than nothing', { input: -5_000, output: 7 }, { input: 0, output: 7, unknown: true }],
    ['no whole number', { input: 11, output: 0.5 }, { input: 11, output: 0, unknown: true }],
    ['more from the cache than there was', { input: 11, output: 7, cached: 12 }, { input: 11, output: 7 }],
  ])('that is %s is not believed', async (_, usage, read) => {
    const { url, script } = await served();
    script({ text: 'One.', usage }, { text: 'Two.', usage });
    const models = modelsAt(url);
    const whole = await models.call(ask(MODEL.compatible), LIVE);
    const streamed = await models.call(ask(MODEL.compatible), { ...LIVE, onText: () => {} });
    expect([whole.usage, streamed.usage]).toEqual([read, read]);
    expect(() => models.costOf(whole.usage, 'openai/gpt-5-mini')).not.toThrow();
  });

  it.each(['openai-chat', 'compatible'] as const)('that %s does not tell is unknown, not nothing', async flavour => {
    const { url, script } = await served();
    script({ text: 'One.', usage: null }, { text: 'Two.', usage: null });
    const models = modelsAt(url);
    const whole = await models.call(ask(MODEL[flavour]), LIVE);
    const streamed = await models.call(ask(MODEL[flavour]), { ...LIVE, onText: () => {} });
    for (const { usage } of [whole, streamed]) expect(usage).toEqual({ input: 0, output: 0, unknown: true });
    expect(models.costOf(whole.usage, 'openai/gpt-5-mini')).toBeUndefined();
  });
});
