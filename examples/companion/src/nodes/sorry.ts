import { companion } from '../companion-builder.ts';
import { reply } from '../move.ts';
import { speak } from '../speak.ts';

/** A tool failed: the user is told why. */
export const sorryNode = companion.step(ctx => {
  const why = ctx.error?.message ?? '';
  const move = reply(speak(ctx.state.lang ?? 'en')(`That did not work: ${why}`, `没有成功：${why}`));
  ctx.session?.say(move.text);
  return move;
});
