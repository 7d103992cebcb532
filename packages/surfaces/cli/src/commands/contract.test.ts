import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from '../testing/workbench.ts';

interface Checked {
  readonly ok: boolean;
  readonly contracts: readonly { readonly name: string; readonly hash: string; readonly tools: number }[];
  readonly faults: readonly {
    readonly code: string;
    readonly line: number;
    readonly column: number;
    readonly hint?: string;
  }[];
}

interface Compared {
  readonly ok: boolean;
  readonly changes: readonly {
    readonly kind: string;
    readonly about: string;
    readonly pointer: string;
    readonly message: string;
  }[];
}

const CONTRACT = `version: "1.0"
agent_name: hr_recruiter
allowed_tools:
  - name: get_candidate_info
    description: Look up a candidate by id
    effect: read
    input_schema: { type: object, required: [candidate_id], properties: { candidate_id: { type: string, pattern: "^cand_[a-z0-9]{8}$" } } }
  - name: send_offer
    approval: true
    input_schema: { type: object, required: [salary], properties: { salary: { type: number, maximum: 90000 } } }
dynamic_prompts:
  - condition: state.user_complaints >= 3
    template: Use a formal, careful tone.
`;

const BROKEN = `version: 1.10
agent_name: hr_recruiter
allowed_tools:
  - name: get_candidate_info
    effekt: read
    input_schema: { type: object, properties: { grade: { type: string, enum: [010, a] } } }
  - name: get_candidate_info
    when: state.step ==
    input_schema: { type: objct }
`;

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('contract.yaml', CONTRACT);
  bench.file('broken.yaml', BROKEN);
});
afterAll(() => bench.remove());

describe('a file of another kind', () => {
  it('is named for what it is, with the command for it and nothing else', async () => {
    bench.file('graph.yaml', 'name: g\nentry: a\nnodes:\n  a: { type: transform, output: { done: "true" } }\n');
    const asContract = await bench.run('contract', 'check', 'graph.yaml');
    expect(asContract.code).not.toBe(0);
    expect(asContract.stdout).toContain('This is a graph definition, not a capability contract.');
    expect(asContract.stdout).toContain('signalbox graph check');
    expect(asContract.stdout).toContain('1 error');
    const asGraph = await bench.run('graph', 'check', 'contract.yaml');
    expect(asGraph.code).not.toBe(0);
    expect(asGraph.stdout).toContain('This is a capability contract, not a graph definition.');
    expect(asGraph.stdout).toContain('signalbox contract check');
  });
});

describe('contract check', () => {
  it('is silent about what is right, names the version, ends with the tools that are ready, and with 0', async () => {
    const { code, stdout } = await bench.run('contract', 'check', 'contract.yaml');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✓ contract\.yaml: hr_recruiter@[0-9a-f]{12}, 2 tools ready\n$/),
    });
  });

  it('names every problem of a file at once, each with line, column, code and hint, and ends with 2', async () => {
    const { code, json } = await bench.json<Checked>('contract', 'check', 'broken.yaml');
    expect(code).toBe(2);
    expect(json).toMatchObject({ ok: false, contracts: [] });
    expect(json.faults.map(({ code: fault, line, column }) => `${fault} ${line}:${column}`)).toEqual([
      'TextWanted 1:10',
      'UnguardedOnce 4:5',
      'UnknownKey 5:5',
      'TextWanted 6:79',
      'DuplicateTool 7:11',
      'InvalidSchema 9:27',
    ]);
    expect(json.faults[0]!.hint).toBe('Quote it: "1.10".');
  });

  it('shows the line with a caret below the place', async () => {
    const { stdout } = await bench.run('contract', 'check', 'broken.yaml');
    expect(stdout).toContain(
      'broken.yaml:5:5 error A tool has no `effekt`. (UnknownKey)\n   5 |     effekt: read\n     |     ^\n',
    );
    expect(stdout).toMatch(/✗ broken\.yaml: 5 errors, 1 warning\n$/);
  });

  it('C34: a text that YAML would take for a number, a date or a truth value asks for quotes; yes and no are texts', async () => {
    bench.file(
      'spelled.yaml',
      'agent_name: no\nallowed_tools:\n  - { name: yes, effect: read, description: on, input_schema: {}, when: true }\n  - { name: off, effect: read, input_schema: {}, bind: 5 }\n',
    );
    const { json } = await bench.json<Checked>('contract', 'check', 'spelled.yaml');
    expect(json.faults).toMatchObject([
      { code: 'TextWanted', line: 3, hint: 'Quote it: "true".' },
      { code: 'WrongType', line: 4 },
    ]);
  });

  it('C34: a key twice, an alias, a tag and a dangerous key are faults', async () => {
    bench.file('yaml.yaml', 'agent_name: a\nagent_name: b\nallowed_tools: &t []\nrules: *t\n__proto__: {}\n');
    const { code, json } = await bench.json<Checked>('contract', 'check', 'yaml.yaml');
    expect(code).toBe(2);
    expect(json.faults.map(({ code: fault }) => fault)).toEqual(
      expect.arrayContaining(['DuplicateKey', 'YamlAlias', 'DangerousKey']),
    );
  });

  it('a child that extends may only narrow, and each widening has its place', async () => {
    bench.file(
      'junior.yaml',
      'agent_name: junior\nextends: contract\nallowed_tools:\n  - get_candidate_info\n  - name: send_offer\n    approval: false\n    input_schema: { type: object, required: [salary], properties: { salary: { type: number, maximum: 95000 } } }\n',
    );
    const { code, json } = await bench.json<Checked>('contract', 'check', 'junior.yaml');
    expect(code).toBe(2);
    expect(json.faults.filter(({ code: fault }) => fault === 'ContractWidens')).toMatchObject([
      { line: 6, column: 15 },
      { line: 7, column: 102 },
    ]);
    bench.file('intern.yaml', 'agent_name: intern\nextends: contract.yaml\nallowed_tools: [get_candidate_info]\n');
    expect(await bench.json<Checked>('contract', 'check', 'intern.yaml')).toMatchObject({
      code: 0,
      json: { contracts: [{ name: 'intern', tools: 1 }] },
    });
    bench.file('loop.yaml', 'agent_name: loop\nextends: loop\nallowed_tools: []\n');
    expect(await bench.json<Checked>('contract', 'check', 'loop.yaml')).toMatchObject({
      code: 2,
      json: { faults: [{ code: 'UnknownContract', line: 2 }] },
    });
  });

  it('tools done at most once that nobody is asked for are one remark', async () => {
    bench.file(
      'plain.yaml',
      'agent_name: a\nallowed_tools: [{ name: one, input_schema: {} }, { name: two, input_schema: {} }]\n',
    );
    const { stdout, code } = await bench.run('contract', 'check', 'plain.yaml');
    expect(code).toBe(0);
    expect(stdout).toMatch(/2 tools are done at most once.*: one, two\./);
    expect(stdout.match(/UnguardedOnce/g)).toHaveLength(1);
    expect(stdout).toMatch(/\(2 warnings\), 2 tools ready\n$/);
  });

  it('a file that is empty or not there is told as such, with 2', async () => {
    bench.file('empty.yaml', '\n');
    expect(await bench.json('contract', 'check', 'empty.yaml')).toMatchObject({
      code: 2,
      json: { faults: [{ line: 1 }] },
    });
    expect(await bench.json('contract', 'check', 'nowhere.yaml')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownFile' } },
    });
  });
});

