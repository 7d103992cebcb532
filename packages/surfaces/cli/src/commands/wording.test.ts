import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
});
afterAll(() => bench.remove());

describe('what commands print', () => {
  it('the version, also as JSON, and not in the way of --version of a command', async () => {
    const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
    expect(await bench.run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect(await bench.json('--version')).toEqual({ code: 0, json: { version } });
    expect((await bench.json<ErrorJson>('graph', 'show', 'desk.yaml', '--version', 'abcdef')).json.error.code).not.toBe(
      'Usage',
    );
    expect((await bench.run('--help')).stdout).toContain('signalbox --version');
  });

  it('of --effects what it is about and what it is by default', async () => {
    for (const command of ['fork', 'rollback']) {
      const text = (await bench.run(command, '--help')).stdout.replace(/\s+/g, ' ');
      expect(text).toMatch(/`once` operations done after that point.*\(default: ask\)/);
    }
  });

  it('of steps without a time limit one remark with their names; none of nodes of unknown type', async () => {
    const node = '{ type: step, handler: h }';
    bench.file('slow.yaml', `name: slow\nentry: a\nnodes:\n  a: ${node}\n  b: ${node}\nroutes: { a: [{ to: b }] }\n`);
    const { stdout } = await bench.run('graph', 'check', 'slow.yaml');
    expect(stdout.match(/NoTimeLimit/g)).toHaveLength(1);
    expect(stdout).toContain('2 steps have no time limit of their own: a, b.');
    expect(stdout).toContain('2 errors, 1 warning\n');
    bench.file('odd.yaml', 'name: odd\nentry: a\nnodes:\n  a: { type: nonsense }\n');
    const { json } = await bench.json<{ faults: { code: string }[] }>('graph', 'check', 'odd.yaml');
    expect(json.faults.map(({ code }) => code)).toEqual(['UnknownNodeType']);
  });

  it('of wrong words where they are explained, for people and for programs', async () => {
    const told = async (...argv: string[]) => (await bench.run(...argv)).stderr;
    expect(await told('run')).toBe("error: missing required argument 'graph'\n  See signalbox run --help.\n");
    expect(await told('frob')).toContain('See signalbox --help.');
    expect(await told('graph', 'export', 'desk.yaml', '--format', 'xml')).toContain(
      'See signalbox graph export --help.',
    );
    const { json } = await bench.json<ErrorJson>('run', 'desk.yaml', 'more');
    expect(json.error).toMatchObject({ code: 'Usage', hint: 'See signalbox run --help.' });
    expect(await bench.run('help', 'run')).toMatchObject({ code: 0, stdout: expect.stringContaining('--input') });
  });

  it('of an input that is missing how to give it', async () => {
    expect((await bench.run('run', 'desk.yaml')).stderr).toContain('--input @FILE');
    expect((await bench.run('run', 'desk.yaml', '--input', '{}')).stderr).not.toContain('--input @FILE');
  });

  it('of a configuration what is wrong with it: misspelt settings, no object, no file', async () => {
    bench.file('misspelt.ts', 'export default { grphs: [] };');
    bench.file('number.ts', 'export default 3;');
    const told = async (file: string) => {
      const { code, json } = await bench.json<ErrorJson>('runs', '--config', file);
      expect({ code, error: json.error.code }).toEqual({ code: 2, error: 'InvalidConfig' });
      return `${json.error.message} ${json.error.hint}`;
    };
    expect(await told('misspelt.ts')).toContain('There is no setting `grphs`; did you mean `graphs`?');
    expect(await told('number.ts')).toContain('Its default export is no object.');
    expect(await told('nowhere.ts')).toMatch(/There is no such file\. Check the path/);
  });

  it('of a run that has ended how to take it up again, and of one that is reopened that it is paused', async () => {
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    await bench.run('answer', json.requests[0]!.id, '--values', '{"amount":1}');
    const { stderr } = await bench.run('jump', json.runId, 'review');
    expect(stderr).toContain('It would have to be running, suspended, paused or failed. Reopened, it is paused.');
    expect((await bench.run('reopen', json.runId)).stdout).toMatch(/^prepare → review → done \(paused\)$/m);
  });

  it('of an empty file that it is empty', async () => {
    bench.file('empty.yaml', '\n');
    expect((await bench.run('graph', 'check', 'empty.yaml')).stdout).toContain('The file is empty');
  });

  it('of a run that has ended that it cannot be edited; a retry without a reason is told once', async () => {
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    await bench.run('answer', json.runId, '--action', 'reject');
    await bench.run('retry', json.runId);
    expect((await bench.run('timeline', json.runId)).stdout).toMatch(/ {2}retried\n/);
    await bench.run('cancel', json.runId);
    const { json: done } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    await bench.run('answer', done.runId, '--action', 'approve');
    const edited = await bench.json<ErrorJson>('edit', done.runId, '--set', '{"amount":1}');
    expect(edited.json.error.message).toBe('A run that is completed cannot be edited.');
  });
});

describe('migrate', () => {
  it('takes a graph file, and tells of a failed run how it goes on with that version', async () => {
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    bench.file('next.yaml', DESK.replace("'refunded '", "'paid '"));
    expect(await bench.json('migrate', json.runId, '--to', 'next.yaml')).toMatchObject({ code: 0 });
    const answered = await bench.json<RunJson>('answer', json.runId, '--values', '{"amount":2}');
    expect(answered.json.output).toEqual({ reply: 'paid 2' });
    const other = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"b"}');
    const { runId } = other.json;
    await bench.run('answer', runId, '--action', 'reject');
    const { code, json: refused } = await bench.json<ErrorJson>('migrate', runId, '--to', 'next.yaml');
    expect({ code, error: refused.error.code }).toEqual({ code: 1, error: 'WrongStatus' });
    expect(refused.error.hint).toContain(`signalbox fork ${runId} --at SEQ --onto next.yaml`);
    expect(await bench.json('fork', runId, '--at', '6', '--onto', 'next.yaml')).toMatchObject({ code: 10 });
  });
});

describe('doctor', () => {
  it('tells what is wrong with the configuration once, and looks at the store all the same', async () => {
    await bench.run('run', 'desk.yaml', '--input', '{"message":"hi"}');
    bench.file('broken.config.ts', 'export default 7;\n');
    const { code, stdout } = await bench.run('doctor', '--config', 'broken.config.ts');
    expect(code).toBe(1);
    expect(stdout.match(/is no configuration/g)).toHaveLength(1);
    expect(stdout).toMatch(/✓ store /);
  });

  it('a proposal is shown by its values, with how sure it is and why', async () => {
    bench.file(
      'proposed.yaml',
      `name: proposed
entry: ask
nodes:
  ask:
    type: ask
    request:
      kind: form
      title: How much?
      fields: [{ name: amount, type: number, label: Amount }]
      proposal: { values: { amount: 5 }, confidence: 0.41234, reason: as last time }
routes: {}
`,
    );
    const { stdout } = await bench.run('run', 'proposed.yaml');
    expect(stdout).toContain('proposed {"amount":5}, confidence 0.412: "as last time"');
  });
});
