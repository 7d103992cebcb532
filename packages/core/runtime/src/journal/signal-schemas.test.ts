import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Ctx, codeGraph } from './testing/code-graph.ts';
import { startWorld } from './testing/world.ts';

const PAID = z.object({ sum: z.number(), currency: z.string().default('TWD') });

interface Typed extends Omit<Ctx, 'signal'> {
  signal(name: string, schema: unknown): Promise<{ sum: number; currency: string }>;
}

const one = (schema: unknown) => codeGraph({ a: ctx => (ctx as unknown as Typed).signal('paid', schema) });

describe('a signal with a schema', () => {
  it('is refused to its sender when it does not fit, and the wait stays open over a restart', async () => {
    const world = await startWorld(one(PAID));
    await expect(world.run.signal('paid', { sum: 'much' })).rejects.toMatchObject({
      code: 'InvalidSignal',
      details: { issues: [{ pointer: '/sum' }] },
    });
    await expect(world.run.signal('paid', { sum: 1, note: 'x' })).rejects.toMatchObject({ code: 'InvalidSignal' });
    await world.restart();
    expect((await world.view()).status).toBe('suspended');
    await world.run.signal('paid', { sum: 5 });
    expect(await world.settled()).toMatchObject({ status: 'completed', output: { sum: 5, currency: 'TWD' } });
  });

  it('gives what its schema makes of it, also when the handler is executed again', async () => {
    const seen: unknown[] = [];
    const world = await startWorld(
      codeGraph({
        a: async ctx => {
          seen.push(await (ctx as unknown as Typed).signal('paid', PAID));
          await ctx.sleep('rest', '1h');
          return null;
        },
      }),
    );
    await world.run.signal('paid', { sum: 5 });
    await world.settled();
    await world.restart();
    await world.box.advance('1h');
    expect(seen).toEqual([
      { sum: 5, currency: 'TWD' },
      { sum: 5, currency: 'TWD' },
    ]);
  });

  it('may have another schema in the next deploy: that is no other code', async () => {
    const world = await startWorld(one(PAID));
    await world.restart(one(PAID.extend({ note: z.string().optional() })));
    await world.run.signal('paid', { sum: 5 });
    expect(await world.settled()).toMatchObject({ status: 'completed' });
  });

  it('fails the operation where code alone says what JSON Schema cannot', async () => {
    const even = z.number().refine(value => value % 2 === 0, 'must be even');
    const world = await startWorld(one(even));
    await world.run.signal('paid', 3);
    expect(await world.settled()).toMatchObject({
      status: 'failed',
      error: { code: 'InvalidSignal', details: { issues: [{ message: 'must be even' }] } },
    });
  });

  it('that is no schema is said so', async () => {
    const world = await startWorld(one({ type: 'number' }));
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { code: 'InvalidValue' } });
  });
});

describe('the first of several', () => {
  const graph = codeGraph({
    a: ctx =>
      ctx.first({
        paid: { signal: 'paid', schema: PAID },
        form: {
          ask: { kind: 'form', title: 'Sum?', fields: [{ name: 'sum', type: 'number', label: 'Sum', required: true }] },
        },
      }),
  });

  it('refuses a signal or an answer that does not fit, and waits on', async () => {
    const world = await startWorld(graph);
    await expect(world.run.signal('paid', {})).rejects.toMatchObject({ code: 'InvalidSignal' });
    await expect(world.run.answer({ action: 'approve', values: { sum: 'much' } })).rejects.toMatchObject({
      code: 'InvalidAnswer',
      details: { issues: [{ pointer: '/sum' }] },
    });
    expect((await world.view()).status).toBe('suspended');
    await world.run.signal('paid', { sum: 5 });
    expect(await world.settled()).toMatchObject({ output: { winner: 'paid', value: { sum: 5, currency: 'TWD' } } });
  });

  it('takes a form’s answer that fits', async () => {
    const world = await startWorld(graph);
    await world.answer('approve', { sum: 2 });
    expect(await world.settled()).toMatchObject({ output: { winner: 'form', value: { values: { sum: 2 } } } });
  });
});
