import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '@signalbox/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cassetteModel } from './cassette-model.ts';
import { environmentSecrets } from './hidden-secrets.ts';
import { scriptedModel } from './scripted-model.ts';

const LIVE = { signal: new AbortController().signal };
const secrets = {};
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'));
  file = join(folder, 'deep', 'desk.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { model: 'test/one', messages: [{ role: 'user', text }], ...more };
}

describe('a cassette', () => {
  it('replays what it recorded, without the model', async () => {
    const recording = cassetteModel({ file, mode: 'record', model: scriptedModel(['退款。', 'Two.']), secrets });
    const recorded = [await recording.call(ask('a'), LIVE), await recording.call(ask('b'), LIVE)];
    const replaying = cassetteModel({ file, secrets });
    const replayed = [await replaying.call(ask('b'), LIVE), await replaying.call(ask('a'), LIVE)];
    expect(replayed).toEqual(recorded.toReversed());
  });

  it('is readable: a line for each request, in plain letters', async () => {
    const model = scriptedModel(['退款。', 'Two.']);
    const recording = cassetteModel({ file, mode: 'record', model, secrets });
    await recording.call(ask('a'), LIVE);
    await recording.call(ask('b'), LIVE);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), request: ask('a'), reply: { text: '退款。' } },
      { request: ask('b'), reply: { text: 'Two.' } },
    ]);
    expect(lines[0]).toContain('退款');
  });

  it('gives the replies to one request in their order, then the last', async () => {
    const recording = cassetteModel({ file, mode: 'record', model: scriptedModel(['One.', 'Two.']), secrets });
    for (let time = 0; time < 2; time += 1) await recording.call(ask('a'), LIVE);
    const replaying = cassetteModel({ file, secrets });
    const texts = [];
    for (let time = 0; time < 3; time += 1) texts.push((await replaying.call(ask('a'), LIVE)).text);
    expect(texts).toEqual(['One.', 'Two.', 'Two.']);
  });

  it('knows a request whatever the order of its members', async () => {
    const recording = cassetteModel({ file, mode: 'record', model: scriptedModel(['One.']), secrets });
    await recording.call({ model: 'test/one', messages: [{ role: 'user', text: 'a' }], seed: 1 }, LIVE);
    const { text } = await cassetteModel({ file, secrets }).call(
      { seed: 1, messages: [{ text: 'a', role: 'user' }], model: 'test/one' },
      LIVE,
    );
    expect(text).toBe('One.');
  });

  it('tells what differs from the nearest request that it has', async () => {
    const recording = cassetteModel({ file, mode: 'record', model: scriptedModel(['One.', 'Two.']), secrets });
    await recording.call(ask('Something else', { system: 'Else.', seed: 9 }), LIVE);
    await recording.call(ask('Charged twice!', { system: 'You work at the desk.' }), LIVE);
    const request = ask('Charged thrice!', { system: 'You work at the desk.', temperature: 0 });
    await expect(cassetteModel({ file, secrets }).call(request, LIVE)).rejects.toMatchObject({
      code: 'CassetteMiss',
      details: {
        differences: [
          '/messages/0/text was "Charged twice!", is "Charged thrice!"',
          '/temperature was not there, is 0',
        ],
      },
    });
  });

  it('in mode auto asks the model for what it does not have, and has it then', async () => {
    const model = scriptedModel(['One.', 'Two.']);
    const first = cassetteModel({ file, mode: 'auto', model, secrets });
    await first.call(ask('a'), LIVE);
    const second = cassetteModel({ file, mode: 'auto', model, secrets });
    expect((await second.call(ask('a'), LIVE)).text).toBe('One.');
    expect((await second.call(ask('b'), LIVE)).text).toBe('Two.');
    expect((await cassetteModel({ file, secrets }).call(ask('b'), LIVE)).text).toBe('Two.');
  });

  it('in mode record is written anew', async () => {
    for (const text of ['One.', 'Two.'])
      await cassetteModel({ file, mode: 'record', model: scriptedModel([text]), secrets }).call(ask('a'), LIVE);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });

  it('does not record what failed', async () => {
    const model = scriptedModel([{ fails: 'ModelUnavailable' }, 'One.']);
    const recording = cassetteModel({ file, mode: 'auto', model, secrets });
    await expect(recording.call(ask('a'), LIVE)).rejects.toMatchObject({ code: 'ModelUnavailable' });
    expect((await recording.call(ask('a'), LIVE)).text).toBe('One.');
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });

  it('never has a secret in it, and replays where the secret is another', async () => {
    const canary = 'sk-canary-"7Q2';
    const model = scriptedModel([{ text: `It is ${canary}.`, calls: [{ tool: 'look', arguments: { key: canary } }] }]);
    const recording = cassetteModel({ file, mode: 'record', model, secrets: { SHOP_KEY: canary } });
    await recording.call(ask(`My key is ${canary}`), LIVE);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('[secret:SHOP_KEY]');
    expect(text).not.toContain('7Q2');
    const other = 'another-"one';
    const replaying = cassetteModel({ file, secrets: { SHOP_KEY: other } });
    const { text: said, calls } = await replaying.call(ask(`My key is ${other}`), LIVE);
    expect(said).toBe(`It is ${other}.`);
    expect(JSON.parse(calls[0]!.arguments)).toEqual({ key: other });
  });

  it('has the longest of secrets that hold each other in place, in names as well, whatever signs they are of', async () => {
    const [short, long] = ["token-$&-$'", "token-$&-$'-of-all"];
    const model = scriptedModel([{ text: `${long} ${short}`, calls: [{ tool: 'look', arguments: { [short]: 1 } }] }]);
    const recording = cassetteModel({ file, mode: 'record', model, secrets: { SHORT: short, LONG: long } });
    const request = ask('a', { output: { type: 'object', properties: { [short]: { type: 'string' } } } });
    const recorded = await recording.call(request, LIVE);
    const line = JSON.parse(readFileSync(file, 'utf8'));
    expect(line.reply.text).toBe('[secret:LONG] [secret:SHORT]');
    expect(line.request.output.properties).toEqual({ '[secret:SHORT]': { type: 'string' } });
    const replaying = cassetteModel({ file, secrets: { SHORT: short, LONG: long } });
    expect(await replaying.call(request, LIVE)).toEqual(recorded);
  });

  it('leaves words alone that are short and no secrets, though the environment calls them so', () => {
    expect(environmentSecrets({ API_KEY: 'none', SOME_TOKEN: 'long-enough', PATH: '/usr/bin:/bin' })).toEqual({
      SOME_TOKEN: 'long-enough',
    });
  });

  it('takes what the environment has for secrets, unless it is told which they are', async () => {
    process.env.TEST_CASSETTE_TOKEN = 'token-of-the-test';
    try {
      const recording = cassetteModel({ file, mode: 'record', model: scriptedModel(['One.']) });
      await recording.call(ask('My token is token-of-the-test'), LIVE);
    } finally {
      delete process.env.TEST_CASSETTE_TOKEN;
    }
    expect(readFileSync(file, 'utf8')).not.toContain('token-of-the-test');
  });

  it('that is not there, or cannot be read, is told of by name and line', () => {
    expect(() => cassetteModel({ file, secrets })).toThrow(expect.objectContaining({ code: 'CassetteMiss' }));
    const broken = join(folder, 'broken.jsonl');
    writeFileSync(broken, '\n{"request":{},"reply":{}}\n{"request":{},"reply":{}');
    expect(() => cassetteModel({ file: broken, secrets })).toThrow(
      expect.objectContaining({ code: 'CassetteUnreadable', details: { file: broken, line: 3 } }),
    );
  });

  it('tells what usage costs, as the model does, so that budgets of money hold beside it', async () => {
    const money = { amount: '0.25', currency: 'EUR' };
    const model = { ...scriptedModel(['One.']), costOf: () => money };
    const recording = cassetteModel({ file, mode: 'record', model, secrets });
    await recording.call(ask('a'), LIVE);
    const usage = { input: 1, output: 1 };
    expect(recording.costOf?.(usage, 'test/one')).toEqual(money);
    expect(cassetteModel({ file, model, secrets }).costOf?.(usage, 'test/one')).toEqual(money);
    expect(cassetteModel({ file, secrets }).costOf).toBeUndefined();
  });

  it('that is to record needs a model', () => {
    expect(() => cassetteModel({ file, mode: 'auto', secrets })).toThrow(
      expect.objectContaining({ code: 'InvalidConfig' }),
    );
  });
});
