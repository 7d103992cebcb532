import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunJson } from '../testing/documents.ts';
import { ASK_THEN_CODE, DESK, WAITER } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  bench.file('waiter.yaml', WAITER);
  bench.file('long.yaml', 'name: long\nentry: day\nnodes:\n  day: { type: wait, for: 1d }\n');
  bench.file('paid.ts', ASK_THEN_CODE);
});
afterAll(() => bench.remove());

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const runIdIn = (text: string) => /run_[\w-]+/.exec(text)![0];

describe('what is to be done next', () => {
  it('is told with the store, the configuration and the code that this command was given', async () => {
    bench.file('other.config.ts', 'export default { graphs: [] };\n');
    const given = ['--store', 'sqlite:my stores/a.db', '--config', 'other.config.ts'];
    const { stdout } = await bench.run('run', 'paid.ts', ...given);
    expect(stdout).toMatch(/signalbox answer req_\S+ .*--store 'sqlite:my stores\/a.db' --config other.config.ts/);
    expect(stdout).toContain(' --graph paid.ts\n');
    const { stderr } = await bench.run('inbox', ...given);
    expect(stderr).toContain("signalbox answer REQUEST --store 'sqlite:my stores/a.db' --config other.config.ts");
  });

  it('repeats nothing where the defaults do', async () => {
    const { stdout } = await bench.run('run', 'desk.yaml', '--input', '{"message":"hi"}');
    expect(stdout).toMatch(/signalbox answer req_\S+ --values '\{"amount":20\}'\n/);
    expect(stdout).not.toContain('--store');
  });

  it('leaves open what a human has to say, so that the command as it stands says nothing', async () => {
    const { stdout } = await bench.run('run', 'paid.ts');
    const values = /--values '([^']+)'/.exec(stdout)?.[1];
    expect(values).toBe('{"how": "card|cash", "sum": …}');
    const request = /req_\w+/.exec(stdout)![0];
    expect((await bench.run('answer', request, '--values', values!)).code).toBe(2);
  });
});

describe('a run that waits', () => {
  it('says for which signal with the command that sends it, then until when, and is marked once it is overdue', async () => {
    const started = await bench.run('run', 'waiter.yaml');
    const runId = runIdIn(started.stdout);
    expect(started.stdout).toContain('bell waits for signal bell\n');
    expect(started.stdout).toContain(`signalbox signal ${runId} bell\n`);
    const { json } = await bench.json<RunJson>('show', runId);
    expect(json).toMatchObject({ waits: [{ node: 'bell', token: '', signal: 'bell' }], dueAt: null });
    expect((await bench.run('timeline', runId)).stdout).toContain('waits for signal bell (wait#1)\n');
    const misspelt = await bench.run('signal', runId, 'bel');
    expect(misspelt).toMatchObject({
      code: 10,
      stderr: 'Nothing waited for signal bel; it is kept for a wait of that name.\n',
    });
    const rung = await bench.json<RunJson>('signal', runId, 'bell');
    expect(rung.json).toMatchObject({
      status: 'suspended',
      waits: [{ node: 'moment', until: expect.stringMatching(INSTANT) }],
      dueAt: expect.stringMatching(INSTANT),
    });
    expect((await bench.run('run', 'long.yaml')).stdout).toMatch(
      /then, where no program drives it: signalbox resume run_/,
    );
    await new Promise(proceed => setTimeout(proceed, 350));
    expect((await bench.run('show', runId)).stdout).toMatch(/moment waits until \S+ \(overdue\)\n/);
    const runs = await bench.run('runs', '--graph', 'waiter');
    expect(runs.stdout).toMatch(/suspended \([^)]*overdue\)/);
    expect(runs.stderr).toContain('signalbox resume --due');
    const due = await bench.json<{ runs: RunJson[] }>('resume', '--due');
    expect(due).toMatchObject({ code: 0, json: { runs: [{ runId, status: 'completed', waits: [], dueAt: null }] } });
    expect((await bench.run('resume', '--due')).stdout).toBe('Nothing is due.\n');
  });

  it('is not overdue for being the fork of one that waits', async () => {
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    const fork = await bench.json<RunJson>('fork', json.runId);
    const { runs } = (await bench.json<{ runs: { runId: string; dueAt: string | null }[] }>('runs')).json;
    expect(runs).toContainEqual(expect.objectContaining({ runId: fork.json.runId, dueAt: null, overdue: false }));
    expect((await bench.run('resume', '--due')).stdout).toBe('Nothing is due.\n');
  });

  it('resume wants a run or --due, not both and not neither', async () => {
    expect(await bench.json('resume')).toMatchObject({ code: 2, json: { error: { code: 'Usage' } } });
    expect(await bench.json('resume', 'run_x', '--due')).toMatchObject({ code: 2, json: { error: { code: 'Usage' } } });
  });
});

describe('a run whose code is not here', () => {
  it('names the handler and how to bring it, and its way says that it is suspended', async () => {
    const { json } = await bench.json<RunJson>('run', 'paid.ts');
    const values = '{"how":"card","sum":1}';
    const { code, stdout } = await bench.run('answer', json.requests[0]!.id, '--values', values);
    expect(code).toBe(10);
    expect(stdout.split('\n')[0]).toMatch(/\(suspended\)$/);
    expect(stdout).toMatch(/handlerMissing: the code of \S*pay\S* is not here/);
    expect(stdout).toContain(`signalbox resume ${json.runId} --graph FILE; or list it in signalbox.config.ts.`);
    const shown = await bench.json<RunJson>('show', json.runId);
    expect(shown.json).toMatchObject({ status: 'suspended', reason: 'handlerMissing' });
    expect(shown.json.trail).toMatch(/\(suspended\)$/);
    expect((await bench.run('resume', json.runId, '--graph', 'paid.ts')).code).toBe(0);
  });
});
