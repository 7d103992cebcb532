import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportGraph } from './export-graph.ts';
import { loadGraph } from './load-graph.ts';

/** The example of the design. */
const DESK = readFileSync(new URL('./support-desk.yaml.txt', import.meta.url), 'utf8');

const TYPES = { 'intent-classifier': {}, 'faq-search': {}, 'create-ticket': {}, 'compose-reply': {} };
const OLDER = `name: older
nodes:
  - { name: a, type: create-ticket, params: { x: 1 }, route_to: b }
  - { name: b, type: decision, params: { title: T, fields: [{ name: n, type: select, options: [a, b] }] }, next: { approve: c, default: d } }
  - { name: c, type: map, params: { items: "[1, 2]", body: { type: transform, output: { y: item } } } }
  - { name: d, type: wait, params: { first: { late: { for: 2h }, told: { signal: s } } } }
edges:
  - { from: c, to: d, condition: success }
  - { from: c, to: end }
`;
const SEEDS = [DESK, OLDER];

const SNIPPETS = [
  ...[
    ': ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '\n',
    '  ',
    '\t',
    '#',
    '&a ',
    '*a',
    '!t ',
    '<<: ',
    '|\n',
    '? ',
    '---\n',
    '...',
  ],
  ...['null', '~', 'true', '1.10', '010', '.inf', 'end', 'classify', 'type: join', 'to: [a, b]', 'nodes:', 'routes:'],
  ...['\0', '\ud800', '\u2028', '__proto__: 1', 'constructor', '"\\ud800"', '%YAML 1.1\n', '9'.repeat(20), '-', ','],
];

interface Edit {
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.oneof({ weight: 4, arbitrary: fc.nat(6) }, { weight: 1, arbitrary: fc.nat(80) }),
  put: fc.oneof(fc.constant(''), fc.constantFrom(...SNIPPETS), fc.string({ maxLength: 4 })),
});

function mutate(text: string, edits: readonly Edit[]): string {
  return edits.reduce((current, { at, cut, put }) => {
    const start = Math.floor(at * current.length);
    return current.slice(0, start) + put + current.slice(start + cut);
  }, text);
}

/** Faults have a place inside the text; a definition is given exactly when none is an error, and can be written and read. */
function checkAnswer(text: string, format: 'yaml' | 'json'): void {
  const { definition, faults } = loadGraph(text, { types: TYPES, format });
  const lines = text.split(/\r\n|\r|\n/);
  for (const { line, column } of faults) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 2);
  }
  expect(definition === undefined).toBe(faults.some(fault => fault.severity === 'error'));
  if (definition !== undefined) {
    expect(loadGraph(exportGraph(definition, 'yaml')).definition).toEqual(definition);
  }
}

describe('whatever a text holds', () => {
  it('the loader answers with faults and never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SEEDS), fc.array(edit, { minLength: 1, maxLength: 4 }), (seed, edits) => {
        checkAnswer(mutate(seed, edits), 'yaml');
      }),
      { numRuns: 500 },
    );
  });

  it('the same holds for JSON', () => {
    const json = exportGraph(loadGraph(DESK, { types: TYPES }).definition!, 'json');
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), edits => {
        checkAnswer(mutate(json, edits), 'json');
      }),
      { numRuns: 150 },
    );
  });

  it('and for values of any kind at any place', () => {
    const wrong = fc.constantFrom(
      'null',
      '1.10',
      'true',
      '[]',
      '{}',
      '[[1]]',
      '{ a: { b: 1 } }',
      'x',
      '"0"',
      '*a',
      '!t x',
    );
    const values = [...DESK.matchAll(/(?<=[a-zA-Z]: +)[^\s{[][^,}\]\n]*/g)].map(({ index, 0: value }) => ({
      index,
      value,
    }));
    fc.assert(
      fc.property(fc.constantFrom(...values), wrong, ({ index, value }, other) => {
        checkAnswer(DESK.slice(0, index) + other + DESK.slice(index + value.length), 'yaml');
      }),
      { numRuns: 200 },
    );
  });
});
