import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

interface Payloads {
  readonly runId: string;
  readonly payloads: readonly {
    readonly digest: string;
    readonly seq: number;
    readonly type: string;
    readonly member: string;
    readonly key: string | null;
    readonly erased: boolean;
  }[];
}

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  bench.file(
    'letters.yaml',
    `name: letters
entry: keep
input: { type: object, required: [text], properties: { text: { type: string } } }
state: { type: object, properties: { letter: { type: string } } }
nodes:
  keep: { type: transform, output: { length: size(input.text) }, update: { letter: input.text } }
`,
  );
});
afterAll(() => bench.remove());

async function begin(...argv: string[]): Promise<RunJson> {
  return (await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}', ...argv)).json;
}

describe('note', () => {
  it('keeps a remark with who made it, and drives nothing', async () => {
    const { runId } = await begin();
    const { code, json } = await bench.json<RunJson>('note', runId, 'asked by phone', '--as', 'user:ann');
    expect({ code, json }).toMatchObject({ code: 0, json: { runId, status: 'suspended' } });
    const { json: log } = await bench.json<{ events: object[] }>('events', runId);
    expect(log.events.at(-1)).toMatchObject({
      type: 'note.added',
      data: { text: 'asked by phone' },
      actor: { kind: 'user', id: 'ann' },
    });
  });

  it('of nothing is refused with 2', async () => {
    const { runId } = await begin();
    expect(await bench.json<ErrorJson>('note', runId, ' ')).toMatchObject({
      code: 2,
      json: { error: { code: 'InvalidValue' } },
    });
  });
});

describe('reopen', () => {
  it('takes up a completed run, which is paused then and can be set back', async () => {
    const { runId, requests } = await begin();
    await bench.run('answer', requests[0]!.id, '--values', '{"amount":1}');
    expect(await bench.json<RunJson>('reopen', runId, '--reason', 'it was 2')).toMatchObject({
      code: 0,
      json: { status: 'paused' },
    });
    await bench.run('jump', runId, 'review');
    expect(await bench.json<RunJson>('resume', runId)).toMatchObject({ code: 10, json: { status: 'suspended' } });
  });

  it('is refused while the run goes on, and once it is cancelled', async () => {
    const { runId } = await begin();
    const refused = { code: 1, json: { error: { code: 'WrongStatus' } } };
    expect(await bench.json<ErrorJson>('reopen', runId)).toMatchObject(refused);
    await bench.run('cancel', runId);
    expect(await bench.json<ErrorJson>('reopen', runId)).toMatchObject(refused);
  });
});

describe('erase', () => {
  it('lists what can be erased, and deletes what is named, by key or by digest, with --yes alone', async () => {
    bench.file('letter.json', JSON.stringify({ text: `秘密 ${'x'.repeat(70_000)}` }));
    const { json: run } = await bench.json<RunJson>('run', 'letters.yaml', '--input', '@letter.json');
    const { json: before } = await bench.json<Payloads>('erase', run.runId);
    expect(before.payloads.map(({ type, key, erased }) => [type, key, erased])).toEqual([
      ['run.started', null, false],
      ['state.changed', 'letter', false],
    ]);
    expect((await bench.run('erase', run.runId)).stdout).toContain('state.changed  letter');

    const unsure = await bench.run('erase', run.runId, 'letter');
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const byKey = await bench.json<object>(
      'erase',
      run.runId,
      'letter',
      '--yes',
      '--reason',
      'asked for',
      '--as',
      'user:ann',
    );
    expect(byKey).toEqual({ code: 0, json: { runId: run.runId, erased: [before.payloads[1]!.digest] } });
    const digest = before.payloads[0]!.digest.slice(0, 12);
    expect((await bench.run('erase', run.runId, digest, '--yes')).code).toBe(0);
    expect((await bench.run('erase', run.runId, digest, '--yes')).stdout).toBe('It is erased already.\n');

    const { json: after } = await bench.json<Payloads>('erase', run.runId);
    expect(after.payloads.every(({ erased }) => erased)).toBe(true);
    expect((await bench.run('state', run.runId)).stdout).not.toContain('秘密');
    expect((await bench.run('verify', run.runId)).code).toBe(0);
    const { json: log } = await bench.json<{ events: { type: string }[] }>('events', run.runId);
    expect(log.events.find(({ type }) => type === 'payload.erased')).toMatchObject({
      data: { reason: 'asked for' },
      actor: { kind: 'user', id: 'ann' },
    });
  });

  it('tells what cannot be erased: small values stand in the log', async () => {
    const { runId } = await begin();
    expect((await bench.run('erase', runId)).stdout).toContain('Nothing of this run can be erased');
    for (const what of ['amount', 'abcdef123456'])
      expect(await bench.json<ErrorJson>('erase', runId, what, '--yes')).toMatchObject({
        code: 2,
        json: { error: { code: 'UnknownPayload' } },
      });
  });
});

