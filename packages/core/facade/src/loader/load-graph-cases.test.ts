import { readFileSync } from 'node:fs';
import { versionHash } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { exportGraph } from './export-graph.ts';
import { type LoadedGraph, loadGraph } from './load-graph.ts';

function errorsOf({ faults }: LoadedGraph) {
  return faults.filter(fault => fault.severity === 'error');
}

const read = (name: string) =>
  readFileSync(new URL(`../../../../../tests/cases/fixtures/${name}.yaml`, import.meta.url), 'utf8');
const BROKEN = read('c33-broken');
const CORRECTED = read('c33-corrected');

describe('C33 broken definitions are refused at load with every problem named', () => {
  it('C33: all six at once, each with code, line and column', () => {
    const { definition, faults } = loadGraph(BROKEN);
    expect(definition).toBeUndefined();
    const found = faults.map(({ code, line, column }) => `${code} ${line}:${column}`);
    expect(found).toEqual(
      expect.arrayContaining([
        'NoOptions 11:39',
        'DefaultOutOfBounds 12:66',
        'DuplicateKey 13:3',
        'UnreachableNode 14:3',
        expect.stringMatching(/ 20:/),
        'UnknownNode 23:18',
      ]),
    );
  });

  it('C33: in the list form a second node of a name is not silently dropped either', () => {
    const text = 'name: x\nnodes:\n  - { name: a, type: transform }\n  - { name: a, type: join }\n';
    expect(errorsOf(loadGraph(text))).toMatchObject([{ code: 'DuplicateNode', line: 4, column: 13 }]);
  });

  it('C33: the corrected one loads', () => {
    expect(errorsOf(loadGraph(CORRECTED))).toEqual([]);
    expect(loadGraph(CORRECTED).definition?.name).toBe('approval');
  });
});

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

describe('C34 YAML spelling does not change meaning', () => {
  it('C34: a number where text is wanted asks for quotes and is never turned back into text', () => {
    const loaded = loadGraph(SPELLED);
    expect(loaded.definition).toBeUndefined();
    expect(errorsOf(loaded)).toMatchObject([
      { code: 'TextWanted', line: 2, column: 10, hint: 'Quote it: "1.10".' },
      { code: 'TextWanted', line: 11, column: 69, hint: 'Quote it: "010".' },
    ]);
  });

  it('C34: a doubled key is an error', () => {
    expect(loadGraph(`${SPELLED}routes: {}\n`).faults).toContainEqual(
      expect.objectContaining({ code: 'DuplicateKey', line: 15, column: 1 }),
    );
  });

  it('C34: words, times and dates are texts; all three forms are one definition with one hash', () => {
    const text = SPELLED.replace('1.10', '"1.10"').replace('010', '"010"');
    const first = loadGraph(text);
    expect(errorsOf(first)).toEqual([]);
    expect(first.version).toBe('1.10');
    expect(first.definition?.title).toBe('審批: 第一關');
    expect(first.definition?.nodes.ask).toMatchObject({
      request: {
        fields: [
          { name: 'on', options: ['yes', 'no', 'on', 'off', 'NO', '010', '12:30'] },
          { name: 'day', default: '2026-03-04' },
        ],
      },
    });
    for (const format of ['json', 'yaml'] as const) {
      const exported = exportGraph(first.definition!, format, { version: first.version! });
      expect(exported).toContain('審批: 第一關');
      const again = loadGraph(exported, { format });
      expect({ ...again, faults: [] }).toEqual({ ...first, faults: [] });
      expect(versionHash(again.definition!)).toBe(versionHash(first.definition!));
    }
  });
});
