import type { Facts } from '../facts.ts';
import { ask, type Move, reply } from '../move.ts';
import { speak } from '../speak.ts';
import { INTENT_GAP, type Understood } from '../understand-intent.ts';
import type { Intent } from '../utterance.ts';

const NAMES: Readonly<Record<Exclude<Intent, 'unknown'>, readonly [string, string]>> = {
  music: ['recommend music', '推荐音乐'],
  tab: ['close a tab', '关标签页'],
  note: ['note points', '记要点'],
  recall: ['say points again', '重复要点'],
  trip: ['plan a trip', '计划旅行'],
  order: ['order something', '订购物品'],
  backup: ['configure the backup', '设置备份'],
  expenses: ['filter expenses', '筛选支出'],
  payment: ['pay a bill', '付账单'],
};

/** Not sure what is meant: that too is a gap, and the answer is what the next pass takes for the intent. */
export function unclear({ lang, known }: Facts, { intent, confidence }: Understood): Move {
  const say = speak(lang);
  if (INTENT_GAP in known) return reply(say('Then I cannot help with that.', '那我帮不上忙。'));
  return ask(INTENT_GAP, 'what is wanted is not clear', {
    title: say('What can I do for you?', '我能为你做什么？'),
    gap: 'structure',
    purpose: 'tells what the message is about',
    options: [
      ...Object.entries(NAMES).map(([value, names]) => ({ value, label: say(...names) })),
      { value: 'unknown', label: say('none of these', '都不是') },
    ],
    ...(intent === 'unknown' ? {} : { proposal: { values: { choice: intent }, confidence } }),
  });
}
