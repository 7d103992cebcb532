import { compileJsonSchema, type GraphDefinition, versionHash } from '@signalbox/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportGraph } from './export-graph.ts';
import { graphSchema } from './graph-schema.ts';
import { loadGraph } from './load-graph.ts';

/** Texts that YAML 1.1 or 1.2 would take for something else, that need quotes, escapes or blocks. */
const AWKWARD = [
  ...['yes', 'no', 'on', 'off', 'NO', 'null', '~', '', ' ', 'true', '1.10', '010', '0x10', '1e3', '.inf', '12:30'],
  ...[
    '2026-03-04',
    '審批: 第一關',
    'a: b',
    '- a',
    '#x',
    'a #b',
    '&a',
    '*a',
    '!a',
    '<<',
    '=',
    '{',
    '[a]',
    '%',
    '@x',
    '`',
  ],
  ...[
    'a\nb',
    'a\nb\n',
    '\n',
    '  lead',
    'trail ',
    'a\r\nb',
    '\t',
    '\u2028',
    '\u0085',
    '\ufeff',
    "'",
    '"',
    '\\',
    '\u0007',
    '😀',
  ],
  ...['---', '...', 'a\n\n\n  b\n c', 'x'.repeat(300), 'x y '.repeat(80), '? a', '| b', '> c', ': d', ',', 'a, b', ']'],
];

const text = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.string({ unit: 'grapheme', maxLength: 30 }).filter(value => !/\0|\p{Surrogate}/u.test(value)),
);
const json = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map(value => (value === 0 ? 0 : value)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      text.filter(key => !['__proto__', '<<'].includes(key)),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value;

const definition = fc
  .record({
    title: text,
    settings: fc.dictionary(
      text.filter(key => !['__proto__', '<<', 'constructor', 'prototype'].includes(key)),
      json,
      { maxKeys: 5, noNullPrototype: true },
    ),
    because: text,
    both: fc.boolean(),
    default: text,
  })
  .map(
    (parts): GraphDefinition => ({
      name: 'any',
      title: parts.title,
      entry: 'a',
      input: {},
      state: {
        note: { schema: { type: 'string', default: parts.default } },
        all: { schema: { type: 'array' }, reducer: 'append' },
      },
      nodes: {
        a: { type: 'step', handler: 'work@1', with: parts.settings as never },
        b: {
          type: 'ask',
          request: { kind: 'confirmation', title: { cel: "'x' + 'y'" }, context: parts.settings as never },
        },
        c: { type: 'subgraph', graph: 'inner', ...(parts.both ? { join: 'all' } : {}) },
      },
      routes: {
        a: parts.both ? [{ to: ['b', 'c'] }] : [{ to: ['b'], on: ['success'], when: 'true', because: parts.because }],
        b: [{ to: ['c'] }],
      },
      graphs: {
        inner: { name: 'other', entry: 'x', input: {}, state: {}, nodes: { x: { type: 'transform' } }, routes: {} },
      },
    }),
  );

/** What the loader reads, whatever else the kernel has to say of it. */
function reread(graph: GraphDefinition, format: 'yaml' | 'json'): GraphDefinition | undefined {
  const { definition: read, faults } = loadGraph(exportGraph(graph, format), { format });
  expect(faults.filter(fault => fault.severity === 'error')).toEqual([]);
  return read;
}

const forEditors = compileJsonSchema(graphSchema());

describe('export', () => {
  it('then import is the identity, in both formats, whatever texts a definition holds', () => {
    fc.assert(
      fc.property(definition, graph => {
        for (const format of ['yaml', 'json'] as const) {
          const again = reread(graph, format);
          expect(again).toEqual(graph);
          expect(versionHash(again!)).toBe(versionHash(graph));
          expect(forEditors.validate(JSON.parse(exportGraph(graph, 'json')))).toMatchObject({ ok: true });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('quotes what another reader of YAML could take for something else, and leaves the rest readable', () => {
    const graph: GraphDefinition = {
      name: 'desk',
      title: '審批: 第一關',
      entry: 'a',
      input: {},
      state: {},
      nodes: {
        a: { type: 'step', handler: 'work@1', with: { to: ['x'], tone: 'no', at: '12:30', labels: ['faq', 'refund'] } },
      },
      routes: { a: [{ to: ['end'] }] },
    };
    expect(exportGraph(graph, 'yaml', { version: '1.10' })).toBe(`name: desk
version: "1.10"
title: "審批: 第一關"
entry: a
input: {}
state: {}
nodes:
  a:
    type: step
    handler: work@1
    with:
      to: [ x ]
      tone: "no"
      at: "12:30"
      labels: [ faq, refund ]
routes:
  a:
    - to: end
`);
    expect(exportGraph(graph, 'json')).toContain('"title": "審批: 第一關"');
  });
});
