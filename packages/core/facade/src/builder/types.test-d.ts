/**
 * Compiled, never run: each `@ts-expect-error` stands for something that must not compile, and fails the type check the
 * day it does. The rest says what the types come to.
 */
import type { JsonObject, JsonValue } from '@signalbox/kernel';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { conversation } from '../conversation/conversation.ts';
import type { EndCode } from '../conversation/find-end.ts';
import { defineGraph } from './define-graph.ts';
import type { GraphInput, GraphOutput, GraphState } from './graph.ts';
import { defineNodeType } from './node-type.ts';
import { append, max, merge, sum } from './reducers.ts';
import { failed, next, retry, skipped } from './result.ts';

const desk = defineGraph({
  name: 'desk',
  input: z.object({ message: z.string(), lang: z.string().default('en') }),
  state: z.object({
    amount: z.number().optional(),
    queue: z.string(),
    tone: z.string().default('calm'),
    trail: append(z.array(z.string())),
    total: sum(z.number()),
    peak: max(z.number()),
    facts: merge(z.object({ city: z.string(), age: z.number() })),
  }),
});

const triage = desk.step({ output: z.object({ intent: z.enum(['refund', 'faq']), sure: z.number() }) }, () => ({
  intent: 'faq' as const,
  sure: 1,
}));
const review = desk.ask({ title: 'How much?', form: z.object({ amount: z.number(), note: z.string().default('') }) });
const reply = desk.step(() => ({ reply: 'done' }));
const nodes = { triage, review, reply };

// ---- Routes -------------------------------------------------------------------------------------------------------

desk.build({
  entry: 'triage',
  nodes,
  // @ts-expect-error The target of a route is a node of this graph.
  routes: { triage: [{ to: 'reviw' }] },
});

// @ts-expect-error One of several targets is no node.
desk.build({ entry: 'triage', nodes, routes: { triage: [{ to: ['review', 'nobody'] }] } });

// @ts-expect-error Routes leave from nodes of this graph.
desk.build({ entry: 'triage', nodes, routes: { triag: [{ to: 'review' }] } });

// @ts-expect-error The entry is a node of this graph.
desk.build({ entry: 'start', nodes, routes: {} });

// @ts-expect-error `end` is a target, never the entry.
desk.build({ entry: 'end', nodes, routes: {} });

// @ts-expect-error A step has no `approve`: only a question is approved.
desk.build({ entry: 'triage', nodes, routes: { triage: [{ to: 'reply', on: 'approve' }] } });

// @ts-expect-error One outcome of several is none of a step.
desk.build({ entry: 'triage', nodes, routes: { triage: [{ to: 'reply', on: ['failed', 'expired'] }] } });

// @ts-expect-error There is no outcome `accepted`, even for a question.
desk.build({ entry: 'triage', nodes, routes: { review: [{ to: 'reply', on: 'accepted' }] } });

// @ts-expect-error A route has no member `if`.
desk.build({ entry: 'triage', nodes, routes: { triage: [{ to: 'reply', if: 'true' }] } });

desk.build({
  entry: 'triage',
  nodes,
  // @ts-expect-error A guard in code sees the output of its own node, which has no `intention`.
  routes: { triage: [{ to: 'reply', when: see => see.output.intention === 'x' }] },
});

desk.build({
  entry: 'triage',
  nodes,
  // @ts-expect-error A guard compares with what can be: an intent is never `complaint`.
  routes: { triage: [{ to: 'reply', when: see => see.output.intent === 'complaint' }] },
});

// @ts-expect-error A guard in code cannot read a state key that is not there.
desk.build({ entry: 'triage', nodes, routes: { triage: [{ to: 'reply', when: see => see.state.amout === 1 }] } });

// @ts-expect-error A guard answers yes or no, and at once.
desk.build({ entry: 'triage', nodes, routes: { triage: [{ to: 'reply', when: async () => true }] } });

// @ts-expect-error A node is made by the builder; a bare function is none.
desk.build({ entry: 'triage', nodes: { triage: () => 1 }, routes: {} });

