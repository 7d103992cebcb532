import { z } from 'zod';
import { readData } from './data-file.ts';
import { defineTool } from './tool.ts';

export const CATEGORIES = [
  { id: 'rent', en: 'Rent', zh: '房租', words: /\brent\b|房租/i },
  { id: 'food', en: 'Food', zh: '餐饮', words: /\bfood\b|\beat|吃饭|餐饮/i },
  { id: 'travel', en: 'Travel', zh: '旅行', words: /\btravel|旅行/i },
  { id: 'books', en: 'Books', zh: '书', words: /\bbooks?\b|买书/i },
] as const;

const expenseSchema = z.strictObject({ date: z.string(), category: z.string(), cents: z.number(), text: z.string() });
export const expensesSchema = z.array(expenseSchema);

/** Amounts in euros, both ends included. */
export const filterSchema = z.strictObject({
  categories: z.array(z.string()).optional(),
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  least: z.number().optional(),
  most: z.number().optional(),
  order: z.enum(['date', 'amount']).default('date'),
});
export type ExpenseFilter = z.infer<typeof filterSchema>;

const EXPENSES = readData('expenses', expenseSchema);

export const filterExpenses = defineTool({
  effect: 'read',
  args: filterSchema,
  perform: ({ categories = [], from, to, least, most, order }) =>
    EXPENSES.filter(
      ({ category, date, cents }) =>
        (categories.length === 0 || categories.includes(category)) &&
        (from === undefined || date >= from) &&
        (to === undefined || date <= to) &&
        (least === undefined || cents >= least * 100) &&
        (most === undefined || cents <= most * 100),
    ).sort((a, b) => (order === 'amount' ? b.cents - a.cents : a.date.localeCompare(b.date))),
});
