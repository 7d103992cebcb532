import { backup } from './dialogues/backup.ts';
import type { Dialogue } from './dialogues/dialogue.ts';
import { expenses } from './dialogues/expenses.ts';
import { music } from './dialogues/music.ts';
import { note } from './dialogues/note.ts';
import { order } from './dialogues/order.ts';
import { payment } from './dialogues/payment.ts';
import { recall } from './dialogues/recall.ts';
import { tab } from './dialogues/tab.ts';
import { trip } from './dialogues/trip.ts';
import { unclear } from './dialogues/unclear.ts';
import type { Facts } from './facts.ts';
import type { Move } from './move.ts';
import { speak } from './speak.ts';
import { SURE, type Understood } from './understand-intent.ts';
import type { Intent } from './utterance.ts';

const DIALOGUES: Readonly<Record<Exclude<Intent, 'unknown'>, Dialogue>> = {
  music,
  tab,
  note,
  recall,
  trip,
  order,
  backup,
  expenses,
  payment,
};

/** Rules stand here where a language model could: the same facts go in, the same kinds of move come out. */
export function reason(facts: Facts, understood: Understood): Move {
  const { intent, confidence } = understood;
  if (intent === 'unknown' || confidence < SURE) return unclear(facts, understood);
  const move = DIALOGUES[intent](facts);
  return move.move === 'reply' ? { ...move, text: `${sympathy(facts)}${move.text}` } : move;
}

function sympathy({ mood, lang }: Facts): string {
  const say = speak(lang);
  if (mood === 'low') return say('That sounds like a hard day. ', '听起来今天不容易。');
  return mood === 'tense' ? say('One thing at a time. ', '一件一件来。') : '';
}
