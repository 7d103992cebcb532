import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LoadedGraph, loadGraph } from './load-graph.ts';
import type { NodeTypeRegistry } from './node-type-registry.ts';

/** The example of the design. */
const DESK = readFileSync(new URL('./support-desk.yaml.txt', import.meta.url), 'utf8');

const GUESS = {
  type: 'object',
  required: ['intent', 'confidence'],
  properties: { intent: { type: 'string' }, confidence: { type: 'number' } },
};

const TYPES: NodeTypeRegistry = {
  'intent-classifier': {
    rev: 2,
    output: GUESS,
    with: {
      type: 'object',
      properties: { labels: { type: 'array', items: { type: 'string' } }, model: { type: 'string' } },
      required: ['labels'],
      additionalProperties: false,
    },
  },
  'faq-search': {},
  'create-ticket': {},
  'compose-reply': {},
};

/** Without warnings, which are the kernel's and change nothing. */
function errorsOf({ faults }: LoadedGraph) {
  return faults.filter(fault => fault.severity === 'error');
}

/** `code line:column` of every error. */
function places(text: string, format?: 'yaml' | 'json'): string[] {
  const loaded = loadGraph(text, { types: TYPES, ...(format === undefined ? {} : { format }) });
  return errorsOf(loaded).map(({ code, line, column }) => `${code} ${line}:${column}`);
}

/** A small graph of one `transform` node, with more lines under the node and below. */
function graph(more: { node?: string; top?: string } = {}): string {
  return `name: small\nentry: a\n${more.top ?? ''}nodes:\n  a:\n    type: transform\n${more.node ?? ''}`;
}

describe('a graph in YAML', () => {
  it('loads the graph of the design without a fault', () => {
    const loaded = loadGraph(DESK, { types: TYPES });
    const { definition } = loaded;
    expect(errorsOf(loaded)).toEqual([]);
    expect(definition?.nodes.classify).toEqual({
      type: 'step',
      handler: 'intent-classifier@2',
      output: GUESS,
      with: { labels: ['faq', 'refund', 'create_order', 'complaint'] },
      decides: { point: 'intent', chosen: 'output.intent', confidence: 'output.confidence' },
    });
    expect(definition?.state).toEqual({
      queue: { schema: { type: 'string' } },
      trail: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
    });
    expect(definition?.routes.faq).toEqual([{ to: ['reply'] }]);
    expect(definition?.nodes.handoff).toMatchObject({ request: { deadline: { to: ['role:lead'] } } });
  });

  it('tells the file with every fault', () => {
    expect(loadGraph('name: x', { file: 'desk.yaml' }).faults[0]).toMatchObject({
      file: 'desk.yaml',
      line: 1,
      column: 1,
    });
  });

  it('reads the same graph from JSON', () => {
    const yaml = loadGraph(graph({ node: '    output: { x: "1" }\n' }));
    const json = loadGraph('{"name":"small","entry":"a","nodes":{"a":{"type":"transform","output":{"x":"1"}}}}', {
      file: 'small.JSON',
    });
    expect(json.faults).toEqual([]);
    expect(json.definition).toEqual(yaml.definition);
  });
});

describe('the reader of YAML', () => {
  it('refuses what YAML has beyond a plain tree, each at its place', () => {
    const text = graph({
      top: 'input: &in { type: object }\n',
      node: '    output: *out\n    title: !str x\n    <<: { next: [] }\n',
    });
    expect(places(text)).toEqual(['YamlAlias 3:12', 'YamlAlias 7:13', 'YamlTag 8:17', 'YamlMergeKey 9:5']);
  });

  it('refuses a second document and a directive of another version', () => {
    expect(places('name: a\n---\nname: b\n')).toEqual(['YamlDocuments 2:1']);
    expect(places(`%YAML 1.1\n---\n${graph()}`)).toEqual(['YamlDirective 1:1']);
  });

  it('tells syntax errors with their place and nothing that would follow from them', () => {
    expect(places('name: "small\nentry: a\n')).toEqual(['InvalidYaml 3:1']);
    expect(places('name: a: b\n')).toEqual(['InvalidYaml 1:7']);
  });

  it('refuses keys that stand twice, that are no text and that are dangerous', () => {
    const text = graph({ node: '    output: { x: "1", x: "2", 1: "3", constructor: "4", true: "5" }\n' });
    expect(places(text)).toEqual(['DuplicateKey 6:23', 'TextWanted 6:31', 'DangerousKey 6:39', 'TextWanted 6:57']);
  });

  it('refuses NUL, half surrogate pairs and numbers that no double holds', () => {
    const text = graph({
      node: '    output: { x: "\\0", y: "\\ud800" }\n',
      top: 'input: { default: { a: 9007199254740993, b: .inf, c: 1e-999, d: 0.0 } }\n',
    });
    expect(places(text)).toEqual([
      'InvalidNumber 3:24',
      'InvalidNumber 3:45',
      'InvalidNumber 3:54',
      'InvalidText 7:18',
      'InvalidText 7:27',
    ]);
  });

  it('refuses what nests too deeply without exhausting the stack', () => {
    for (const deep of ['['.repeat(30_000), '- '.repeat(30_000), '? '.repeat(30_000), '{a: '.repeat(30_000)]) {
      expect(places(`name: ${deep === '' ? '' : '\n  '}${deep}`).map(place => place.split(' ')[0])).toEqual([
        'TooDeep',
      ]);
    }
    expect(places(graph({ top: `input: { default: ${'['.repeat(70)}${']'.repeat(70)} }\n` }))).toEqual([
      'TooDeep 3:81',
    ]);
  });

  it('answers an empty text', () => {
    expect(places('')).toEqual(['WrongType 1:1']);
    expect(places('# nothing\n')).toHaveLength(1);
  });
});

