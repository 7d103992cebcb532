import { z } from 'zod';
import { companion } from '../companion-builder.ts';
import { knownAnswers } from '../known-answers.ts';
import { pointsOf } from '../points.ts';

export const memorySchema = z.object({ known: z.record(z.string(), z.json()), points: z.array(z.string()) });

/** Messages looked at for what was said before. */
const MOST_MESSAGES = 50;

/** What is known: established answers, and what the user said before this message. */
export const memoryNode = companion.step({ output: memorySchema }, async ctx => {
  const messages = (await ctx.session?.messages({ limit: MOST_MESSAGES })) ?? [];
  const said = messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []));
  const before = said.slice(0, Math.max(0, said.lastIndexOf(ctx.input.message)));
  ctx.session?.update({ topic: ctx.state.intent, mood: ctx.state.mood });
  return { known: knownAnswers(ctx.answers), points: pointsOf(before) };
});
