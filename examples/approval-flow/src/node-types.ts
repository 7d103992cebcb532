import { defineNodeType, failed, type NodeType } from 'signalbox';
import { z } from 'zod';
import type { Ledger } from './ledger.ts';
import type { Suppliers } from './suppliers.ts';

/** What the nodes work with. */
export interface Services {
  readonly ledger: Ledger;
  readonly suppliers: Suppliers;
}

const payment = z.object({ supplier: z.string(), amount: z.number(), currency: z.string(), memo: z.string() });
const order = z.object({ supplier: z.string(), item: z.string(), payment: z.string(), lang: z.enum(['en', 'zh']) });
const entry = payment.extend({ id: z.string(), amount: z.string() });

/** The code behind `approval-flow.yaml`. */
export function createNodeTypes({ ledger, suppliers }: Services): NodeType[] {
  return [
    defineNodeType({
      type: 'book-payment',
      output: entry,
      // The intent is durable before anything is booked. After a crash in between the ledger is asked again with the same
      // key, and gives the entry that it may have already.
      execute: async ctx => {
        const { amount, ...wanted } = payment.parse(ctx.given);
        const booked = await ctx.run(
          'book',
          ({ idempotencyKey: key }) => ledger.book({ key, kind: 'payment', ...wanted, amount: amount.toFixed(2) }),
          { once: true, onDoubt: 'retry', args: ctx.given },
        );
        return entry.parse(booked);
      },
    }),
    defineNodeType({
      type: 'reverse-payment',
      // What undoes something is done again as a whole after a crash: the key keeps the reversal one.
      execute: async ctx => {
        const { id, ...paid } = entry.parse(ctx.nodes.pay?.output);
        await ctx.run('reverse', ({ idempotencyKey: key }) =>
          ledger.book({ key, kind: 'reversal', ...paid, memo: `reverses ${id}` }),
        );
      },
    }),
    defineNodeType({
      type: 'place-order',
      output: z.object({ text: z.string(), payment: z.string() }),
      execute: ctx => {
        const { supplier, item, payment: paid, lang } = order.parse(ctx.given);
        if (suppliers[supplier]?.takesOrders !== true)
          return failed('NotOrdered', lang === 'zh' ? `${supplier} 不接受订单。` : `${supplier} takes no orders.`);
        return {
          text: lang === 'zh' ? `已付款并订购：${item}` : `Paid and ordered: ${item}`,
          payment: paid,
        };
      },
    }),
  ];
}
