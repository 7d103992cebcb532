import type { AskRequest } from 'signalbox';
import { companion } from '../companion-builder.ts';
import { type Ask, reply } from '../move.ts';
import { speak } from '../speak.ts';

/** Asks for what is lacking. The answer begins a new pass and never comes back to here; only a refusal to answer does. */
export const requestNode = companion.step({ restartTargets: ['intent'] }, async ctx => {
  const { gap, request } = ctx.given as Ask;
  const lang = ctx.state.lang ?? 'en';
  await ctx.ask(gap, {
    ...(request as unknown as AskRequest),
    context: { lang },
    resume: { mode: 'restart', at: 'intent' },
  });
  const move = reply(speak(lang)('All right, let us leave it.', '好的，那就算了。'));
  ctx.session?.say(move.text);
  return move;
});
