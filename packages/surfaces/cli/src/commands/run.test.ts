import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

const GREET = `name: greet
entry: a
input: { type: object, required: [who], properties: { who: { type: string } } }
nodes: { a: { type: transform, output: { text: "'hello ' + input.who" } } }
`;
const FAILS = 'name: fails\nentry: a\nnodes: { a: { type: fail, code: OutOfPaper, message: no paper is left } }\n';

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('greet.yaml', GREET);
  bench.file('fails.yaml', FAILS);
  bench.file('desk.yaml', DESK);
});
afterAll(() => bench.remove());

describe('run', () => {
  it('drives a YAML file without any configuration to its end: 0, its way in the first line, its output', async () => {
    const { code, stdout } = await bench.run('run', 'greet.yaml', '--input', '{"who":"世界"}');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a \(completed, .+\)\nrun_\S+ {2}greet@[0-9a-f]{12}\noutput \{"text":"hello 世界"\}\n$/);
  });

  it('prints runId, status, output, error and requests for programs', async () => {
    const { code, json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    expect(code).toBe(10);
    expect(json).toMatchObject({
      runId: expect.stringMatching(/^run_/),
      status: 'suspended',
      output: null,
      error: null,
      trail: 'prepare → review? (suspended)',
      requests: [
        {
          id: expect.stringMatching(/^req_/),
          kind: 'form',
          title: 'How much do we refund?',
          assignees: ['role:finance'],
          proposal: { values: { amount: 20 }, confidence: 0.4 },
          fields: [
            { name: 'amount', type: 'number', label: 'Amount', required: true, min: 0, max: 500 },
            { name: 'note', type: 'text', label: 'Note', required: false },
          ],
        },
      ],
    });
  });

  it('ends with 1 when the run fails, and tells the error', async () => {
    const { code, json } = await bench.json<RunJson>('run', 'fails.yaml');
    expect(code).toBe(1);
    expect(json).toMatchObject({
      status: 'failed',
      output: null,
      error: { code: 'OutOfPaper', message: 'no paper is left' },
      requests: [],
    });
    expect((await bench.run('run', 'fails.yaml')).stdout).toContain('OutOfPaper: no paper is left');
  });

  it('takes its input from a file and from standard input', async () => {
    bench.file('input.json', '{"who":"file"}');
    expect((await bench.run('run', 'greet.yaml', '--input', '@input.json')).stdout).toContain('hello file');
    const piped = await bench.runWithInput('{"who":"pipe"}', 'run', 'greet.yaml', '--input', '@-');
    expect(piped.stdout).toContain('hello pipe');
  });

  it.each([
    ['no JSON', '{"who":', 'InvalidJson'],
    ['a key that stands twice', '{"who":"a","who":"b"}', 'InvalidJson'],
    ['a dangerous key', '{"who":"a","__proto__":{}}', 'InvalidJson'],
    ['a number that a double cannot hold', '{"who":"a","n":9007199254740993}', 'InvalidJson'],
    ['a value that the schema refuses', '{"who":1}', 'InvalidInput'],
    ['a file that is not there', '@nowhere.json', 'UnknownFile'],
  ])('refuses %s as input with 2', async (_, input, code) => {
    const ended = await bench.json<ErrorJson>('run', 'greet.yaml', '--input', input);
    expect({ code: ended.code, error: ended.json.error.code }).toEqual({ code: 2, error: code });
  });

  it('gives the same run for the same start key, and refuses it for another input with 1', async () => {
    const start = (who: string) =>
      bench.json<RunJson & ErrorJson>('run', 'greet.yaml', '--key', 'mail-1', '--input', `{"who":"${who}"}`);
    const first = await start('a');
    expect((await start('a')).json.runId).toBe(first.json.runId);
    const other = await start('b');
    expect({ code: other.code, error: other.json.error.code }).toEqual({ code: 1, error: 'StartKeyConflict' });
    const again = await bench.run('run', 'greet.yaml', '--key', 'mail-1', '--input', '{"who":"a"}');
    expect(again.stderr).toBe('The run with key mail-1 was there already; no other was started.\n');
  });

  it('records session, request id and who started it', async () => {
    const argv = ['--input', '{"who":"x"}', '--session', 'ses_7', '--request-id', 'trace-9', '--as', 'service:mail'];
    const { json } = await bench.json<RunJson>('run', 'greet.yaml', ...argv);
    expect(json).toMatchObject({ session: 'ses_7', requestId: 'trace-9' });
    const events = await bench.json<{ events: object[] }>('events', json.runId);
    expect(events.json.events[0]).toMatchObject({
      type: 'run.started',
      actor: { kind: 'service', id: 'mail' },
      cause: 'trace-9',
    });
  });

  it('with --decisions off does not suspend but fails', async () => {
    const { code, json } = await bench.json<RunJson>(
      'run',
      'desk.yaml',
      '--input',
      '{"message":"hi"}',
      '--decisions',
      'off',
    );
    expect({ code, error: json.error?.code }).toEqual({ code: 1, error: 'DecisionsOff' });
  });

  it('names what it knows when a graph is not there', async () => {
    const { code, json } = await bench.json<ErrorJson>('run', 'nothing');
    expect({ code, error: json.error.code }).toEqual({ code: 2, error: 'UnknownGraph' });
    expect(json.error.hint).toContain('signalbox.config.ts');
  });
});