describe('the reader of JSON', () => {
  it('refuses what the strict reader refuses, all at once where the text can still be read', () => {
    const text =
      '{\n\t"name": "a", "name": "b",\n\t"__proto__": 1,\n\t"title": "\\ud800",\n\t"limits": { "maxSteps": 1e400 }\n}';
    const found = places(text, 'json').filter(place => !/^(MissingKey|EntryMissing)/.test(place));
    expect(found).toEqual(['DuplicateKey 2:15', 'DangerousKey 3:2', 'InvalidText 4:11', 'InvalidNumber 5:26']);
  });

  it('refuses YAML, and tells where', () => {
    expect(places('{"name": yes}', 'json')).toEqual(['InvalidJson 1:10']);
    expect(places('{"name": "a"} # end', 'json')).toEqual(['InvalidJson 1:15']);
    expect(places('['.repeat(100_000), 'json')).toEqual(['TooDeep 1:65']);
  });
});

describe('one mistake', () => {
  it('is told once, whatever part of the graph could not be read', () => {
    const values = [...DESK.matchAll(/(?<=[a-zA-Z]: +)[^\s{[|][^,}\]\n]*/g)];
    expect(values.length).toBeGreaterThan(40);
    for (const { index, 0: value } of values) {
      if (value.startsWith('"')) continue;
      const text = `${DESK.slice(0, index)}*a${DESK.slice(index + value.length)}`;
      expect(places(text), text).toEqual([expect.stringContaining('YamlAlias')]);
    }
  });

  it('of a type leaves the rest of that node to be checked', () => {
    const other = DESK.replace('type: ask', 'type: asks').replace('update: { queue:', 'update: { queue: 7, queu:');
    expect(places(other)).toEqual(['UnknownNodeType 13:11', 'TextWanted 23:22', 'UnknownStateKey 23:25']);
  });

  it('of a type hides no fault that is there whatever was meant, and brings none that only follows', () => {
    const text = `name: forked
entry: start
state: { type: object, properties: { status: { type: string } } }
nodes:
  start: { type: transform }
  a: { type: transform, update: { status: "'a'" } }
  b: { type: transform, update: { status: "'b'" } }
  c: { type: merge }
  lonely: { type: transform, join: all }
  j: { type: join }
routes:
  start: [ { to: [a, b], when: 'run.step < 9' }, { to: lonely } ]
  a: [ { to: c } ]
  b: [ { to: c } ]
  c: [ { to: j } ]
`;
    const meant = places(text.replace('merge', 'join')).filter(place => !place.startsWith('JoinWithoutFork 10'));
    expect(places(text)).toEqual(['ConflictingWrites 7:43', 'UnknownNodeType 8:14', 'JoinWithoutFork 9:3']);
    expect(meant).toEqual(['ConflictingWrites 7:43', 'JoinWithoutFork 9:3']);
  });

  it('in a field of a form hides no fault of expressions that do not read the form', () => {
    const found = places(
      DESK.replace('required: true, options: [oncall, billing]', 'options: []').replace(
        'output.values.queue }',
        'output.values.queue, trail: "1 + true" }',
      ),
    );
    expect(found).toEqual(['NoOptions 19:54', 'ExpressionType 23:52']);
  });

  it('in a key does not bring the faults of its absence', () => {
    expect(places(DESK.replace('after: 2h', 'afer: 2h'))).toEqual(['UnknownKey 22:19']);
    expect(places(DESK.replace('state:', 'stat:'))).toEqual(['UnknownKey 4:1']);
    expect(places(DESK.replace('nodes:', 'node:'))).toEqual(['UnknownKey 5:1']);
  });
});

