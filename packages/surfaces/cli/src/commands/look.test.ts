import { existsSync } from 'node:fs';
import { createSqliteStore } from '@signalbox/store-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

const STORE = '.signalbox/signalbox.db';

let bench: Workbench;
let runId: string;
let request: string;

beforeAll(async () => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"退款"}', '--session', 'ses_1');
  runId = json.runId;
  request = json.requests[0]!.id;
  await bench.run('edit', runId, '--set', '{"amount":5}', '--as', 'user:ann', '--reason', 'a guess');
});
afterAll(() => bench.remove());

describe('commands that only look', () => {
  it.each([
    ['runs'],
    ['inbox'],
    ['show', 'run_x'],
    ['timeline', 'run_x'],
    ['events', 'run_x'],
    ['state', 'run_x'],
    ['blame', 'run_x', 'a'],
    ['why', 'run_x'],
    ['verify', '--all'],
    ['heads'],
    ['replay', '--open'],
    ['export', 'run_x'],
    ['answer', 'req_x', '--action', 'approve'],
    ['pause', 'run_x'],
  ])('%s: make no database where there is none, and say so', async (...argv) => {
    const { code, json } = await bench.json<ErrorJson>(...argv, '--store', 'sqlite:empty/none.db');
    expect({ code, error: json.error.code }).toEqual({ code: 2, error: 'StoreMissing' });
    expect(existsSync(bench.path('empty'))).toBe(false);
  });

  it.each([['show'], ['timeline'], ['events'], ['state'], ['why'], ['verify'], ['replay'], ['export'], ['resume']])(
    '%s: end with 2 for a run that is not there',
    async name => {
      const { code, json } = await bench.json<ErrorJson>(name, 'run_none');
      expect({ code, error: json.error.code }).toEqual({ code: 2, error: 'UnknownRun' });
    },
  );

  it('runs: one document, by status, graph and session, page by page', async () => {
    await bench.run('run', 'desk.yaml', '--input', '{"message":"b"}', '--session', 'ses_2');
    const all = await bench.json<{ runs: object[]; next: string | null }>('runs');
    expect(all.code).toBe(0);
    expect(all.json.runs).toHaveLength(2);
    expect(all.json.runs[1]).toMatchObject({ runId, graph: 'desk', status: 'suspended', session: 'ses_1', key: null });
    expect((await bench.json<{ runs: object[] }>('runs', '--session', 'ses_1')).json.runs).toHaveLength(1);
    expect((await bench.json<{ runs: object[] }>('runs', '--status', 'completed,failed')).json.runs).toEqual([]);
    const page = await bench.json<{ runs: object[]; next: string }>('runs', '--limit', '1');
    const rest = await bench.json<{ runs: object[] }>('runs', '--limit', '1', '--after', page.json.next);
    expect([...page.json.runs, ...rest.json.runs]).toEqual(all.json.runs);
    expect((await bench.run('runs')).stdout).toContain(runId);
    expect((await bench.run('runs', '-q', '--session', 'ses_1')).stdout).toBe(`${runId}\n`);
  });

  it('inbox: one document with whole questions; for somebody, those of others are left out', async () => {
    const { json } = await bench.json<{ requests: object[]; next: null }>('inbox', '--run', runId);
    expect(json).toMatchObject({
      next: null,
      requests: [{ id: request, runId, graph: 'desk', fields: [{ name: 'amount' }, {}] }],
    });
    expect((await bench.json<{ requests: object[] }>('inbox', '--for', 'role:finance')).json.requests).toHaveLength(2);
    expect((await bench.json<{ requests: object[] }>('inbox', '--for', 'role:lead')).json.requests).toEqual([]);
    expect((await bench.run('inbox', '-q', '--run', runId)).stdout).toBe(`${request}\n`);
    expect((await bench.run('inbox', '--run', runId)).stdout).toContain('How much do we refund?');
  });

  it('show: the way first, then what is asked, in readable letters', async () => {
    const { code, stdout } = await bench.run('show', runId);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('prepare → review? (suspended)');
    expect(stdout).toContain(`signalbox answer ${request} --values '{"amount":20}'`);
  });

  it('show --node: what a node got, beside what it gave, visit by visit', async () => {
    const { json } = await bench.json<{ visits: object[] }>('show', runId, '--node', 'prepare');
    expect(json).toMatchObject({ runId, node: 'prepare', visits: [{ visit: 1, status: 'success', attempts: 1 }] });
    expect(json.visits[0]).toMatchObject({ input: expect.anything(), output: expect.anything() });
    const { stdout } = await bench.run('show', runId, '--node', 'prepare');
    expect(stdout).toMatch(/^prepare#1 {2}success.*\n {2}input {2}.*\n {2}output .*\n$/);
    expect(await bench.json('show', runId, '--node', 'nowhere')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownNode' } },
    });
  });

  it('timeline and events: who did what; from a sequence number', async () => {
    expect((await bench.run('timeline', runId)).stdout).toMatch(/user:ann.*a guess/);
    const timeline = await bench.json<{ rows: { what: string; actor: string }[] }>('timeline', runId);
    expect(timeline.json.rows[0]).toMatchObject({ seq: 1, what: 'run.started' });
    const events = await bench.json<{ runId: string; events: { seq: number; type: string }[] }>(
      'events',
      runId,
      '--from',
      '4',
    );
    expect(events.json.runId).toBe(runId);
    expect(events.json.events[0]).toMatchObject({ seq: 4, id: `${runId}.4` });
    expect((await bench.run('events', runId)).stdout).toContain('退款');
    expect(await bench.json('events', runId, '--from', 'x')).toMatchObject({
      code: 2,
      json: { error: { code: 'InvalidValue' } },
    });
  });

  it('state: now, at an event, at a time', async () => {
    const now = await bench.json<{ state: object; seq: number }>('state', runId);
    expect(now.json.state).toEqual({ amount: 5 });
    expect((await bench.json<{ state: object }>('state', runId, '--at', '3')).json).toMatchObject({
      seq: 3,
      state: {},
    });
    expect((await bench.json<{ state: object }>('state', runId, '--at', '2999-01-01T00:00:00Z')).json).toEqual(
      now.json,
    );
    expect(await bench.json('state', runId, '--at', '999')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownPoint' } },
    });
    expect(await bench.json('state', runId, '--token', 'x')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownToken' } },
    });
  });

  it('blame and why: every change of a place, every reason', async () => {
    const blame = await bench.json<{ changes: object[] }>('blame', runId, 'amount');
    expect(blame.json.changes).toMatchObject([{ source: 'edit:ann', actor: { kind: 'user', id: 'ann' }, new: 5 }]);
    expect((await bench.run('blame', runId, 'amount')).stdout).toContain('(absent) → 5');
    expect((await bench.run('why', runId)).stdout).toMatch(/^run_\S+ suspended: waits for an answer of role:finance/);
    expect((await bench.json<{ rows: object[] }>('why', runId)).json.rows.at(-1)).toMatchObject({
      what: 'run.started',
    });
  });

  it('replay: a run as it was at any moment', async () => {
    const { code, json } = await bench.json<object>('replay', runId, '--until', '3');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      runId,
      seq: 3,
      events: 3,
      same: true,
      status: 'running',
      places: [{ node: 'prepare' }],
    });
    const { json: now } = await bench.json<object>('replay', runId);
    expect(now).toMatchObject({ same: true, status: 'suspended', state: { amount: 5 }, requests: [{ id: request }] });
  });

  it('doctor: this machine, the configuration, the store', async () => {
    const { code, json } = await bench.json<{ findings: { name: string }[] }>('doctor');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ok: true,
      findings: [{ name: 'node' }, { name: 'configuration' }, { name: 'store', facts: { durability: 'strict' } }],
    });
    bench.file('broken.db', 'this is no database, but long enough to be looked at as one '.repeat(20));
    expect(await bench.json('doctor', '--store', 'sqlite:broken.db')).toMatchObject({ code: 1, json: { ok: false } });
  });

  it('wrong usage ends with 2, also for programs', async () => {
    expect((await bench.run('shwo')).stderr).toContain('Did you mean show?');
    expect(await bench.json('show')).toMatchObject({ code: 2, json: { error: { code: 'Usage' } } });
    expect(await bench.json('runs', '--store', 'mysql:x')).toMatchObject({
      code: 2,
      json: { error: { code: 'InvalidStore' } },
    });
    expect((await bench.run('--help')).code).toBe(0);
    expect((await bench.run()).code).toBe(2);
  });
});