describe('contract diff', () => {
  const against = (name: string, text: string, ...options: string[]) => {
    bench.file(name, text);
    return bench.json<Compared>('contract', 'diff', 'contract.yaml', name, ...options);
  };

  it('ends with 0 where nothing is wider, and says what is forbidden', async () => {
    const { code, json } = await against('narrow.yaml', CONTRACT.replace('90000', '80000'));
    expect(code).toBe(0);
    expect(json).toMatchObject({
      ok: true,
      changes: [{ kind: 'narrows', about: 'forbidden', pointer: '/tools/send_offer/input/properties/salary/maximum' }],
    });
  });

  it.each([
    ['a looser pattern', CONTRACT.replace('{8}', '{4,8}')],
    ['a wider range', CONTRACT.replace('90000', '90001')],
    ['an argument that may be left out', CONTRACT.replace('required: [salary], ', '')],
    ['an approval less', CONTRACT.replace('    approval: true\n', '')],
    ['a tool more', CONTRACT.replace('dynamic_prompts', '  - { name: hire, input_schema: {} }\ndynamic_prompts')],
  ])('ends with 1 at %s, unless it is allowed', async (_, text) => {
    const { code, json } = await against('wide.yaml', text);
    expect(code).toBe(1);
    expect(json.ok).toBe(false);
    expect(json.changes.some(({ kind }) => kind === 'widens')).toBe(true);
    expect(await against('wide.yaml', text, '--allow-widening')).toMatchObject({ code: 0, json: { ok: true } });
  });

  it('lists for people what becomes allowed, forbidden, or of approvals', async () => {
    bench.file('both.yaml', CONTRACT.replace('    approval: true\n', '').replace('90000', '80000'));
    const { stdout, code } = await bench.run('contract', 'diff', 'contract.yaml', 'both.yaml');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'Becomes forbidden\n  - `send_offer` takes other arguments: `maximum` was 90000 and is 80000.\n',
    );
    expect(stdout).toContain('Approval changes\n  + `send_offer` needs no approval any more.\n');
    expect(stdout).toMatch(/✗ contract\.yaml \(hr_recruiter@[0-9a-f]{12}\) → both\.yaml .*: 1 wider, 1 narrower\n/);
    expect((await bench.run('contract', 'diff', 'contract.yaml', 'contract.yaml')).stdout).toMatch(
      /nothing changes\n$/,
    );
  });

  it('a contract with errors is not compared', async () => {
    const { code, json } = await bench.json<Checked>('contract', 'diff', 'contract.yaml', 'broken.yaml');
    expect(code).toBe(2);
    expect(json.faults.length).toBeGreaterThan(4);
  });
});
