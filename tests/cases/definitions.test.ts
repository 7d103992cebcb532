import { readFileSync } from 'node:fs';
import { exportGraph, graphFromDefinition, loadGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { createLab } from './testing/lab.ts';

const read = (name: string) => readFileSync(new URL(`./fixtures/${name}.yaml`, import.meta.url), 'utf8');
const BROKEN = read('c33-broken');
const CORRECTED = read('c33-corrected');

describe('definitions', () => {
  it('C33 a broken definition is refused with every problem named, and nothing of it is registered', async () => {
    const loaded = loadGraph(BROKEN, { file: 'approval.yaml' });
    expect(loaded.definition).toBeUndefined();
    const found = loaded.faults.map(({ code, line, file }) => `${code} ${file}:${line}`);
    for (const fault of ['NoOptions', 'DefaultOutOfBounds', 'DuplicateKey', 'UnreachableNode', 'UnknownNode'])
      expect(found).toContainEqual(expect.stringMatching(`^${fault} approval.yaml:\\d+$`));
    expect(found).toContainEqual(expect.stringMatching(/approval\.yaml:20$/));

    const box = createLab('memory').open();
    await expect(box.start<unknown, unknown>('approval', {})).rejects.toMatchObject({ code: 'UnknownGraph' });
    const graph = graphFromDefinition(loadGraph(CORRECTED).definition!, []);
    const run = await box.start(graph, {});
    expect((await run.settled()).requests).toMatchObject([{ title: 'Review' }]);
  });

  const SPELLED = `name: spelling
version: "1.10"
title: "審批: 第一關"
entry: ask
nodes:
  ask:
    type: ask
    request:
      title: Choose
      fields:
        - { name: on, type: select, options: [yes, no, on, off, NO, "010", 12:30] }
        - { name: day, type: date, default: 2026-03-04 }
routes:
  ask: [{ to: end, on: approve }]
`;

  it('C34 YAML spelling does not change meaning', async () => {
    const unquoted = loadGraph(SPELLED.replace('"1.10"', '1.10').replace('"010"', '010'));
    expect(unquoted.definition).toBeUndefined();
    const errors = unquoted.faults.filter(fault => fault.severity === 'error');
    expect(errors.map(({ code, hint }) => [code, hint])).toEqual([
      ['TextWanted', 'Quote it: "1.10".'],
      ['TextWanted', 'Quote it: "010".'],
    ]);
    expect(loadGraph(`${SPELLED}routes: {}\n`).faults.map(fault => fault.code)).toContain('DuplicateKey');

    const first = loadGraph(SPELLED).definition!;
    const graph = graphFromDefinition(first, []);
    for (const format of ['json', 'yaml'] as const) {
      const again = loadGraph(exportGraph(first, format), { format }).definition!;
      expect(again).toEqual(first);
      expect(graphFromDefinition(again, []).versionHash).toBe(graph.versionHash);
    }
    const box = createLab('memory').open();
    const run = await box.start(graph, {});
    const [asked] = (await run.settled()).requests;
    expect(asked!.fields[0]).toMatchObject({
      options: ['yes', 'no', 'on', 'off', 'NO', '010', '12:30'].map(value => expect.objectContaining({ value })),
    });
    await run.answer({ values: { on: 'no' } });
    expect(await run.settled()).toMatchObject({ output: { values: { on: 'no', day: '2026-03-04' } } });
  });
});