describe('--tenant', () => {
  it('keeps runs, questions and start keys apart; what others have is unknown', async () => {
    const ours = await begin('--key', 'k1');
    const theirs = await begin('--key', 'k1', '--tenant', 'acme');
    expect(theirs.runId).not.toBe(ours.runId);
    const idsOf = async (...argv: string[]) =>
      (await bench.json<{ runs: { runId: string }[] }>('runs', ...argv)).json.runs.map(({ runId }) => runId);
    expect(await idsOf('--tenant', 'acme')).toEqual([theirs.runId]);
    expect(await idsOf()).toContain(ours.runId);
    expect(await idsOf()).not.toContain(theirs.runId);
    const { json } = await bench.json<{ requests: { id: string }[] }>('inbox', '--tenant', 'acme');
    expect(json.requests.map(({ id }) => id)).toEqual([theirs.requests[0]!.id]);

    for (const argv of [
      ['show', theirs.runId],
      ['why', theirs.runId.slice(0, -4)],
      ['pause', theirs.runId],
    ])
      expect(await bench.json<ErrorJson>(...argv)).toMatchObject({ code: 2, json: { error: { code: 'UnknownRun' } } });
    expect((await bench.run('show', theirs.runId)).stderr).toContain('--tenant');
    const answer = ['answer', theirs.requests[0]!.id, '--values', '{"amount":1}'];
    expect(await bench.json<ErrorJson>(...answer)).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownRequest' } },
    });
    expect(await bench.json<RunJson>(...answer, '--tenant', 'acme')).toMatchObject({
      code: 0,
      json: { status: 'completed' },
    });
  });

  it('has labels of its own, and is named in what is told to be done next', async () => {
    await bench.run('graph', 'tag', 'desk.yaml', 'live', '--tenant', 'acme');
    const labels = async (...argv: string[]) =>
      (await bench.json<{ graphs: { name: string; labels: string[] }[] }>('graph', 'list', ...argv)).json.graphs
        .filter(({ name }) => name === 'desk')
        .flatMap(graph => graph.labels);
    expect(await labels('--tenant', 'acme')).toEqual(['live']);
    expect(await labels()).toEqual([]);
    const { stdout, stderr } = await bench.run('run', 'desk.yaml', '--input', '{"message":"hi"}', '--tenant', 'acme');
    expect(stdout + stderr).toContain('--tenant acme');
    expect(await bench.json<ErrorJson>('runs', '--tenant', '')).toMatchObject({
      code: 2,
      json: { error: { code: 'InvalidValue' } },
    });
  });

  it('is looked at by replay --open alone', async () => {
    const count = async (...argv: string[]) =>
      (await bench.json<{ runs: object[] }>('replay', '--open', ...argv)).json.runs.length;
    expect(await count('--tenant', 'nobody')).toBe(0);
    expect(await count('--tenant', 'acme')).toBeGreaterThan(0);
  });
});

describe('rewrap', () => {
  it('keeps the keys of all runs under the first of the key file, after which the others may go', async () => {
    bench.file(
      'vault.yaml',
      `name: vault
entry: wait
input: { type: object, required: [word], properties: { word: { type: string, sensitive: true } } }
nodes:
  wait: { type: ask, request: { kind: confirmation, title: Go? } }
`,
    );
    const keys = bench.path('.signalbox/signalbox.db.key');
    const { runId } = (await bench.json<RunJson>('run', 'vault.yaml', '--input', '{"word":"nobody reads it"}')).json;
    const old = readFileSync(keys, 'utf8');
    const fresh = `${randomBytes(32).toString('base64')}\n`;
    writeFileSync(keys, fresh);
    expect(await bench.json('rewrap')).toMatchObject({ code: 1, json: { ok: false, failures: [{ stream: runId }] } });
    writeFileSync(keys, fresh + old);
    const { code, stdout } = await bench.run('rewrap');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 key wrapped anew') });
    writeFileSync(keys, fresh);
    expect(await bench.json('rewrap')).toMatchObject({ code: 0, json: { ok: true, rewrapped: 0, present: 1 } });
    const { json } = await bench.json<RunJson>('answer', runId, '--action', 'approve', '--graph', 'vault.yaml');
    expect(json).toMatchObject({ status: 'completed' });
  });
});
