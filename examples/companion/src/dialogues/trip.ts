import { z } from 'zod';
import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { euros, type Speak, speak } from '../speak.ts';
import { doneSchema } from '../tools/ledger.ts';
import { INTERESTS, PLACES, type TripOffer, tripOffersSchema, tripPlanSchema } from '../tools/trips.ts';

const offerSchema = z.object({ choice: z.enum(['simple', 'comfortable']) });

/** A form for what a trip needs, then a choice among what there is for it. */
export function trip(facts: Facts): Move {
  const say = speak(facts.lang);
  const plan = answerTo(facts, 'trip.plan', tripPlanSchema);
  if (plan === undefined) return askPlan(facts, say);
  const saved = resultOf(facts, 'save-trip', doneSchema);
  const place = placeName(plan.destination, say);
  if (saved !== undefined)
    return reply(
      say(
        `Trip ${saved.number} is planned: ${place} from ${plan.from}, ${plan.days} days.`,
        `行程 ${saved.number} 已定：${plan.from} 起去${place} ${plan.days} 天。`,
      ),
    );
  const offers = resultOf(facts, 'find-trips', tripOffersSchema);
  if (offers === undefined) return call('find-trips', { ...plan }, 'what the trip needs is known');
  const affordable = offers.filter(({ cents }) => cents <= plan.budget * 100);
  if (affordable.length === 0) {
    const least = euros(Math.min(...offers.map(({ cents }) => cents)));
    return reply(
      say(`Nothing fits ${plan.budget} €: the least is ${least}.`, `${plan.budget} € 不够：最少要 ${least}。`),
    );
  }
  const kind = answerTo(facts, 'trip.offer', offerSchema)?.choice;
  const taken = affordable.find(offer => offer.kind === kind);
  if (taken === undefined) return askOffer(affordable, place, say);
  return call('save-trip', { ...plan, kind: taken.kind, cents: taken.cents }, 'the user chose this offer');
}

/** What the message says already is proposed, not taken for granted. */
function askPlan({ message, today }: Facts, say: Speak): Move {
  const text = message.toLowerCase();
  const destination = PLACES.find(({ en, zh }) => text.includes(en.toLowerCase()) || text.includes(zh))?.id;
  const days = daysIn(text);
  const understood = {
    ...(destination === undefined ? {} : { destination }),
    ...(days === undefined ? {} : { days }),
  };
  return ask('trip.plan', 'what the trip needs is not known', {
    title: say('What kind of trip?', '什么样的旅行？'),
    gap: 'structure',
    purpose: 'finds offers for the trip',
    fields: [
      {
        name: 'destination',
        type: 'select',
        label: say('Destination', '目的地'),
        required: true,
        options: PLACES.map(({ id }) => ({ value: id, label: placeName(id, say) })),
      },
      { name: 'from', type: 'date', label: say('First day', '出发日'), required: true, min: today },
      { name: 'days', type: 'slider', label: say('Days', '天数'), required: true, min: 1, max: 14, step: 1 },
      { name: 'travellers', type: 'number', label: say('Travellers', '人数'), min: 1, max: 8, step: 1, default: 1 },
      {
        name: 'interests',
        type: 'multiselect',
        label: say('Interests', '兴趣'),
        options: INTERESTS.map(({ id, en, zh }) => ({ value: id, label: say(en, zh) })),
      },
      { name: 'budget', type: 'number', label: say('Budget', '预算'), required: true, min: 1, max: 100_000, unit: '€' },
    ],
    ...(Object.keys(understood).length === 0 ? {} : { proposal: { values: understood, reason: message } }),
  });
}

function askOffer(offers: readonly TripOffer[], place: string, say: Speak): Move {
  const name = ({ kind }: TripOffer) => (kind === 'simple' ? say('Simple', '简单') : say('Comfortable', '舒适'));
  return ask('trip.offer', 'several offers fit', {
    title: say(`Which way to ${place}?`, `怎么去${place}？`),
    gap: 'preference',
    purpose: 'the trip is saved as chosen',
    displays: [
      {
        type: 'table',
        columns: [
          { key: 'kind', label: say('Offer', '方案') },
          { key: 'cost', label: say('For all', '总价'), align: 'right' },
        ],
        rows: offers.map(offer => ({ kind: name(offer), cost: euros(offer.cents) })),
      },
    ],
    options: offers.map(offer => ({ value: offer.kind, label: name(offer), description: euros(offer.cents) })),
  });
}

const ENGLISH_NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const CHINESE_NUMBERS = '一二三四五六七';

/** Rules: `five days`, `3 days`, `a week`, `五天`, `一周`. */
function daysIn(text: string): number | undefined {
  if (/\ba week\b|一周|一个星期/.test(text)) return 7;
  const [, number] = /(\d{1,2}|[a-z]+|[一二三四五六七两])\s*(?:days?\b|天)/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const days = /\d/.test(number)
    ? Number(number)
    : Math.max(ENGLISH_NUMBERS.indexOf(number), CHINESE_NUMBERS.indexOf(number.replace('两', '二'))) + 1;
  return days >= 1 && days <= 14 ? days : undefined;
}

function placeName(id: string, say: Speak): string {
  const place = PLACES.find(each => each.id === id);
  return place === undefined ? id : say(place.en, place.zh);
}
