import type { Facts } from '../facts.ts';
import { type Move, reply } from '../move.ts';
import { pointsOf } from '../points.ts';
import { speak } from '../speak.ts';

/** The points stand in the session as the user wrote them; nothing is copied. */
export function note({ message, points, lang }: Facts): Move {
  const say = speak(lang);
  const said = pointsOf([message]).length;
  if (said > 0) return reply(say(`Noted: ${said} point${said === 1 ? '' : 's'}.`, `记下了：${said} 点。`));
  return reply(
    points.length > 0
      ? say(`Noted, after ${points.length} points so far.`, `记下了，前面已有 ${points.length} 点。`)
      : say('Go ahead.', '请说。'),
  );
}
