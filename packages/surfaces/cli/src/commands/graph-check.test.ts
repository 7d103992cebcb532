import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

interface Checked {
  readonly ok: boolean;
  readonly graphs: readonly { readonly file: string; readonly name: string; readonly version: string }[];
  readonly faults: readonly {
    readonly code: string;
    readonly severity: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint?: string;
  }[];
}

const read = (name: string) =>
  readFileSync(new URL(`../../../../../tests/cases/fixtures/${name}.yaml`, import.meta.url), 'utf8');
const BROKEN = read('c33-broken');
const CORRECTED = read('c33-corrected');

const SPELLED = `name: spelling
version: 1.10
title: "審批: 第一關"
entry: ask
nodes:
  ask:
    type: ask
    request:
      title: Choose
      fields:
        - { name: on, type: select, options: [yes, no, on, off, NO, 010, 12:30] }
        - { name: day, type: date, default: 2026-03-04 }
routes:
  ask: [{ to: end, on: approve }]
`;

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
});
afterAll(() => bench.remove());

describe('graph check', () => {
  it('is silent about what is right, names the version, and ends with 0', async () => {
    bench.file('desk.yaml', DESK);
    const { code, stdout } = await bench.run('graph', 'check', 'desk.yaml');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ desk\.yaml: desk@[0-9a-f]{12}\n$/) });
  });

  it('C33: names every problem of a file at once, each with its place, and ends with 2', async () => {
    bench.file('broken.yaml', BROKEN);
    const { code, json } = await bench.json<Checked>('graph', 'check', 'broken.yaml');
    expect(code).toBe(2);
    expect(json).toMatchObject({ ok: false, graphs: [] });
    const found = json.faults.map(fault => `${fault.code} ${fault.file}:${fault.line}:${fault.column}`);
    expect(found).toEqual(
      expect.arrayContaining([
        'NoOptions broken.yaml:11:39',
        'DefaultOutOfBounds broken.yaml:12:66',
        'DuplicateKey broken.yaml:13:3',
        'UnreachableNode broken.yaml:14:3',
        expect.stringMatching(/ broken\.yaml:20:/),
        'UnknownNode broken.yaml:23:18',
      ]),
    );
  });

  it('C33: nothing of a broken file is registered or run, and the corrected one loads', async () => {
    bench.file('broken.yaml', BROKEN);
    const refused = await bench.json<{ error: { code: string; details: Checked } }>('run', 'broken.yaml');
    expect(refused.code).toBe(2);
    expect(refused.json.error.code).toBe('InvalidGraph');
    expect(refused.json.error.details.faults.length).toBeGreaterThanOrEqual(6);
    expect((await bench.run('runs')).stderr).toContain('There is no database');
    bench.file('broken.yaml', CORRECTED);
    expect((await bench.run('graph', 'check', 'broken.yaml')).code).toBe(0);
  });

  it('C34: a number where text is wanted asks for quotes; yes, no, times and dates are texts', async () => {
    bench.file('spelled.yaml', SPELLED);
    const { code, json } = await bench.json<Checked>('graph', 'check', 'spelled.yaml');
    expect(code).toBe(2);
    expect(json.faults.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'TextWanted', line: 2, hint: 'Quote it: "1.10".' },
      { code: 'TextWanted', line: 11, hint: 'Quote it: "010".' },
    ]);
  });

  it('C34: file, exported JSON and exported YAML are one version', async () => {
    bench.file('spelled.yaml', SPELLED.replace('1.10', '"1.10"').replace('010', '"010"'));
    for (const format of ['json', 'yaml']) {
      const { code, stdout } = await bench.run('graph', 'export', 'spelled.yaml', '--format', format);
      expect(code).toBe(0);
      expect(stdout).toContain('審批: 第一關');
      expect(stdout).toMatch(/"?version"?: "1\.10"/);
      bench.file(`exported.${format}`, stdout);
    }
    const { code, json } = await bench.json<Checked>(
      'graph',
      'check',
      'spelled.yaml',
      'exported.json',
      'exported.yaml',
    );
    expect(code).toBe(0);
    expect(json.graphs).toHaveLength(3);
    expect(new Set(json.graphs.map(({ version }) => version)).size).toBe(1);
  });

  it('shows the line with a caret below the place, also behind wide characters', async () => {
    bench.file('wide.yaml', 'name: wide\nentry: a\nnodes: { a: { type: transform, title: 审批, otput: {} } }\n');
    const { stdout } = await bench.run('graph', 'check', 'wide.yaml');
    const lines = stdout.split('\n');
    const at = lines.findIndex(line => line.includes('otput: {}'));
    expect(lines[at - 1]).toMatch(/^wide\.yaml:3:\d+ error .*\(UnknownKey\)$/);
    const caret = lines[at + 1]!.indexOf('^');
    // The terminal gives each of the two characters before it two columns.
    expect(caret).toBe(lines[at]!.indexOf('otput') + 2);
  });

  it('shows warnings without failing', async () => {
    bench.file(
      'warned.yaml',
      'name: warned\nentry: a\nnodes: { a: { type: transform }, b: { type: transform } }\nroutes:\n  a: [{ to: b, when: input.x == 1 }]\n',
    );
    const { code, json } = await bench.json<Checked>('graph', 'check', 'warned.yaml');
    expect({ code, ok: json.ok }).toEqual({ code: 0, ok: true });
    expect(json.faults.length).toBeGreaterThan(0);
    expect(json.faults.every(({ severity }) => severity === 'warning')).toBe(true);
  });

  it('reads graphs in TypeScript as they are, and tells what their builder finds', async () => {
    bench.file(
      'code.ts',
      "import { defineGraph } from 'signalbox';\nimport { z } from 'zod';\nconst g = defineGraph({ name: 'coded', input: z.object({}) });\nexport const graph = g.build({ entry: 'a', nodes: { a: g.step(() => ({ ok: true })) }, routes: {} });\n",
    );
    expect(await bench.json('graph', 'check', 'code.ts')).toMatchObject({
      code: 0,
      json: { graphs: [{ file: 'code.ts', name: 'coded' }] },
    });
    bench.file(
      'wrong.ts',
      "import { defineGraph } from 'signalbox';\nimport { z } from 'zod';\nconst g = defineGraph({ name: 'wrong', input: z.object({}) });\nexport const graph = g.build({ entry: 'b' as 'a', nodes: { a: g.step(() => ({ ok: true })) }, routes: {} });\n",
    );
    const { code, json } = await bench.json<Checked>('graph', 'check', 'wrong.ts');
    expect(code).toBe(2);
    expect(json.faults[0]).toMatchObject({ file: 'wrong.ts', severity: 'error', pointer: '/entry' });
  });

  it('a file that is not there and a file that cannot be loaded are told as such, with 2', async () => {
    expect(await bench.json('graph', 'check', 'nowhere.yaml')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownFile' } },
    });
    bench.file('throws.ts', "throw new Error('out of paper');\n");
    expect(await bench.json('graph', 'check', 'throws.ts')).toMatchObject({
      code: 2,
      json: { error: { code: 'ModuleFailed', message: expect.stringContaining('out of paper') } },
    });
  });
});
