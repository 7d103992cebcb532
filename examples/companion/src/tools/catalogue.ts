import { z } from 'zod';
import { euros, speak } from '../speak.ts';
import { readData } from './data-file.ts';
import { defineTool } from './tool.ts';

const itemSchema = z.strictObject({
  id: z.string(),
  en: z.string(),
  zh: z.string(),
  cents: z.number(),
  words: z.array(z.string()),
});
export type Item = z.infer<typeof itemSchema>;
export const CATALOGUE = readData('catalogue', itemSchema);

/** Up to here nobody has to agree. */
export const FREE_UP_TO_CENTS = 20_000;

export const placeOrder = defineTool({
  effect: 'once',
  args: z.strictObject({ item: z.string(), quantity: z.number().int().positive(), cents: z.number() }),
  approval({ item, quantity, cents }, lang) {
    if (cents <= FREE_UP_TO_CENTS) return undefined;
    const say = speak(lang);
    const { en, zh } = CATALOGUE.find(({ id }) => id === item) ?? { en: item, zh: item };
    return {
      title: say(`Order ${quantity} × ${en} for ${euros(cents)}?`, `订 ${quantity} × ${zh}，共 ${euros(cents)}？`),
      message: say(
        `Above ${euros(FREE_UP_TO_CENTS)} these points are to be confirmed.`,
        `超过 ${euros(FREE_UP_TO_CENTS)}，请确认以下各点。`,
      ),
      gap: 'approval',
      purpose: 'places the order',
      fields: [
        {
          name: 'points',
          type: 'checkbox',
          label: say('I confirm', '我确认'),
          required: true,
          min: 3,
          options: [
            { value: 'amount', label: say(`the amount of ${euros(cents)}`, `金额 ${euros(cents)}`) },
            { value: 'quantity', label: say(`that ${quantity} are needed`, `确实需要 ${quantity} 件`) },
            { value: 'noReturn', label: say('that it cannot be returned', '不可退货') },
          ],
        },
      ],
      actions: { approve: say('Order', '下单'), reject: say('Do not order', '不下单') },
    };
  },
  perform: (order, { ledger, key }) => ({ number: ledger.add({ key, kind: 'order', detail: order }) }),
});
