import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let runId: string;
let request: string;

beforeAll(async () => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
  runId = json.runId;
  request = json.requests[0]!.id;
});
afterAll(() => bench.remove());

async function refused(...argv: string[]) {
  const { code, json } = await bench.json<ErrorJson>(...argv);
  return { code, error: json.error.code, hint: json.error.hint, message: json.error.message };
}

describe('names that are wrong', () => {
  it('a status that there is not ends with 2 and the allowed ones', async () => {
    const { hint, ...rest } = await refused('runs', '--status', 'completed,foo');
    expect(rest).toMatchObject({ code: 2, error: 'InvalidValue' });
    expect(hint).toContain('running, cancelling, compensating');
  });

  it('a key that the state does not have ends with 2 and the keys; one that nobody wrote is told', async () => {
    expect(await refused('blame', runId, 'amuont.x')).toMatchObject({
      code: 2,
      error: 'UnknownStateKey',
      hint: 'It has amount.',
    });
    const { code, stdout } = await bench.run('blame', runId, 'amount');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Nothing was written there; "amount" is a key of the state.\n',
    });
  });

  it('an empty --key is refused', async () => {
    expect(await refused('run', 'desk.yaml', '--key', '')).toMatchObject({ code: 2, error: 'InvalidValue' });
    const answer = ['answer', request, '--values', '{"amount":1}', '--key', ''];
    expect(await refused(...answer)).toMatchObject({ code: 2, error: 'InvalidValue' });
  });

  it('a question that there is not is unknown, terminal or not; a run that asks nothing says so', async () => {
    expect(await refused('answer', 'req_none')).toMatchObject({ code: 2, error: 'UnknownRequest' });
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"b"}');
    await bench.run('answer', json.requests[0]!.id, '--values', '{"amount":1}');
    expect(await refused('answer', json.runId)).toMatchObject({
      code: 2,
      error: 'UnknownRequest',
      message: `Nothing is asked in run ${json.runId}: it is completed.`,
    });
  });
});

describe('names that are short', () => {
  it.each([['show'], ['timeline'], ['events'], ['state'], ['why'], ['verify'], ['replay'], ['export'], ['pause']])(
    '%s: the beginning of an id stands for the one run that it begins',
    async name => {
      const { code, stdout } = await bench.run(name, runId.slice(0, -1));
      expect(code).toBe(0);
      if (name === 'show' || name === 'verify') expect(stdout).toContain(runId);
    },
  );

  it('one that begins several runs, or that is too short, stands for none', async () => {
    await bench.run('run', 'desk.yaml', '--input', '{"message":"c"}');
    const { json } = await bench.json<{ runs: { runId: string }[] }>('runs');
    const [a, b] = json.runs.map(run => run.runId) as [string, string];
    let same = 0;
    while (a[same] === b[same]) same += 1;
    const { error } = await refused('show', a.slice(0, same));
    expect(error).toBe(same < 8 ? 'UnknownRun' : 'AmbiguousTarget');
    expect(await refused('show', 'run_')).toMatchObject({ code: 2, error: 'UnknownRun' });
  });

  it('run takes the name of a stored graph, as graph show does', async () => {
    expect(await bench.json('run', 'desk', '--input', '{"message":"d"}')).toMatchObject({
      code: 10,
      json: { status: 'suspended', graph: 'desk' },
    });
    expect(await refused('run', 'nowhere')).toMatchObject({ code: 2, error: 'UnknownGraph' });
  });
});

it('a request id that is made up is none of a question', async () => {
  expect((await bench.json<{ requestId: string }>('show', runId)).json.requestId).toMatch(/^cor_/);
});
