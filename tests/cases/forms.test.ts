import { defineGraph, type RunHandle, type Signalbox } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLab, STORES } from './testing/lab.ts';

/** A graph that asks for these fields and keeps the values as they were accepted. */
function asking(fields: readonly object[]) {
  const desk = defineGraph({
    name: 'form',
    input: z.object({}),
    state: z.object({ given: z.record(z.string(), z.any()).optional() }),
  });
  return desk.build({
    entry: 'form',
    nodes: {
      form: desk.ask({ title: 'Fill in', fields: fields as never, update: { given: 'output.values' } }),
    },
    routes: {},
  });
}

/** What becomes of one answer: the values as they were stored, or the pointers of what is wrong with them. */
async function verdict(box: Signalbox, graph: ReturnType<typeof asking>, values: object): Promise<unknown> {
  const run: RunHandle<unknown> = await box.start(graph, {});
  await run.settled();
  try {
    await run.answer({ values: values as never });
  } catch (error) {
    const { details } = error as { details: { issues: { pointer: string }[] } };
    expect((await run.view()).requests).toHaveLength(1);
    return details.issues.map(issue => issue.pointer);
  }
  await run.settled();
  return (await run.state()).given;
}

describe.each(STORES)('on %s', store => {
  async function expectField(name: string, field: object, good: readonly unknown[], bad: readonly unknown[]) {
    const box = createLab(store).open();
    const graph = asking([{ name, required: true, ...field }]);
    for (const value of good) expect(await verdict(box, graph, { [name]: value })).toEqual({ [name]: value });
    for (const value of bad)
      expect([value, await verdict(box, graph, { [name]: value })]).toEqual([value, [`/${name}`]]);
  }

  it('C17 4.35 is a multiple of 0.01', async () => {
    await expectField(
      'price',
      { type: 'number', step: 0.01 },
      [4.35, 16.08, 0.57, 2.3, 1.17, 0, 100000.01],
      [4.351, 16.085],
    );
    await expectField('level', { type: 'slider', min: 0, max: 1, step: 0.1 }, [0.3, 0.6, 0.7], [0.35]);
    await expectField('mix', { type: 'slider', min: 0.05, max: 1, step: 0.05 }, [0.15, 0.35, 0.7], [0.12]);
  });

  it('C18 impossible dates are refused, not rolled over', async () => {
    await expectField(
      'day',
      { type: 'date' },
      ['2024-02-29', '2000-02-29', '2026-12-31'],
      ['2026-02-30', '2025-02-29', '2100-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-06-99'],
    );
    const box = createLab(store).open();
    const graph = asking([{ name: 'at', type: 'datetime', required: true }]);
    const stored = (await verdict(box, graph, { at: '2026-03-01T23:59:59+08:00' })) as { at: string };
    expect(Date.parse(stored.at)).toBe(Date.parse('2026-03-01T15:59:59Z'));
    expect(await verdict(box, graph, { at: '2026-13-13T17:45:07Z' })).toEqual(['/at']);
    expect(await verdict(box, graph, { at: '2026-03-01T25:00:00Z' })).toEqual(['/at']);
    const local = (await verdict(box, graph, { at: '2026-03-01T10:00:00' })) as { at: string };
    expect(Date.parse(local.at)).toBe(Date.parse('2026-03-01T10:00:00Z'));
  });

  it('C20 a choice keeps the type of its options and matches without guessing', async () => {
    await expectField('level', { type: 'select', options: [1, 2, 3] }, [2], ['2', 4]);
    await expectField('code', { type: 'select', options: ['US', 'us'] }, ['US', 'us'], ['Us']);
    await expectField('colors', { type: 'multiselect', options: ['red', 'green'] }, [['red', 'green']], []);
    const box = createLab(store).open();
    const colors = asking([{ name: 'colors', type: 'multiselect', options: ['red', 'green'] }]);
    expect(await verdict(box, colors, { colors: ['blue'] })).toEqual(['/colors/0']);
  });

  it('C21 text length is counted in code points, not UTF-16 units', async () => {
    await expectField('tag', { type: 'text', min: 1, max: 3 }, ['abc', '審批單', '😀😀😀'], ['😀😀😀😀', '']);
    await expectField('pin', { type: 'text', min: 5 }, ['12345'], ['😀😀😀']);
  });
});
