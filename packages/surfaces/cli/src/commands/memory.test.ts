import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { Workbench } from '../testing/workbench.ts';

const MUSIC = `
name: music
entry: ask
nodes:
  ask:
    type: ask
    request:
      title: Which genre?
      fields: [{ name: genre, type: select, options: [jazz, rock], required: true }]
      remember: { key: genre, scope: session, ttl: 30d }
`;

let bench: Workbench;

beforeEach(() => {
  bench = new Workbench();
  bench.file('music.yaml', MUSIC);
});
afterEach(() => bench.remove());

const run = async () => (await bench.json<RunJson>('run', 'music.yaml', '--session', 'ses_1')).json;
const listed = async (...argv: string[]) =>
  (await bench.json<{ memory: readonly object[] }>('memory', 'list', ...argv)).json.memory;

describe('the memory command', () => {
  it('lists what was answered, which is not asked for again', async () => {
    const first = await run();
    await bench.run('answer', first.requests[0]!.id, '--values', '{"genre":"jazz"}', '--as', 'user:finn');
    expect(await listed('--session', 'ses_1')).toMatchObject([
      { key: 'genre', values: { genre: 'jazz' }, by: { kind: 'user', id: 'finn' }, run: first.runId },
    ]);
    expect((await bench.run('memory', 'list', '--session', 'ses_1')).stdout).toContain('{"genre":"jazz"}');
    const again = await run();
    expect(again.status).toBe('completed');
    expect((await bench.run('why', again.runId)).stdout).toContain('not asked again');
  });

  it('edits and forgets', async () => {
    await run();
    const edit = ['memory', 'edit', 'genre', '--session', 'ses_1', '--values', '{"genre":"rock"}', '--ttl', '1d'];
    expect(await bench.run(...edit)).toMatchObject({ code: 0, stdout: 'Remembered.\n' });
    expect((await run()).status).toBe('completed');
    expect(await bench.run('memory', 'forget', 'genre', '--session', 'ses_1')).toMatchObject({ code: 0 });
    expect((await run()).status).toBe('suspended');
    expect(await bench.json<ErrorJson>('memory', 'forget', 'genre', '--session', 'ses_1')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownMemory' } },
    });
  });

  it('takes the beginning of a run for it', async () => {
    const { runId } = await run();
    const named = ['--run', runId.slice(0, 16)];
    const edit = ['memory', 'edit', 'genre', ...named, '--values', '{"genre":"rock"}'];
    expect(await bench.run(...edit)).toMatchObject({ code: 0, stdout: 'Remembered.\n' });
    expect(await listed(...named)).toMatchObject([{ key: 'genre', values: { genre: 'rock' } }]);
    expect(await bench.run('memory', 'forget', 'genre', ...named)).toMatchObject({ code: 0 });
    expect(await bench.json<ErrorJson>('memory', 'list', '--run', 'run_ffffffff')).toMatchObject({
      json: { error: { code: 'UnknownRun' } },
    });
  });

  it('wants exactly one whose memory it is', async () => {
    await run();
    for (const argv of [[], ['--user', 'finn', '--session', 'ses_1']])
      expect(await bench.json<ErrorJson>('memory', 'list', ...argv)).toMatchObject({
        code: 2,
        json: { error: { code: 'Usage' } },
      });
    expect(await listed('--user', 'finn')).toEqual([]);
  });
});