describe('keys', () => {
  it('may be written in snake_case, but not both ways', () => {
    const { definition } = loadGraph(graph({ top: 'limits: { max_visits: 3 }\n' }));
    expect(definition?.limits).toEqual({ maxVisits: 3 });
    expect(places(graph({ top: 'limits: { max_visits: 3, maxVisits: 4 }\n' }))).toEqual(['KeyTwice 3:26']);
  });

  it('that are unknown are told with the one that was meant', () => {
    const { faults } = loadGraph(graph({ node: '    otput: { x: "1" }\n', top: 'zzz: 1\n' }));
    expect(faults).toMatchObject([
      { code: 'UnknownKey', line: 3, column: 1, pointer: '/zzz' },
      { code: 'UnknownKey', line: 7, column: 5, pointer: '/nodes/a/otput', hint: 'Did you mean `output`?' },
    ]);
  });

  it('that are missing are told once, without what would follow', () => {
    expect(places('name: x\nnodes:\n  a: { type: ask }\n  b:\n    title: x\nroutes: { a: { to: b } }\n')).toEqual([
      'EntryMissing 1:1',
      'MissingKey 3:3',
      'MissingKey 4:3',
    ]);
  });
});

describe('values', () => {
  it('of another kind are told, and the rest is checked all the same', () => {
    const text = graph({
      top: 'limits: { maxSteps: 1.5, maxVisits: "3", noProgress: true }\nzone: [UTC]\n',
      node: '    input: x\n    update: { nothing: "1 +" }\n    retry: { attempts: 0 }\n',
    });
    const found = places(text);
    for (const place of ['OutOfRange 3:21', 'WrongType 3:37', 'WrongType 3:54', 'WrongType 4:1']) {
      expect(found).toContain(place);
    }
    expect(found).toContain('WrongType 8:12');
    expect(found).toContain('OutOfRange 10:24');
    expect(found.some(place => place.includes(' 9:'))).toBe(true);
  });

  it('that are numbers or truth values where text is wanted ask for quotes', () => {
    const { faults } = loadGraph(graph({ top: 'version: 1.10\ntitle: true\n', node: '    timeout: 30\n' }));
    expect(faults).toMatchObject([
      { code: 'TextWanted', line: 3, column: 10, hint: 'Quote it: "1.10".' },
      { code: 'TextWanted', line: 4, column: 8, hint: 'Quote it: "true".' },
      { code: 'TextWanted', line: 8, column: 14, hint: 'Quote it: "30".' },
    ]);
  });

  it('of few words are told with the one that was meant', () => {
    const faults = errorsOf(loadGraph(graph({ top: 'routes: { a: { to: end, on: sucess } }\n' })));
    expect(faults).toMatchObject([{ code: 'UnknownValue', line: 3, column: 29, hint: 'Did you mean `success`?' }]);
  });
});

