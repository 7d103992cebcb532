import { type IntentClassifier, languageOf } from '@signalbox/example-shared';
import { type AskRequest, defineGraph } from 'signalbox';
import { z } from 'zod';
import { type Facts, type ToolResult, toolResultSchema } from './facts.ts';
import { knownAnswers, remarksIn } from './known-answers.ts';
import { type Ask, type Call, type Move, moveSchema, reply } from './move.ts';
import { pointsOf } from './points.ts';
import { type Emotion, MOODS } from './read-emotion.ts';
import { reason } from './reason.ts';
import { speak } from './speak.ts';
import type { Ledger } from './tools/ledger.ts';
import { TOOLBOX } from './tools/toolbox.ts';
import { understandIntent } from './understand-intent.ts';
import { INTENTS, type Intent } from './utterance.ts';

/** What the nodes work with. */
export interface CompanionServices {
  readonly classifier: Pick<IntentClassifier<Intent>, 'classify'>;
  readonly emotionOf: (text: string) => Emotion;
  readonly ledger: Ledger;
}

const guessSchema = z.object({ intent: z.enum(INTENTS), confidence: z.number() });
const understoodSchema = guessSchema.extend({ alternatives: z.array(guessSchema), decidedBy: z.string() });
const memorySchema = z.object({ known: z.record(z.string(), z.json()), points: z.array(z.string()) });

/** Messages looked at for what was said before. */
const MOST_MESSAGES = 50;

/**
 * intent → emotion → memory → reasoning → (tools | request | end).
 *  1. What lacks is asked for by `request`, and its answer begins a new pass (`restart`): intent, emotion and memory see it.
 *  2. What a tool does may need somebody's agreement; `tools` asks for it and goes on where it asked (`continue`), with the very
 *     arguments that were agreed to.
 */
export function createCompanion({ classifier, emotionOf, ledger }: CompanionServices) {
  const companion = defineGraph({
    name: 'companion',
    input: z.object({ message: z.string().min(1).max(2000) }),
    state: z.object({
      lang: z.enum(['en', 'zh']).optional(),
      intent: z.enum(INTENTS).optional(),
      mood: z.enum(MOODS).optional(),
    }),
  });

  const intent = companion.step({ output: understoodSchema }, ctx => {
    const { message } = ctx.input;
    const understood = understandIntent(classifier, message, knownAnswers(ctx.answers));
    const { intent: chosen, confidence, decidedBy } = understood;
    ctx.decide('intent', { chosen, options: [...INTENTS], confidence, decidedBy });
    ctx.update({ intent: chosen, lang: languageOf(message) });
    return { ...understood, alternatives: [...understood.alternatives] };
  });

  const emotion = companion.step(ctx => {
    const { mood, words } = emotionOf([ctx.input.message, ...remarksIn(ctx.answers)].join('\n'));
    ctx.decide('mood', { chosen: mood, options: [...MOODS], decidedBy: 'rule:lexicon', reason: words.join(', ') });
    ctx.update({ mood });
    return { mood };
  });

  const memory = companion.step({ output: memorySchema }, async ctx => {
    const { message } = ctx.input;
    const messages = (await ctx.session?.messages({ limit: MOST_MESSAGES })) ?? [];
    const said = messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []));
    const before = said.slice(0, Math.max(0, said.lastIndexOf(message)));
    ctx.session?.update({ topic: ctx.state.intent, mood: ctx.state.mood });
    return { known: knownAnswers(ctx.answers) as z.infer<typeof memorySchema>['known'], points: pointsOf(before) };
  });

  const reasoning = companion.step({ output: moveSchema }, ctx => {
    const { known, points } = memorySchema.parse(ctx.nodes.memory?.output);
    const facts: Facts = {
      message: ctx.input.message,
      lang: ctx.state.lang ?? 'en',
      mood: ctx.state.mood ?? 'neutral',
      today: new Date(ctx.now()).toISOString().slice(0, 10),
      known,
      points,
      result: toolResultSchema.safeParse(ctx.given).data,
    };
    const move = reason(facts, understoodSchema.parse(ctx.nodes.intent?.output));
    ctx.decide('move', {
      chosen: move.move,
      options: ['ask', 'call', 'reply'],
      decidedBy: `rule:${ctx.state.intent}`,
      reason: move.move === 'reply' ? 'nothing is lacking' : `${subjectOf(move)}: ${move.because}`,
    });
    if (move.move === 'reply') ctx.session?.say(move.text);
    return move;
  });

  const tools = companion.step({ output: toolResultSchema, timeout: '1m' }, async (ctx): Promise<ToolResult> => {
    const { tool, args } = ctx.given as Call;
    const { effect, approval, perform } = TOOLBOX[tool];
    const question = approval(args, ctx.state.lang ?? 'en');
    if (question !== undefined) {
      const approved = { ...question, subject: { tool, args }, context: { lang: ctx.state.lang ?? 'en' } };
      const { action } = await ctx.ask('approve', approved);
      if (action !== 'approve') return { tool, status: action === 'expired' ? 'expired' : 'rejected' };
    }
    const output = await ctx.run(
      tool,
      ({ idempotencyKey }) => perform(args, { ledger, key: idempotencyKey }),
      effect === 'once' ? { once: true, onDoubt: 'retry', args } : { args },
    );
    return { tool, status: 'done', output: z.json().parse(output) };
  });

  const request = companion.step({ restartTargets: ['intent'] }, async ctx => {
    const { gap, request: lacking } = ctx.given as Ask;
    const lang = ctx.state.lang ?? 'en';
    await ctx.ask(gap, {
      ...(lacking as unknown as AskRequest),
      context: { lang },
      resume: { mode: 'restart', at: 'intent' },
    });
    // An answer never comes back to here; only a refusal to answer does.
    return said(speak(lang)('All right, let us leave it.', '好的，那就算了。'), ctx.session);
  });

  const sorry = companion.step(ctx => {
    const why = ctx.error?.message ?? '';
    return said(speak(ctx.state.lang ?? 'en')(`That did not work: ${why}`, `没有成功：${why}`), ctx.session);
  });

  return companion.build({
    entry: 'intent',
    nodes: { intent, emotion, memory, reasoning, tools, request, sorry },
    routes: {
      intent: [{ to: 'emotion' }],
      emotion: [{ to: 'memory' }],
      memory: [{ to: 'reasoning' }],
      reasoning: [
        { to: 'tools', when: "output.move == 'call'", because: 'something is to be looked up or done' },
        { to: 'request', when: "output.move == 'ask'", because: 'something is lacking' },
        { to: 'end', because: 'the reply is ready' },
      ],
      tools: [
        { to: 'reasoning', because: 'the result is to be judged' },
        { to: 'sorry', on: 'failed', because: 'the tool failed' },
      ],
      request: [{ to: 'end', because: 'the question was not answered' }],
    },
  });
}

export type CompanionGraph = ReturnType<typeof createCompanion>;

function subjectOf(move: Exclude<Move, { move: 'reply' }>): string {
  return move.move === 'ask' ? move.gap : move.tool;
}

function said(text: string, session: { say(text: string): void } | undefined): Move {
  session?.say(text);
  return reply(text);
}