// ---- State --------------------------------------------------------------------------------------------------------

// @ts-expect-error A node's `update` writes keys of the state.
desk.ask({ title: 'x', form: z.object({ a: z.string() }), update: { amout: 'output.values.a' } });

// @ts-expect-error The same for a transform.
desk.transform({ update: { nothing: '1' } });

// @ts-expect-error What a restart carries over are keys of the state.
desk.ask({ title: 'x', resume: { mode: 'restart', carry: { nothing: '1' } } });

desk.step(ctx => {
  // @ts-expect-error A handler writes only keys of the state.
  ctx.update({ amout: 3 });
  // @ts-expect-error An appended key takes a list of what is added, not one item.
  ctx.update({ trail: 'one' });
  // @ts-expect-error The items of the list have the type of the key.
  ctx.update({ trail: [1] });
  // @ts-expect-error A sum takes the number that is added.
  ctx.update({ total: [1] });
  // @ts-expect-error A part that is merged has members of the right type.
  ctx.update({ facts: { age: 'old' } });
  // @ts-expect-error A key that is replaced takes a value of its type.
  ctx.update({ queue: 7 });
  // @ts-expect-error Nobody may have written `queue` yet, although the schema asks for it.
  ctx.state.queue.length;
  // @ts-expect-error The state is read only: writes go through `update`.
  ctx.state.queue = 'x';
  // @ts-expect-error Lists in the state are read only as well.
  ctx.state.trail.push('x');
  // @ts-expect-error There is no such key to read.
  ctx.state.nothing;
  ctx.update({ trail: ['a'], total: 2, peak: 3, facts: { age: 4 }, queue: 'q' });
  expectTypeOf(ctx.state.amount).toEqualTypeOf<number | undefined>();
  expectTypeOf(ctx.state.tone).toEqualTypeOf<string>();
  expectTypeOf(ctx.state.trail).toEqualTypeOf<readonly string[]>();
  expectTypeOf(ctx.state.total).toEqualTypeOf<number>();
  expectTypeOf(ctx.state.peak).toEqualTypeOf<number | undefined>();
  expectTypeOf(ctx.state.facts).toEqualTypeOf<{ readonly city: string; readonly age: number }>();
});

// @ts-expect-error `append` is for lists.
append(z.string());

// @ts-expect-error `sum` is for numbers.
sum(z.string());

// ---- Handlers -----------------------------------------------------------------------------------------------------

// @ts-expect-error A handler returns what its output schema says.
desk.step({ output: z.object({ a: z.string() }) }, () => ({ a: 1 }));

// @ts-expect-error A wish names a node that is declared in `next`.
desk.step({ next: ['reply'] }, () => next('review'));

// @ts-expect-error Without `next` there is nothing to wish for.
desk.step(() => next('reply'));

// @ts-expect-error A wish may carry an output, which the schema describes too.
desk.step({ next: ['reply'], output: z.object({ a: z.string() }) }, () => next('reply', { output: { a: 1 } }));

desk.step({ input: { order: 'input.message' } }, ctx => {
  expectTypeOf(ctx.given.order).toEqualTypeOf<JsonValue>();
  // @ts-expect-error What a node is given has the keys of its `input`.
  ctx.given.orders;
});

