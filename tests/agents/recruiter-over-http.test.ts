import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startExample } from '../../examples/shared/src/testing/example-process.ts';
import { served } from '../../packages/models/ai-sdk/src/testing/served.ts';

const MAIN = new URL('../../examples/recruiter/src/main.ts', import.meta.url);
const KEY = 'sk-canary-5Hq0';

vi.setConfig({ testTimeout: 180_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recruiter-http-'));
  const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];
  for (const name of [...names, 'RECRUITER_MODEL', 'RECRUITER_CONTRACT']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const bearer = { authorization: `Bearer ${KEY}` };

it.each([
  ['an address and nothing else', {}, 'OPENAI_BASE_URL', 'openai-compatible/default', '/chat/completions', {}],
  [
    'an address and a key',
    { OPENAI_API_KEY: KEY },
    'OPENAI_BASE_URL',
    'openai-compatible/default',
    '/chat/completions',
    bearer,
  ],
  [
    'a key of OpenAI and the name of a model',
    { OPENAI_API_KEY: KEY, RECRUITER_MODEL: 'openai/gpt-5-mini' },
    'OPENAI_BASE_URL',
    'openai/gpt-5-mini',
    '/responses',
    bearer,
  ],
  [
    'a key of Anthropic',
    { ANTHROPIC_API_KEY: KEY },
    'ANTHROPIC_BASE_URL',
    'anthropic/claude-haiku-4-5',
    '/messages',
    { 'x-api-key': KEY },
  ],
])(
  'the recruiter talks to a language model over HTTP where the environment has %s',
  async (_, env, address, model, path, headers) => {
    const { url, script, received } = await served();
    const lookUp = { id: 'c1', tool: 'get_candidate_info', arguments: '{"candidate_id":"cand_a1b2c3d4"}' };
    script({ calls: [lookUp] }, { text: 'Ada has seven years behind her.' });
    for (const [name, value] of Object.entries({ ...env, [address]: url })) vi.stubEnv(name, value);
    const recruiter = startExample(MAIN, folder, ['Look up cand_a1b2c3d4']);
    expect(await recruiter.exit, recruiter.output()).toBe(0);
    expect(recruiter.output()).toContain(`(${model})\n◂ Ada has seven years behind her.`);
    expect(recruiter.output()).not.toContain(KEY);
    expect(received.map(request => request.path)).toEqual([`/v1${path}`, `/v1${path}`]);
    expect(received[0]!.headers).toMatchObject(headers);
    if (!('authorization' in headers)) expect(received[0]!.headers).not.toHaveProperty('authorization');
    expect(received[0]!.body.model).toBe(model.slice(model.indexOf('/') + 1));
    // What the tool gave is told to the model.
    expect(JSON.stringify(received[1]!.body)).toContain('Ada Novak');
  },
);
