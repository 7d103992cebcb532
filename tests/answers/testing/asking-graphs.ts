import { defineGraph, type Graph } from 'signalbox';
import { z } from 'zod';
import { type Asker, GREATEST_AMOUNT } from './plan.ts';

/** How long a question of a run that expires is open. */
export const PATIENCE_MS = 3_600_000;

export interface World {
  /** What holds a run up before it asks. */
  gate(runId: string): Promise<void>;
  /** The effect behind the answer. */
  pay(runId: string): void;
}

/** Nothing here is held to simulated time but the questions. */
const PATIENT = '1000d';

const input = z.object({ held: z.boolean(), expires: z.boolean() });
const form = z.object({ amount: z.number().max(GREATEST_AMOUNT) });

/** A step, a question and a `once` effect, in each of the ways in which a question is put. */
export function askingGraphs(world: World): Readonly<Record<Asker, Graph<z.infer<typeof input>, unknown>>> {
  const hold = (runId: string, held: boolean) => (held ? world.gate(runId) : Promise.resolve());

  function withNode(name: Asker, mode: 'continue' | 'restart') {
    const desk = defineGraph({ name, input });
    const request = { title: 'How much?', form, resume: { mode } };
    return desk.build({
      entry: 'before',
      nodes: {
        before: desk.step(async ctx => {
          await ctx.run('hold', () => hold(ctx.run.id, ctx.input.held && ctx.answers.length === 0), {
            timeout: PATIENT,
          });
          return { answered: ctx.answers.length > 0 };
        }),
        ask: desk.ask(request),
        askInTime: desk.ask({ ...request, deadline: { after: '1h', onExpire: 'route' } }),
        pay: desk.step(ctx => ctx.run('pay', () => world.pay(ctx.run.id), { once: true, timeout: PATIENT })),
      },
      routes: {
        before: [
          { to: 'pay', when: 'output.answered == true' },
          { to: 'askInTime', when: 'input.expires' },
          { to: 'ask' },
        ],
        ask: [{ to: 'pay', on: ['approve', 'edit'] }, { to: 'end' }],
        askInTime: [{ to: 'pay', on: ['approve', 'edit'] }, { to: 'end' }],
      },
    });
  }

  function withHandler() {
    const desk = defineGraph({ name: 'handler', input });
    return desk.build({
      entry: 'ask',
      nodes: {
        ask: desk.step(async ctx => {
          await ctx.run('hold', () => hold(ctx.run.id, ctx.input.held), { timeout: PATIENT });
          const deadline = ctx.input.expires ? { deadline: { after: '1h', onExpire: 'route' } as const } : {};
          const { action } = await ctx.ask('ask', { title: 'How much?', form, ...deadline });
          if (action === 'approve' || action === 'edit')
            await ctx.run('pay', () => world.pay(ctx.run.id), { once: true, timeout: PATIENT });
          return action;
        }),
      },
      routes: {},
    });
  }

  return {
    node: withNode('node', 'continue'),
    restart: withNode('restart', 'restart'),
    handler: withHandler(),
  };
}