desk.step(async ctx => {
  expectTypeOf(ctx.input.lang).toEqualTypeOf<string>();
  // @ts-expect-error The run's input has no such key.
  ctx.input.text;
  // @ts-expect-error The run's input is read only.
  ctx.input.lang = 'de';
  // @ts-expect-error An operation has a name.
  await ctx.run(() => 1);
  // @ts-expect-error What is done in doubt is one of three things.
  await ctx.run('pay', () => 1, { once: true, onDoubt: 'ignore' });
  expectTypeOf(await ctx.run('count', async ({ idempotencyKey }) => idempotencyKey.length)).toEqualTypeOf<number>();
  expectTypeOf(ctx.run.id).toEqualTypeOf<string>();
  expectTypeOf(await ctx.signal('paid', z.object({ sum: z.number() }))).toEqualTypeOf<{ sum: number }>();

  const answer = await ctx.ask('amount', { title: 'How much?', form: z.object({ amount: z.number() }) });
  // @ts-expect-error Only an approval or an edit carries values, so the action is looked at first.
  answer.values.amount.toFixed(2);
  if (answer.action === 'approve') expectTypeOf(answer.values.amount).toEqualTypeOf<number>();

  const chosen = await ctx.ask('size', { title: 'Which size?', options: ['s', { value: 'm', label: 'Medium' }, 40] });
  if (chosen.action === 'approve') expectTypeOf(chosen.values).toEqualTypeOf<{ choice: 's' | 'm' | 40 }>();
  const worked = await ctx.ask('size', { title: 'Which size?', options: { cel: 'state.sizes' } });
  if (worked.action === 'approve') expectTypeOf(worked.values).toEqualTypeOf<JsonObject>();
  // @ts-expect-error A choice has options, or it is a form.
  await ctx.ask('size', { title: 'Which size?', options: ['s'], form: z.object({}) });
  const size = await ctx.first({ size: { ask: { title: 'Which size?', options: ['s', 'm'] } }, late: { for: '2h' } });
  if (size.winner === 'size' && size.value.action === 'edit')
    expectTypeOf(size.value.values.choice).toEqualTypeOf<'s' | 'm'>();

  const won = await ctx.first({ paid: { signal: 'paid', schema: z.number() }, late: { for: '2h' } });
  if (won.winner === 'paid') expectTypeOf(won.value).toEqualTypeOf<number>();
  if (won.winner === 'late') expectTypeOf(won.value).toEqualTypeOf<null>();
  // @ts-expect-error The winner is one of the names.
  won.winner === 'early';
});

// ---- Names of other nodes -----------------------------------------------------------------------------------------

const wishes = desk.step({ next: ['nobody'] }, () => skipped());
// @ts-expect-error What a handler may wish for is a node of the graph that it stands in.
desk.build({ entry: 'wishes', nodes: { wishes, reply }, routes: {} });

const fallsBack = desk.step({ fallback: 'nobody' }, () => 1);
// @ts-expect-error A fallback is a node of the graph.
desk.build({ entry: 'fallsBack', nodes: { fallsBack, reply }, routes: {} });

const restarts = desk.ask({ title: 'x', resume: { mode: 'restart', at: 'nobody' } });
// @ts-expect-error A restart goes back to a node of the graph.
desk.build({ entry: 'restarts', nodes: { restarts, reply }, routes: {} });

const goesBack = desk.step({ restartTargets: ['reply', 'nobody'] }, () => 1);
// @ts-expect-error A handler's restart targets are nodes of the graph.
desk.build({ entry: 'goesBack', nodes: { goesBack, reply }, routes: {} });

// ---- Registered types, graphs in graphs ---------------------------------------------------------------------------

const search = defineNodeType({
  type: 'search',
  with: z.object({ limit: z.number().default(5) }),
  output: z.object({ hits: z.array(z.string()) }),
  execute: ctx => ({ hits: Array.from({ length: ctx.with.limit }, () => 'x') }),
});

// @ts-expect-error Settings have the type that the node type declares.
desk.node(search, { with: { limit: 'many' } });

// @ts-expect-error Settings have no other members.
desk.node(search, { with: { limits: 5 } });

const hits = z.object({ hits: z.array(z.string()) });
// @ts-expect-error A node type returns what its output schema says.
defineNodeType({ type: 'wrong', output: hits, execute: () => ({ hits: 5 }) });

const inner = desk.build({ entry: 'reply', nodes: { reply, triage }, routes: { triage: [{ to: 'reply' }] } });
const outer = defineGraph({
  name: 'outer',
  input: z.object({ order: z.string() }),
  state: z.object({ trail: append(z.array(z.string())), own: z.string() }),
});
outer.subgraph(inner, { share: ['trail'], input: { message: 'input.order' } });

// @ts-expect-error Only keys that both graphs have can be shared.
outer.subgraph(inner, { share: ['own'] });

