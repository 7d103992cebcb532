import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK, WAITER } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  bench.file('waiter.yaml', WAITER);
});
afterAll(() => bench.remove());

async function begin(file = 'desk.yaml'): Promise<RunJson> {
  return (await bench.json<RunJson>('run', file, '--input', '{"message":"hi"}')).json;
}

async function steer(...argv: string[]) {
  const { code, json } = await bench.json<RunJson & ErrorJson>(...argv);
  return { code, json };
}

describe('steering a run', () => {
  it('pause, step, resume: recorded with who and why', async () => {
    const { runId, requests } = await begin();
    expect(await steer('pause', runId, '--reason', 'lunch', '--as', 'user:ann')).toMatchObject({
      code: 0,
      json: { status: 'paused' },
    });
    expect(await steer('answer', requests[0]!.id, '--values', '{"amount":1}')).toMatchObject({
      code: 10,
      json: { status: 'paused' },
    });
    expect(await steer('step', runId)).toMatchObject({
      code: 0,
      json: { status: 'completed', output: { reply: 'refunded 1' } },
    });
    expect(await steer('resume', runId)).toMatchObject({ code: 1, json: { error: { code: 'WrongStatus' } } });
    const { json } = await bench.json<{ events: object[] }>('events', runId);
    expect(json.events).toContainEqual(
      expect.objectContaining({ type: 'run.paused', data: { reason: 'lunch' }, actor: { kind: 'user', id: 'ann' } }),
    );
  });

  it('edit: validated; unknown keys and wrong values are refused with 2', async () => {
    const { runId } = await begin();
    expect(await steer('edit', runId, '--set', '{"amount":7}')).toMatchObject({ code: 0 });
    expect(await steer('edit', runId, '--set', '{"amount":"x"}')).toMatchObject({
      code: 2,
      json: { error: { code: 'InvalidState' } },
    });
    expect(await steer('edit', runId, '--set', '{"amuont":1}')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownStateKey' } },
    });
    expect(await steer('edit', runId)).toMatchObject({ code: 2, json: { error: { code: 'Usage' } } });
    expect((await bench.json<{ state: object }>('state', runId)).json.state).toEqual({ amount: 7 });
    expect(await steer('edit', runId, '--remove', 'amount')).toMatchObject({ code: 0 });
    expect((await bench.json<{ state: object }>('state', runId)).json.state).toEqual({});
  });

  it('jump and rollback: forward and back, with new questions', async () => {
    const { runId, requests } = await begin();
    await steer('edit', runId, '--set', '{"amount":7}');
    expect(await steer('jump', runId, 'done')).toMatchObject({ code: 0, json: { output: { reply: 'refunded 7' } } });
    expect(await steer('jump', runId, 'nowhere')).toMatchObject({ code: 1 });
    const back = await steer('rollback', runId, '--to', '6', '--reason', 'too early');
    expect(back).toMatchObject({ code: 10, json: { status: 'suspended' } });
    expect(back.json.requests[0]!.id).not.toBe(requests[0]!.id);
    expect(await steer('rollback', runId, '--to', '0')).toMatchObject({ code: 2 });
  });

  it('fork: a run of its own; the parent is not touched', async () => {
    const { runId } = await begin();
    const { code, json } = await steer('fork', runId, '--at', '6');
    expect(code).toBe(10);
    expect(json).toMatchObject({ fork: { parent: runId, at: 5 } });
    expect((await bench.run('show', json.runId)).stdout).toContain(`fork of ${runId} at 5`);
    expect(await steer('answer', json.requests[0]!.id, '--values', '{"amount":3}')).toMatchObject({ code: 0 });
    expect((await bench.json<RunJson>('show', runId)).json.status).toBe('suspended');
  });

  it('fork: says whose past it shares up to where, and is not the run of its parent’s key', async () => {
    const started = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}', '--key', 'mail-9');
    const { runId } = started.json;
    expect(started.json).toMatchObject({ key: 'mail-9' });
    const { json } = await steer('fork', runId, '--at', '3');
    const { at } = (json as unknown as { fork: { at: number } }).fork;
    expect(at).toBeLessThanOrEqual(3);
    expect(json).not.toHaveProperty('key');
    expect(json).toMatchObject({ fork: { parent: runId, at } });
    const shown = await bench.run('show', json.runId);
    expect(shown.stdout).toContain(`fork of ${runId} at ${at}`);
    expect(shown.stdout).not.toContain('mail-9');
    const { runs } = (await bench.json<{ runs: { runId: string; key: string | null }[] }>('runs')).json;
    expect(runs.find(run => run.runId === json.runId)).toMatchObject({ key: null });
    expect(
      (await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}', '--key', 'mail-9')).json.runId,
    ).toBe(runId);
  });

  it('cancel: for good, and closes the question', async () => {
    const { runId, requests } = await begin();
    expect(await steer('cancel', runId, '--reason', 'sold out')).toMatchObject({
      code: 0,
      json: { status: 'cancelled', requests: [] },
    });
    expect(await steer('answer', requests[0]!.id, '--action', 'approve')).toMatchObject({ code: 1 });
    expect(await steer('pause', runId)).toMatchObject({ code: 1, json: { error: { code: 'WrongStatus' } } });
  });

  it('retry: goes on where it failed', async () => {
    bench.file(
      'parts.yaml',
      'name: parts\nentry: a\nstate: { type: object, properties: { n: { type: number } } }\nnodes:\n  a: { type: transform, output: { n: state.n + 1 } }\n',
    );
    bench.file(
      'parts.yaml',
      DESK.replace('name: desk', 'name: parts').replace('when: has(state.amount) }', 'when: state.amount > 1 }'),
    );
    const { runId } = await begin();
    expect(await steer('retry', runId)).toMatchObject({ code: 1, json: { error: { code: 'CannotRetry' } } });
    const started = await begin();
    const failed = await steer('answer', started.requests[0]!.id, '--action', 'reject');
    expect(failed).toMatchObject({ code: 1, json: { status: 'failed' } });
    expect(await steer('retry', started.runId)).toMatchObject({
      code: 1,
      json: { status: 'failed', error: { code: 'Refused' } },
    });
  });

  it('signal, then time: the run waits in nobody’s memory and goes on when it is resumed', async () => {
    const { runId } = await begin('waiter.yaml');
    const rung = await steer('signal', runId, 'bell', '--value', '{"by":"door"}', '--id', 's1');
    expect(rung).toMatchObject({ code: 10, json: { status: 'suspended' } });
    await new Promise(proceed => setTimeout(proceed, 350));
    expect(await steer('resume', runId)).toMatchObject({ code: 0, json: { status: 'completed' } });
    expect(rung.json.runId).toBe(runId);
  });

  it('migrate: onto a version that the store knows', async () => {
    const { runId } = await begin();
    bench.file('desk2.yaml', DESK.replace("'refunded '", "'paid back '"));
    const tagged = await bench.json<{ version: string }>('graph', 'tag', 'desk2.yaml', 'next');
    expect(tagged.code).toBe(0);
    expect(await steer('migrate', runId, '--to', 'next')).toMatchObject({
      code: 0,
      json: { version: tagged.json.version },
    });
    expect(await steer('migrate', runId, '--to', 'never')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownVersion' } },
    });
    const { json } = await bench.json<RunJson>('show', runId);
    expect(await steer('answer', json.requests[0]!.id, '--values', '{"amount":2}')).toMatchObject({
      code: 0,
      json: { output: { reply: 'paid back 2' } },
    });
  });
});

