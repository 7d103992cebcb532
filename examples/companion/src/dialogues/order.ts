import { z } from 'zod';
import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { euros, type Speak, speak } from '../speak.ts';
import { CATALOGUE, type Item } from '../tools/catalogue.ts';
import { doneSchema } from '../tools/ledger.ts';

const itemSchema = z.object({ item: z.string(), quantity: z.number() });
type Wanted = z.infer<typeof itemSchema>;

/** What is ordered is in the message or asked for. Who must agree to it is not decided here, but where the tool is called. */
export function order(facts: Facts): Move {
  const say = speak(facts.lang);
  if (facts.result?.tool === 'place-order' && facts.result.status !== 'done')
    return reply(say('Nothing was ordered.', '没有下单。'));
  const wanted = answerTo(facts, 'order.item', itemSchema) ?? wantedIn(facts.message);
  const item = CATALOGUE.find(({ id }) => id === wanted.item);
  if (item === undefined || wanted.quantity === undefined) return askItem(wanted, facts.message, say);
  const cents = item.cents * wanted.quantity;
  const placed = resultOf(facts, 'place-order', doneSchema);
  if (placed === undefined)
    return call('place-order', { item: item.id, quantity: wanted.quantity, cents }, 'item and quantity are known');
  return reply(
    say(
      `Order ${placed.number}: ${wanted.quantity} × ${item.en}, ${euros(cents)}.`,
      `订单 ${placed.number}：${item.zh} × ${wanted.quantity}，${euros(cents)}。`,
    ),
  );
}

/** Rules: the one item that is named, and the one number, in digits or as a word. */
function wantedIn(message: string): Partial<Wanted> {
  const text = message.toLowerCase();
  const [item, other] = CATALOGUE.filter(({ words }) => words.some(word => text.includes(word)));
  if (item === undefined || other !== undefined) return {};
  const quantity = quantityIn(text, item);
  return { item: item.id, ...(quantity === undefined ? {} : { quantity }) };
}

const ENGLISH_NUMBERS = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const CHINESE_NUMBERS = '一二三四五六七八九十';

function quantityIn(text: string, { words }: Item): number | undefined {
  const digits = text.match(/\d+/g) ?? [];
  if (digits.length > 0) return digits.length === 1 ? Number(digits[0]) : undefined;
  const english = ENGLISH_NUMBERS.findIndex(word => new RegExp(`\\b${word}\\b`).test(text));
  if (english >= 0) return english + 2;
  if (new RegExp(`\\b(?:an?|another|one)\\s+(?:[a-z]+\\s+)?(?:${words.join('|')})`).test(text)) return 1;
  const counted = /([一二两三四五六七八九十])[本支盏把台副个箱]/.exec(text)?.[1];
  return counted === undefined ? undefined : CHINESE_NUMBERS.indexOf(counted.replace('两', '二')) + 1;
}

function askItem(wanted: Partial<Wanted>, message: string, say: Speak): Move {
  const label = (item: Item) => say(item.en, item.zh);
  return ask('order.item', 'item or quantity is not known', {
    title: say('What shall I order?', '订什么？'),
    gap: 'parameter',
    purpose: 'places the order',
    fields: [
      {
        name: 'item',
        type: 'select',
        label: say('Item', '物品'),
        required: true,
        options: CATALOGUE.map(item => ({ value: item.id, label: label(item), description: euros(item.cents) })),
      },
      { name: 'quantity', type: 'number', label: say('Quantity', '数量'), required: true, min: 1, max: 500, step: 1 },
    ],
    ...(Object.keys(wanted).length === 0 ? {} : { proposal: { values: wanted, reason: message } }),
  });
}
