import type { AnyState, Handler, NodeContext, Operations, OperationTools, Wait } from '@signalbox/core';
import type { Act, Behaviour } from './behaviour.ts';
import { formOf, type RandomGraph } from './random-graph.ts';

/** Where the effects of all processes are seen; the same for all of them, as the outside world is. */
export interface Witness {
  /** Performs an effect: called when it begins; resolves with what it gives. */
  perform(key: string, act: Extract<Act, { do: 'run' }>, where: string): Promise<number>;
}

type Context = NodeContext & Operations<AnyState>;

/** The code of a process: does what the behaviours say. */
export function handlersOf(graph: RandomGraph, witness: Witness): Map<string, Handler> {
  return new Map(
    [...graph.behaviours].map(([key, behaviour]) => [
      key,
      { execute: (ctx: Context) => execute(ctx, behaviour, witness) },
    ]),
  );
}

async function execute(ctx: Context, behaviour: Behaviour, witness: Witness): Promise<unknown> {
  const ops: Record<string, unknown> = {};
  await doAll(ctx, behaviour.acts, witness, ops);
  const { end } = behaviour;
  if (end === 'throw' || (end === 'throwOnce' && ctx.node.attempt === 1)) throw new Error(`${ctx.node.name} throws`);
  if (end === 'throwPermanent')
    throw Object.assign(new Error('for good'), { [Symbol.for('signalbox.permanent')]: true });
  if (end === 'skip') return { [Symbol.for('signalbox.result')]: 'skipped' };
  if (end === 'retryOnce' && ctx.node.attempt === 1) return { [Symbol.for('signalbox.result')]: 'retry' };
  if (behaviour.update) ctx.update({ count: 1, log: [ctx.node.name] });
  const n = Object.values(ops).reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 1), 0);
  return { n, ops };
}

async function doAll(
  ctx: Context,
  acts: readonly Act[],
  witness: Witness,
  ops: Record<string, unknown>,
): Promise<void> {
  for (const act of acts) await perform(ctx, act, witness, ops);
}

async function perform(ctx: Context, act: Act, witness: Witness, ops: Record<string, unknown>): Promise<void> {
  switch (act.do) {
    case 'run': {
      const fn = ({ idempotencyKey }: OperationTools) => witness.perform(idempotencyKey, act, ctx.node.name);
      ops[act.name] = await ctx.run(act.name, fn, {
        once: act.once,
        ...(act.onDoubt === undefined ? {} : { onDoubt: act.onDoubt }),
      });
      return;
    }
    case 'ask': {
      // An answer that began this pass anew is taken as established; else it would be asked for ever.
      if (act.restart && ctx.answers.length > 0) return;
      const request = formOf(`${ctx.node.name} asks`, {
        ...(act.after === undefined ? {} : { deadline: { after: act.after, onExpire: 'route' as const } }),
        ...(act.restart ? { resume: { mode: 'restart' as const } } : {}),
      });
      ops[act.name] = (await ctx.ask(act.name, request as never)).values;
      return;
    }
    case 'sleep':
      return await ctx.sleep(act.name, act.for);
    case 'signal':
      ops[act.name] = await ctx.signal(act.name);
      return;
    case 'first': {
      const waits: Record<string, Wait> = { late: { for: act.for }, come: { signal: act.signal } };
      if (act.ask) waits.said = { ask: formOf('First?') as never };
      ops[`first ${act.signal}`] = (await ctx.first(waits)).winner;
      return;
    }
    case 'decide':
      return ctx.decide(act.name, { chosen: 'a', options: ['a', 'b'] });
    case 'refresh':
      ops[act.name] = (await ctx.refresh()).count;
      return;
    case 'derive':
      ops[act.name] = `${ctx.uuid()} ${ctx.random()} ${ctx.now()}`;
      return;
    case 'parallel':
      await Promise.all(act.chains.map(chain => doAll(ctx, chain, witness, ops)));
  }
}
