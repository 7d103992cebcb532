import type { Facts } from '../facts.ts';
import { type Move, reply } from '../move.ts';
import { pointAskedFor } from '../points.ts';
import { speak } from '../speak.ts';

const ENGLISH = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const CHINESE = '一二三四五六七八九十';

/** Answered from the messages of the session, or not at all. */
export function recall({ message, points, lang }: Facts): Move {
  const say = speak(lang);
  if (points.length === 0) return reply(say('You have made no points so far.', '你还没有说过要点。'));
  const wanted = pointAskedFor(message);
  if (wanted === 'all') return reply(points.map((point, index) => `${index + 1}. ${point}`).join(' '));
  const number = wanted === 'last' ? points.length : wanted;
  const point = points[number - 1];
  if (point === undefined)
    return reply(
      say(
        `You made ${points.length} points, and no number ${number}.`,
        `你说了 ${points.length} 点，没有第 ${number} 点。`,
      ),
    );
  return reply(
    say(
      `Your ${ENGLISH[number - 1] ?? `${number}th`} point: “${point}”.`,
      `你的第${CHINESE[number - 1] ?? number}点：“${point}”。`,
    ),
  );
}
