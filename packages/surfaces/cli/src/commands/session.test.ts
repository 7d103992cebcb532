import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let request: string;

beforeAll(async () => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"退款"}', '--session', 'ses_1');
  request = json.requests[0]!.id;
});
afterAll(() => bench.remove());

interface SessionJson {
  readonly status: string;
  readonly seq: number;
  readonly runs: number;
}

describe('the session command', () => {
  it('shows the status, which follows the runs', async () => {
    const { json } = await bench.json<SessionJson>('session', 'show', 'ses_1');
    expect(json).toMatchObject({ status: 'suspended', runs: 1, executing: [], queued: [] });
    expect((await bench.run('session', 'show', 'ses_1')).stdout).toMatch(/^ses_1 {2}suspended/);
    await bench.run('answer', request, '--values', '{"amount":1}');
    expect((await bench.json<SessionJson>('session', 'show', 'ses_1')).json.status).toBe('idle');
  });

  it('shows an earlier moment', async () => {
    const { json } = await bench.json<SessionJson>('session', 'show', 'ses_1', '--at', '1');
    expect(json).toMatchObject({ seq: 1, runs: 0 });
    expect(await bench.json<ErrorJson>('session', 'show', 'ses_1', '--at', '99')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownPoint' } },
    });
  });

  it('lists sessions, and messages that there may not be', async () => {
    const { json } = await bench.json<{ sessions: object[] }>('session', 'list');
    expect(json.sessions).toMatchObject([{ id: 'ses_1', runs: 1 }]);
    expect((await bench.json<{ messages: object[] }>('session', 'messages', 'ses_1')).json.messages).toEqual([]);
  });

  it('is begun with metadata, which the schema of the configuration is held against', async () => {
    bench.file(
      'desk.config.mjs',
      `const validate = value => {
        const { channel } = value;
        if (channel === 'phone' || channel === 'desktop') return { value };
        return { issues: [{ message: 'must be phone or desktop', path: ['channel'] }] };
      };
      const jsonSchema = {
        input: () => ({ type: 'object', properties: { channel: { enum: ['phone', 'desktop'] } } }),
        output: () => ({ type: 'object', properties: { channel: { enum: ['phone', 'desktop'] } } }),
      };
      export default { sessionMetadata: { '~standard': { version: 1, vendor: 'test', validate, jsonSchema } } };`,
    );
    const start = (...more: string[]) =>
      bench.json<RunJson & ErrorJson>(
        ...['run', 'desk.yaml', '--input', '{"message":"hi"}', '--config', 'desk.config.mjs', ...more],
      );
    const metadataOf = async (id: string) =>
      (await bench.json<{ metadata: object; seq: number }>('session', 'show', id)).json;
    expect(await start('--session', 'ses_m', '--session-metadata', '{"channel":"fax"}')).toMatchObject({
      code: 2,
      json: { error: { code: 'InvalidMetadata', message: expect.stringContaining('/channel') } },
    });
    expect(await bench.json<ErrorJson>('session', 'show', 'ses_m')).toMatchObject({ code: 2 });
    expect(await start('--session', 'ses_m', '--session-metadata', '{"channel":"phone"}')).toMatchObject({ code: 10 });
    expect(await metadataOf('ses_m')).toMatchObject({ metadata: { channel: 'phone' } });
    await start('--session', 'ses_m', '--session-metadata', '{"channel":"desktop"}');
    expect(await metadataOf('ses_m')).toMatchObject({ metadata: { channel: 'desktop' } });
    expect(await start('--session-metadata', '{"channel":"phone"}')).toMatchObject({
      code: 2,
      json: { error: { code: 'Usage' } },
    });
  });

  it('an id that there is not ends with 2', async () => {
    expect(await bench.json<ErrorJson>('session', 'messages', 'ses_2')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownSession' } },
    });
  });
});