// @ts-expect-error What goes in has the keys of the inner graph's input.
outer.subgraph(inner, { input: { order: 'input.order' } });

// ---- What comes out -----------------------------------------------------------------------------------------------

const whole = desk.build({
  entry: 'triage',
  nodes,
  routes: {
    triage: [
      { to: 'review', when: see => see.output.sure < 0.5 },
      { to: 'end', on: 'success' },
    ],
    review: [{ to: 'reply', on: ['approve', 'edit'] }, { to: 'reply' }],
  },
});
expectTypeOf<GraphInput<typeof whole>>().toEqualTypeOf<{ message: string; lang?: string | undefined }>();
expectTypeOf<GraphOutput<typeof whole>>().toEqualTypeOf<
  { reply: string } | { intent: 'refund' | 'faq'; sure: number }
>();
expectTypeOf<GraphState<typeof whole>['total']>().toEqualTypeOf<number>();
expectTypeOf(whole.name).toEqualTypeOf<'desk'>();

const size = desk.ask({ title: 'Which size?', options: ['s', { value: 'm' }] });
const sized = desk.build({ entry: 'size', nodes: { size }, routes: {} });
expectTypeOf<Extract<GraphOutput<typeof sized>, { action: 'approve' | 'edit' }>['values']>().toEqualTypeOf<{
  choice: 's' | 'm';
}>();

const mapped = desk.build({ entry: 'reply', nodes: { reply }, routes: {}, output: { answer: 'output.reply' } });
expectTypeOf<GraphOutput<typeof mapped>>().toEqualTypeOf<{ readonly answer: JsonValue }>();

const mixed = desk.step({ next: ['reply'] }, ctx => {
  if (ctx.node.attempt > 2) return failed('Broken', 'no luck');
  if (ctx.node.attempt > 1) return retry('1s');
  return ctx.state.total > 1 ? next('reply', { reason: 'enough' }) : { text: 'x' };
});
const ofMixed = desk.build({ entry: 'mixed', nodes: { mixed, reply }, routes: { reply: [{ to: 'mixed' }] } });
expectTypeOf<GraphOutput<typeof ofMixed>>().toEqualTypeOf<{ text: string }>();

const each = desk.map({ items: '[1]', body: reply });
const collected = desk.map({ items: '[1]', body: inner, onError: 'collect' });
const ofEach = desk.build({ entry: 'each', nodes: { each }, routes: {} });
const ofCollected = desk.build({ entry: 'collected', nodes: { collected }, routes: {} });
expectTypeOf<GraphOutput<typeof ofEach>>().toEqualTypeOf<readonly { reply: string }[]>();
expectTypeOf<GraphOutput<typeof ofCollected>>().toExtend<
  readonly ({ reply: string } | { error: { code: string } })[]
>();

// A node made in place has the same types as one made before.
const inPlace = desk.build({
  entry: 'first',
  nodes: {
    first: desk.step({ next: ['second'] }, () => next('second', { output: { n: 1 } })),
    second: desk.ask({ title: 'x', form: z.object({ ok: z.boolean() }) }),
  },
  routes: { first: [{ to: 'second', when: see => see.output.n > 0 }], second: [{ to: 'end', on: 'reject' }] },
});
expectTypeOf<GraphOutput<typeof inPlace>['action']>().toEqualTypeOf<
  'approve' | 'edit' | 'reject' | 'cancel' | 'expired'
>();

// ---- Conversations ------------------------------------------------------------------------------------------------

const talk = conversation({
  name: 'talk',
  input: z.object({ topic: z.string().default('tea') }),
  speakers: made => ({
    ada: made.step(({ input, state }) => {
      expectTypeOf(input.topic).toEqualTypeOf<string>();
      expectTypeOf(state.turns[0]!.speaker).toEqualTypeOf<string>();
      return 'Tea.';
    }),
  }),
});
expectTypeOf<GraphInput<typeof talk>>().toEqualTypeOf<{ topic?: string | undefined }>();
expectTypeOf<GraphOutput<typeof talk>['code']>().toEqualTypeOf<EndCode>();