describe('versions of graphs', () => {
  it('tag, activate, list, rollback: new runs by name begin with the active one', async () => {
    const text = (word: string) =>
      `name: words\nentry: a\nnodes: { a: { type: transform, output: { word: "'${word}'" } } }\n`;
    bench.file('one.yaml', text('one'));
    bench.file('two.yaml', text('two'));
    const one = await bench.json<{ version: string }>('graph', 'activate', 'one.yaml');
    expect(one).toMatchObject({ code: 0, json: { name: 'words', label: 'active' } });
    await bench.run('graph', 'tag', 'one.yaml', '1.0');
    const two = await bench.json<{ version: string }>('graph', 'activate', 'two.yaml');
    expect(await bench.json('run', 'words')).toMatchObject({
      code: 0,
      json: { output: { word: 'two' }, label: 'active' },
    });
    expect(await bench.json('run', 'words', '--label', '1.0')).toMatchObject({
      code: 0,
      json: { output: { word: 'one' } },
    });
    const { json } = await bench.json<{ graphs: { name: string }[] }>('graph', 'list');
    expect(json.graphs.filter(({ name }) => name === 'words')).toMatchObject([
      { version: one.json.version, labels: ['1.0'] },
      { version: two.json.version, labels: ['active'] },
    ]);
    expect(await bench.json('graph', 'rollback', 'words')).toMatchObject({
      code: 0,
      json: { version: one.json.version },
    });
    expect(await bench.json('run', 'words')).toMatchObject({ code: 0, json: { output: { word: 'one' } } });
    expect(await bench.json('graph', 'activate', 'words', two.json.version.slice(0, 10))).toMatchObject({ code: 0 });
    expect(await bench.json('graph', 'show', 'words', '--version', '1.0')).toMatchObject({
      code: 0,
      json: { version: one.json.version },
    });
    expect((await bench.run('graph', 'show', 'words', '--mermaid')).stdout).toMatch(/^flowchart TD\n/);
    expect(await bench.json('graph', 'show', 'wrods')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownGraph' } },
    });
  });
});