describe('node types', () => {
  it('that nobody registered are told with those that are, and nothing follows from it', () => {
    const text = DESK.replace('type: faq-search', 'type: faq_serch');
    const faults = errorsOf(loadGraph(text, { types: TYPES }));
    expect(faults).toMatchObject([{ code: 'UnknownNodeType', line: 10, column: 25, pointer: '/nodes/faq/type' }]);
    expect(faults[0]?.hint).toContain('Did you mean `faq-search`?');
    expect(faults[0]?.hint).toContain('Registered are compose-reply, create-ticket, faq-search, intent-classifier');
  });

  it('hold their settings against their schema', () => {
    const text = DESK.replace('complaint] }', '7], model: 4.10, x: 1 }');
    expect(places(text)).toEqual(['TextWanted 8:49', 'TextWanted 8:60', 'InvalidSettings 8:69']);
  });

  it('give their output schema, which the node may replace', () => {
    const text = DESK.replace('type: faq-search', 'type: faq-search, output: { type: object }');
    expect(loadGraph(text, { types: TYPES }).definition?.nodes.faq).toMatchObject({ output: { type: 'object' } });
  });

  it('decision is another word for ask, and a request with fields is a form', () => {
    const text =
      'name: x\nentry: a\nnodes:\n  a:\n    type: decision\n    request: { title: T, fields: [{ name: n, type: text, show_if: "true" }], assign: role:lead, resume: restart }\n';
    const { definition, faults } = loadGraph(text);
    expect(faults.filter(fault => fault.severity === 'error')).toEqual([]);
    expect(definition?.nodes.a).toEqual({
      type: 'ask',
      request: {
        kind: 'form',
        title: 'T',
        fields: [{ name: 'n', type: 'text', showIf: 'true' }],
        assignees: ['role:lead'],
        resume: { mode: 'restart' },
      },
    });
  });

  it('a form as a schema becomes fields, and faults in it stand at its properties', () => {
    const form = (properties: string) =>
      `name: x\nentry: a\nnodes:\n  a:\n    type: ask\n    request:\n      title: T\n      form:\n        type: object\n        properties:\n${properties}`;
    const { definition } = loadGraph(form('          amount: { type: number, minimum: 0 }\n'));
    expect(definition?.nodes.a).toMatchObject({
      request: { kind: 'form', fields: [{ name: 'amount', type: 'number', min: 0 }] },
    });
    expect(places(form('          amount: { type: object }\n'))).toEqual(['UnsupportedInForm 11:11']);
    expect(places(form('          tier: { type: string, enum: [a, 010] }\n'))).toEqual(['TextWanted 11:43']);
  });

  it('a map runs a node or a graph of its own', () => {
    const text = `name: x
entry: all
input: { type: object, required: [list], properties: { list: { type: array, items: { type: string } } } }
nodes:
  all:  { type: map, items: input.list, body: { type: transform, output: { it: item } } }
  each: { type: map, items: input.list, graph: inner }
routes: { all: { to: each } }
graphs:
  inner: { entry: a, nodes: { a: { type: transform } } }
`;
    const loaded = loadGraph(text);
    const { definition } = loaded;
    expect(errorsOf(loaded)).toEqual([]);
    expect(definition?.nodes.all).toMatchObject({ body: { node: { type: 'transform', output: { it: 'item' } } } });
    expect(definition?.nodes.each).toMatchObject({ body: { graph: 'inner' } });
    expect(definition?.graphs?.inner).toMatchObject({ name: 'inner', entry: 'a' });
  });
});

describe('expressions', () => {
  it('are faulted at the character, in plain and in quoted scalars', () => {
    const head = 'name: x\nentry: a\nnodes: { a: { type: transform } }\nroutes:\n  a:\n';
    const at = (route: string) => places(`${head}    - { to: end, ${route} }\n`).map(place => place.replace(/.* /, ''));
    expect(at('when: 1 + nothing == 2')[0]).toBe('6:28');
    expect(at("when: '''a'' + nothing == 2'")[0]).toBe('6:33');
    expect(at('when: "\\x61 + nothing"')).toEqual(['6:25', '6:32']);
    expect(at('until: 1 + nothing == 2')[0]).toBe('6:29');
  });

  it('until is read as when with the opposite', () => {
    const text = graph({ top: 'routes: { a: [{ to: a, until: run.step > 3 }, { to: end }] }\n' });
    expect(loadGraph(text).definition?.routes.a?.[0]).toEqual({ to: ['a'], when: '!(run.step > 3)' });
    expect(places(graph({ top: 'routes: { a: { to: end, until: "true", when: "true" } }\n' }))).toEqual([
      'KeyTwice 3:40',
    ]);
  });
});

describe('state', () => {
  it('is a schema of an object, or a map from key to definition, and takes shared definitions along', () => {
    const schema = graph({
      top: 'state:\n  type: object\n  $defs: { line: { type: string } }\n  properties:\n    trail: { type: array, items: { $ref: "#/$defs/line" }, reducer: append }\n    n: { type: number }\n',
    });
    const line = { line: { type: 'string' } };
    const expected = {
      trail: { schema: { type: 'array', items: { $ref: '#/$defs/line' }, $defs: line }, reducer: 'append' },
      n: { schema: { type: 'number' } },
    };
    expect(loadGraph(schema).definition?.state).toEqual(expected);
    const keys = graph({ top: `state: ${JSON.stringify(expected)}\n` });
    expect(loadGraph(keys).definition?.state).toEqual(expected);
  });

  it('has keys that may be called type and properties', () => {
    const top = 'state: { type: { schema: { type: string } }, properties: { schema: { type: number } } }\n';
    expect(Object.keys(loadGraph(graph({ top })).definition?.state ?? {})).toEqual(['type', 'properties']);
  });
});
