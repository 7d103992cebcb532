import { z } from 'zod';
import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { euros, type Speak, speak } from '../speak.ts';
import { type Bill, billsSchema, paidSchema } from '../tools/bills.ts';

const billSchema = z.object({ choice: z.string() });

/** Finds out which bill; that nothing is paid without a confirmation is the tool's own rule. */
export function payment(facts: Facts): Move {
  const say = speak(facts.lang);
  const paid = resultOf(facts, 'pay-bill', paidSchema);
  if (paid !== undefined)
    return reply(
      say(
        `Payment ${paid.number}: ${euros(paid.cents)} to ${paid.payee}.`,
        `付款 ${paid.number}：已向 ${paid.payee} 支付 ${euros(paid.cents)}。`,
      ),
    );
  if (facts.result?.tool === 'pay-bill')
    return reply(
      facts.result.status === 'expired'
        ? say('Nobody confirmed it in time; nothing was paid.', '没有及时确认，未付款。')
        : say('Nothing was paid.', '没有付款。'),
    );
  const open = resultOf(facts, 'list-bills', billsSchema);
  if (open === undefined) return call('list-bills', {}, 'which bills are open is not known');
  const bill = billMeant(facts, open);
  if (bill === undefined && open.length === 0) return reply(say('No bill is open.', '没有待付账单。'));
  if (bill === undefined) return askBill(open, say);
  const { id, payee, iban, cents } = bill;
  return call('pay-bill', { bill: id, payee, iban, cents }, 'which bill is known');
}

function billMeant(facts: Facts, open: readonly Bill[]): Bill | undefined {
  const answered = answerTo(facts, 'payment.bill', billSchema)?.choice;
  if (answered !== undefined) return open.find(({ id }) => id === answered);
  const text = facts.message.toLowerCase();
  const [first, second] = open.filter(({ words }) => words.some(word => text.includes(word)));
  return second === undefined ? first : undefined;
}

function askBill(open: readonly Bill[], say: Speak): Move {
  return ask('payment.bill', 'which bill is not known', {
    title: say('Which bill?', '哪张账单？'),
    gap: 'parameter',
    purpose: 'pays this bill',
    options: open.map(({ id, en, zh, cents, due }) => ({
      value: id,
      label: say(en, zh),
      description: say(`${euros(cents)}, due ${due}`, `${euros(cents)}，${due} 到期`),
    })),
  });
}
