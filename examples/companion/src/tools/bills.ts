import { permanent } from 'signalbox';
import { z } from 'zod';
import { euros, speak } from '../speak.ts';
import { readData } from './data-file.ts';
import type { Ledger } from './ledger.ts';
import { defineTool, noArgs, ToolError } from './tool.ts';

const billSchema = z.strictObject({
  id: z.string(),
  en: z.string(),
  zh: z.string(),
  payee: z.string(),
  iban: z.string(),
  cents: z.number(),
  due: z.string(),
  words: z.array(z.string()),
});
export type Bill = z.infer<typeof billSchema>;
export const billsSchema = z.array(billSchema);

const order = z.strictObject({ bill: z.string(), payee: z.string(), iban: z.string(), cents: z.number() });
export const paidSchema = z.object({ number: z.number(), payee: z.string(), cents: z.number() });

const BILLS = readData('bills', billSchema);

function paidBills(ledger: Ledger): ReadonlySet<string> {
  return new Set(ledger.list('payment').map(detail => order.parse(detail).bill));
}

export const listBills = defineTool({
  effect: 'read',
  args: noArgs,
  perform: (_, { ledger }) => {
    const paid = paidBills(ledger);
    return BILLS.filter(({ id }) => !paid.has(id));
  },
});

export const payBill = defineTool({
  effect: 'once',
  args: order,
  approval({ payee, iban, cents }, lang) {
    const say = speak(lang);
    return {
      kind: 'confirmation',
      title: say(`Pay ${euros(cents)} to ${payee}?`, `向 ${payee} 支付 ${euros(cents)}？`),
      purpose: 'pays exactly this',
      displays: [
        {
          type: 'table',
          columns: [
            { key: 'name', label: '' },
            { key: 'value', label: say('Payment', '付款') },
          ],
          rows: [
            { name: say('To', '收款人'), value: payee },
            { name: 'IBAN', value: iban },
            { name: say('Amount', '金额'), value: euros(cents) },
          ],
        },
      ],
      actions: { approve: say('Pay', '付款'), reject: say('Do not pay', '不付') },
      deadline: { after: '10m', onExpire: 'route' },
    };
  },
  perform(payment, { ledger, key }) {
    const { bill, payee, cents } = payment;
    const isPaid = paidBills(ledger).has(bill) && !ledger.has(key);
    if (isPaid) throw permanent(new ToolError('AlreadyPaid', `The bill "${bill}" was paid meanwhile.`));
    return { number: ledger.add({ key, kind: 'payment', detail: payment }), payee, cents };
  },
});