/** Characters that a terminal would not show but obey. */
function obeyed(text: string): string[] {
  return [...text].filter(character => /[\p{Cc}\u202e]/u.test(character) && character !== '\n');
}

describe('what data can do to a terminal', () => {
  it('is nothing: control characters are shown, not obeyed, in text and in JSON', async () => {
    const evil = '\u001b[2J\u009b31m\u202eabc\u0007';
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', JSON.stringify({ message: evil }));
    for (const name of ['show', 'timeline', 'events', 'why', 'state', 'replay'])
      for (const flags of [[], ['--json']]) {
        const { stdout } = await bench.run(name, json.runId, ...flags);
        expect(obeyed(stdout), `${name} ${flags.join()}`).toEqual([]);
      }
    expect((await bench.run('timeline', json.runId)).stdout).toContain('\\u{9b}');
    const events = await bench.json<{ events: { data: { input?: object } }[] }>('events', json.runId);
    expect(events.json.events[0]!.data.input).toEqual({ message: evil });
    const unknown = await bench.run('show', `run_${evil}`);
    expect(obeyed(unknown.stderr)).toEqual([]);
  });
});

describe('proofs', () => {
  it('verify: what is whole is whole; one changed byte is found, with its place, and ends with 1', async () => {
    expect(await bench.json('verify', runId)).toMatchObject({
      code: 0,
      json: { ok: true, streams: [{ ok: true, stream: runId }] },
    });
    expect(await bench.json('verify', '--all')).toMatchObject({ code: 0, json: { ok: true } });
    expect(await bench.json('verify')).toMatchObject({ code: 2, json: { error: { code: 'Usage' } } });
  });

  it('heads: kept outside, they show a log that was cut off', async () => {
    expect((await bench.run('heads', '--write', 'heads.jsonl')).stdout).toMatch(/^\d+ heads written/);
    expect(await bench.json('verify', '--all', '--heads', 'heads.jsonl')).toMatchObject({
      code: 0,
      json: { ok: true, heads: { ok: true, bad: [] } },
    });
    const other = await bench.json<{ heads: { bad: { code: string }[] } }>(
      ...['run', 'desk.yaml', '--input', '{"message":"x"}', '--store', 'sqlite:other.db'],
    );
    expect(other.code).toBe(10);
    expect(await bench.json('verify', '--all', '--heads', 'heads.jsonl', '--store', 'sqlite:other.db')).toMatchObject({
      code: 1,
      json: { ok: false, heads: { bad: expect.arrayContaining([expect.objectContaining({ code: 'HeadMissing' })]) } },
    });
  });

  it('export and import: another store goes on with the very run', async () => {
    const { stdout } = await bench.run('export', runId);
    expect(await bench.json('export', runId, '--out', 'run.jsonl')).toMatchObject({ code: 0, json: { runId } });
    expect(stdout.split('\n').slice(1)).toEqual((await bench.run('export', runId)).stdout.split('\n').slice(1));
    const there = ['--store', 'sqlite:copy/box.db'];
    expect(await bench.json('import', 'run.jsonl', ...there)).toMatchObject({
      code: 0,
      json: { runId, existed: false },
    });
    expect(await bench.json('import', 'run.jsonl', ...there)).toMatchObject({
      code: 0,
      json: { runId, existed: true },
    });
    expect(await bench.json('verify', runId, ...there)).toMatchObject({ code: 0, json: { ok: true } });
    expect(await bench.json('answer', request, '--values', '{"amount":1}', ...there)).toMatchObject({
      code: 0,
      json: { runId, output: { reply: 'refunded 1' } },
    });
    bench.file('cut.jsonl', stdout.slice(0, -20));
    expect(await bench.json('import', 'cut.jsonl', '--store', 'sqlite:cut.db')).toMatchObject({
      code: 2,
      json: { error: { code: 'ImportInvalid' } },
    });
  });

  it('a store in use by another is shared', async () => {
    const store = createSqliteStore({ path: bench.path(STORE) });
    expect((await bench.run('show', runId)).code).toBe(0);
    await store.close();
  });
});