const SHOWS = `name: shows
entry: q
nodes:
  q:
    type: ask
    request:
      kind: confirmation
      title: Is that right?
      displays:
        - { type: text, title: Letter, text: "Dear \\u001b[31mFinn" }
        - { type: table, columns: [ { key: a, label: What }, { key: b, label: Price, unit: € } ], rows: [ { a: chair, b: 20 } ] }
        - { type: text, text: "${'line\\n'.repeat(30)}" }
`;

const LOOKED_UP = `name: looked-up
entry: q
nodes: { q: { type: ask, request: { title: Was it paid?, kind: confirmation, context: { operation: pay#1, order: { id: 7 } } } } }
`;

describe('a question that shows something', () => {
  it('tells what helps to look it up, where nothing is displayed', async () => {
    bench.file('looked-up.yaml', LOOKED_UP);
    const { stdout } = await bench.run('run', 'looked-up.yaml');
    expect(stdout).toContain('? Was it paid?\n  operation pay#1\n  order {"id":7}\n');
  });

  it('shows it wherever the question stands, as text that moves no cursor, and says how much is left out', async () => {
    bench.file('shows.yaml', SHOWS);
    const { stdout } = await bench.run('run', 'shows.yaml', '--key', 'shows');
    expect(stdout).toContain('? Is that right?\n  Letter\n  Dear \\u{1b}[31mFinn\n');
    expect(stdout).toMatch(/\n {2}What +Price \(€\)\n(.*\n)?.*chair +20\n/);
    expect(stdout.match(/^ {2}line$/gm)).toHaveLength(20);
    expect(stdout).toMatch(/\n {2}… 1[01] more; /);
    const runId = /run_\S+/.exec(stdout)![0];
    expect((await bench.run('show', runId)).stdout).toBe(stdout);
  });
});

describe('run with a configuration', () => {
  it('finds graphs by name, of TypeScript and of files, with their registered node types', async () => {
    const shop = new Workbench();
    shop.file('graphs/loud.yaml', 'name: loud\nentry: a\nnodes: { a: { type: shout, with: { text: hey } } }\n');
    shop.file(
      'signalbox.config.ts',
      `import { defineGraph, defineNodeType } from 'signalbox';
import { defineConfig } from '@signalbox/cli';
import { z } from 'zod';
const shout = defineNodeType({
  type: 'shout',
  with: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  execute: ctx => ({ text: ctx.with.text.toUpperCase() }),
});
const g = defineGraph({ name: 'coded', input: z.object({}) });
const coded = g.build({ entry: 'a', nodes: { a: g.step(() => ({ ok: true })) }, routes: {} });
export default defineConfig({ graphs: [coded, 'graphs/loud.yaml'], types: [shout], store: 'sqlite:data/box.db' });
`,
    );
    expect(await shop.json('run', 'coded')).toMatchObject({ code: 0, json: { output: { ok: true } } });
    expect(await shop.json('run', 'loud')).toMatchObject({ code: 0, json: { output: { text: 'HEY' } } });
    expect(await shop.json('run', 'graphs/loud.yaml')).toMatchObject({ code: 0, json: { output: { text: 'HEY' } } });
    const { json } = await shop.json<ErrorJson>('run', 'lout');
    expect(json.error.hint).toContain('Did you mean "loud"?');
    expect(await shop.json('doctor')).toMatchObject({ code: 0, json: { ok: true } });
    expect((await shop.run('doctor')).stdout).toContain('box.db');
    shop.remove();
  });

  it('names every fault of a contract that an agent cannot begin with, by file and line: 2', async () => {
    bench.file(
      'refunds.contract.yaml',
      'agent_name: refunds\nallowed_tools:\n  - { name: refund, efect: read }\nrulez: []\n',
    );
    bench.file(
      'agent.config.ts',
      `import { defineConfig, defineGraph } from 'signalbox';
import { scriptedModel } from 'signalbox/testing';
import { z } from 'zod';
const g = defineGraph({ name: 'agent', input: z.object({}) });
const agent = g.agent({ model: 'm/one', contract: '${bench.path('refunds.contract.yaml')}', tools: {}, prompt: () => 'go' });
export default defineConfig({
  graphs: [g.build({ entry: 'agent', nodes: { agent }, routes: {} })],
  models: scriptedModel([]),
});
`,
    );
    const { code, stderr } = await bench.run('run', 'agent', '--config', 'agent.config.ts');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^InvalidContract: The contract cannot be used\.\n/),
    });
    expect(stderr).toMatch(/refunds\.contract\.yaml:3:\d+ .*`efect`/);
    expect(stderr).toMatch(/refunds\.contract\.yaml:4:\d+ .*`rulez`/);
  });

  it.each([
    ['that is not there', undefined, 'InvalidConfig'],
    ['without a default export', 'export const graphs = [];\n', 'InvalidConfig'],
    ['that throws', "throw new Error('not today');\n", 'ModuleFailed'],
  ])('refuses one %s with 2', async (_, text, error) => {
    const name = text === undefined ? 'none.config.ts' : bench.file(`${error}.config.ts`, text);
    const ended = await bench.json<ErrorJson>('run', 'greet.yaml', '--config', name);
    expect({ code: ended.code, error: ended.json.error.code }).toEqual({ code: 2, error });
  });
});
