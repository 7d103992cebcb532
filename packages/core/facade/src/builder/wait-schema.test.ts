import { testbox } from '@signalbox/testkit';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { loadGraph } from '../loader/load-graph.ts';
import { defineGraph } from './define-graph.ts';
import { graphFromDefinition } from './graph-from-definition.ts';

const PAID = z.object({ sum: z.number().positive(), currency: z.string().default('TWD') });

const FILE = `
name: shop
entry: paid
input: { type: object }
nodes:
  paid:
    type: wait
    signal: paid
    schema:
      type: object
      required: [sum]
      properties: { sum: { type: number, exclusiveMinimum: 0 }, currency: { type: string, default: TWD } }
      additionalProperties: false
  told: { type: transform, output: { sum: output.sum, currency: output.currency.orValue('none') } }
routes:
  paid: [{ to: told }]
`;

function built() {
  const desk = defineGraph({ name: 'shop', input: z.object({}) });
  const paid = desk.wait({ signal: 'paid', schema: PAID });
  const told = desk.transform({ output: { sum: 'output.sum', currency: "output.currency.orValue('none')" } });
  return desk.build({ entry: 'paid', nodes: { paid, told }, routes: { paid: [{ to: 'told' }] } });
}

function loaded() {
  const { definition, faults } = loadGraph(FILE);
  expect(faults).toEqual([]);
  return graphFromDefinition(definition!, []);
}

describe.each([
  ['TypeScript', built],
  ['YAML', loaded],
])('a wait for a signal with a schema, in %s', (_, graphOf) => {
  it('refuses to the sender what does not fit, waits on, and gives out what came out of the schema', async () => {
    const box = testbox({ graphs: [graphOf() as never] });
    const run = await box.start('shop', {});
    await run.settled();
    for (const [value, pointer] of [
      [{ sum: 'much' }, '/sum'],
      [{ sum: 5, note: 'x' }, '/note'],
    ] as const)
      await expect(run.signal('paid', value)).rejects.toMatchObject({
        code: 'InvalidSignal',
        details: { issues: [{ pointer }] },
      });
    await run.signal('paid', { sum: 5 });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { sum: 5, currency: 'TWD' } });
  });
});

describe('a first-of with a schema', () => {
  it('is won by the signal that fits, as its schema gives it out', async () => {
    const desk = defineGraph({ name: 'shop', input: z.object({}) });
    const first = desk.wait({ first: { money: { signal: 'paid', schema: PAID }, late: { for: '1d' } } });
    const graph = desk.build({ entry: 'first', nodes: { first }, routes: {} });
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    await expect(run.signal('paid', 'garbage')).rejects.toMatchObject({ code: 'InvalidSignal' });
    await run.signal('paid', { sum: 5 });
    const end = await run.settled();
    expect(end).toMatchObject({ output: { winner: 'money', value: { sum: 5, currency: 'TWD' } } });
    if (end.status === 'completed' && end.output.winner === 'money')
      expectTypeOf(end.output.value).toEqualTypeOf<{ sum: number; currency: string }>();
  });
});

it('a schema without a signal is a fault at its place', () => {
  const { faults } = loadGraph(FILE.replace('signal: paid', 'for: 1d'));
  expect(faults).toMatchObject([{ code: 'InvalidWait', pointer: '/nodes/paid/schema' }]);
});
