import { z } from 'zod';
import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { type Speak, speak } from '../speak.ts';
import { GENRES, OCCASIONS, type Occasion, tracksSchema } from '../tools/music-library.ts';

const tasteSchema = z.object({ genre: z.enum(GENRES), hours: z.number(), remarks: z.string().optional() });
const occasionSchema = z.object({ choice: z.enum(OCCASIONS) });

/** Rules: words that say what the music is for. */
const OCCASION_WORDS: Readonly<Record<Occasion, RegExp>> = {
  focus: /\b(?:work|study|stud(?:y|ies|ying)|concentrat\w*|focus)\b|工作|学习|专心/i,
  relax: /\b(?:relax|calm|quiet|evening|sleep|rainy)\b|安静|放松|睡|下雨/i,
  move: /\b(?:run|running|sport|drive|cooking|walk)\b|跑步|运动|开车|散步/i,
};

/** Recommends nothing by guess: the taste of the user is asked for once and remembered, what it is for once in a session. */
export function music(facts: Facts): Move {
  const say = speak(facts.lang);
  const taste = answerTo(facts, 'music.taste', tasteSchema);
  if (taste === undefined) return askTaste(facts, say);
  const occasion = occasionOf(facts);
  if (occasion === undefined) return askOccasion(say);
  const tracks = resultOf(facts, 'find-music', tracksSchema);
  if (tracks === undefined)
    return call(
      'find-music',
      { genre: taste.genre, occasion, hours: taste.hours },
      'genre, hours and occasion are known',
    );
  const list = tracks.map(({ title, by, minutes }) => `“${title}” (${by}, ${minutes} min)`);
  return reply(
    say(
      `${genreName(taste.genre, say)} for ${occasionName(occasion, say)}: ${list.join('; ')}.`,
      `${genreName(taste.genre, say)}，${occasionName(occasion, say)}：${list.join('；')}。`,
    ),
  );
}

/** From the answer, else from the message, else from the mood. */
function occasionOf(facts: Facts): Occasion | undefined {
  const answered = answerTo(facts, 'music.occasion', occasionSchema);
  if (answered !== undefined) return answered.choice;
  const told = OCCASIONS.find(occasion => OCCASION_WORDS[occasion].test(facts.message));
  if (told !== undefined) return told;
  return facts.mood === 'low' || facts.mood === 'tense' ? 'relax' : undefined;
}

function askTaste({ message }: Facts, say: Speak): Move {
  const named = GENRES.find(genre => GENRE_WORDS[genre].test(message));
  return ask('music.taste', 'the taste of the user is not known', {
    title: say('What music do you like?', '你喜欢什么音乐？'),
    message: say('I would rather ask than guess.', '与其猜，不如问你。'),
    gap: 'preference',
    purpose: 'recommends music',
    fields: [
      {
        name: 'genre',
        type: 'select',
        label: say('Genre', '类型'),
        required: true,
        options: GENRES.map(genre => ({ value: genre, label: genreName(genre, say) })),
      },
      {
        name: 'hours',
        type: 'slider',
        label: say('Hours of music a week', '每周听音乐的小时数'),
        required: true,
        min: 0,
        max: 40,
        step: 1,
        unit: say('h', '小时'),
      },
      { name: 'remarks', type: 'text', label: say('Remarks', '备注'), max: 300 },
    ],
    ...(named === undefined ? {} : { proposal: { values: { genre: named }, confidence: 0.8, reason: message } }),
    remember: { key: 'music.taste', scope: 'user', ttl: '90d' },
  });
}

function askOccasion(say: Speak): Move {
  return ask('music.occasion', 'what the music is for is not known', {
    title: say('What is it for?', '什么时候听？'),
    gap: 'constraint',
    purpose: 'recommends music',
    options: OCCASIONS.map(occasion => ({ value: occasion, label: occasionName(occasion, say) })),
    remember: { key: 'music.occasion', scope: 'session' },
  });
}

type Genre = (typeof GENRES)[number];

const GENRE_WORDS: Readonly<Record<Genre, RegExp>> = {
  jazz: /\bjazz\b|爵士/i,
  classical: /\bclassical\b|古典/i,
  electronic: /\b(?:electronic|techno)\b|电子/i,
  folk: /\bfolk\b|民谣/i,
  rock: /\brock\b|摇滚/i,
};

function genreName(genre: Genre, say: Speak): string {
  const names: Record<Genre, [string, string]> = {
    jazz: ['Jazz', '爵士'],
    classical: ['Classical', '古典'],
    electronic: ['Electronic', '电子'],
    folk: ['Folk', '民谣'],
    rock: ['Rock', '摇滚'],
  };
  return say(...names[genre]);
}

function occasionName(occasion: Occasion, say: Speak): string {
  const names: Record<Occasion, [string, string]> = {
    focus: ['concentrating', '专心工作'],
    relax: ['relaxing', '放松'],
    move: ['moving', '运动'],
  };
  return say(...names[occasion]);
}
