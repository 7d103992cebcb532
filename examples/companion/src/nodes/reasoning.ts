import { companion } from '../companion-builder.ts';
import { toolResultSchema } from '../facts.ts';
import { type Move, moveSchema } from '../move.ts';
import { reason } from '../reason.ts';
import { understoodSchema } from './intent.ts';
import { memorySchema } from './memory.ts';

/** Decides on the next move. A reply is said; what stands beside a question is part of the question, and no message. */
export const reasoningNode = companion.step({ output: moveSchema }, ctx => {
  const facts = {
    ...memorySchema.parse(ctx.nodes.memory?.output),
    message: ctx.input.message,
    lang: ctx.state.lang ?? 'en',
    mood: ctx.state.mood ?? 'neutral',
    today: new Date(ctx.now()).toISOString().slice(0, 10),
    // After a tool its result is what this node gets; after memory it is not.
    result: toolResultSchema.safeParse(ctx.given).data,
  };
  const move = reason(facts, understoodSchema.parse(ctx.nodes.intent?.output));
  ctx.decide('move', {
    chosen: move.move,
    options: ['ask', 'call', 'reply'],
    decidedBy: `rule:${ctx.state.intent}`,
    reason: reasonFor(move),
  });
  if (move.move === 'reply') ctx.session?.say(move.text);
  return move;
});

function reasonFor(move: Move): string {
  switch (move.move) {
    case 'ask':
      return `${move.gap}: ${move.because}`;
    case 'call':
      return `${move.tool}: ${move.because}`;
    case 'reply':
      return 'nothing is lacking';
  }
}
