import { z } from 'zod';
import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { euros, type Speak, speak } from '../speak.ts';
import { CATEGORIES, type ExpenseFilter, expensesSchema, filterSchema } from '../tools/expenses.ts';

const widerSchema = z.object({ choice: z.enum(['amounts', 'dates', 'stop']) });
const MOST_SHOWN = 5;

/** Filters data: a form of conditions, and where nothing meets them a second question about which to drop. */
export function expenses(facts: Facts): Move {
  const say = speak(facts.lang);
  const given = answerTo(facts, 'expenses.filter', filterSchema);
  if (given === undefined) return askFilter(facts, say);
  const wider = answerTo(facts, 'expenses.wider', widerSchema)?.choice;
  const filter = widened(given, wider);
  const found = resultOf(facts, 'filter-expenses', expensesSchema);
  if (found === undefined) return call('filter-expenses', { ...filter }, 'the conditions are known');
  if (found.length > 0) {
    const sum = found.reduce((total, { cents }) => total + cents, 0);
    const lines = found.slice(0, MOST_SHOWN).map(({ date, text, cents }) => `${date} ${text} ${euros(cents)}`);
    const more = found.length > MOST_SHOWN ? ', …' : '';
    return reply(
      say(
        `${found.length} found, ${euros(sum)} in all: ${lines.join(', ')}${more}`,
        `找到 ${found.length} 笔，共 ${euros(sum)}：${lines.join('，')}${more}`,
      ),
    );
  }
  if (wider === undefined) return askWider(say);
  return reply(say('Nothing is recorded for these conditions.', '没有符合条件的记录。'));
}

function widened(filter: ExpenseFilter, wider: 'amounts' | 'dates' | 'stop' | undefined): ExpenseFilter {
  const { least, most, from, to, ...rest } = filter;
  const amounts = { ...(least === undefined ? {} : { least }), ...(most === undefined ? {} : { most }) };
  const dates = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return { ...rest, ...(wider === 'amounts' ? {} : amounts), ...(wider === 'dates' ? {} : dates) };
}

function askFilter({ message }: Facts, say: Speak): Move {
  const named = CATEGORIES.filter(({ words }) => words.test(message)).map(({ id }) => id);
  return ask('expenses.filter', 'the conditions are not known', {
    title: say('Which expenses?', '哪些支出？'),
    gap: 'constraint',
    purpose: 'filters the expenses',
    fields: [
      {
        name: 'categories',
        type: 'multiselect',
        label: say('Categories', '类别'),
        options: CATEGORIES.map(({ id, en, zh }) => ({ value: id, label: say(en, zh) })),
      },
      { name: 'from', type: 'date', label: say('From', '从') },
      { name: 'to', type: 'date', label: say('To', '到') },
      { name: 'least', type: 'number', label: say('At least', '至少'), min: 0, unit: '€' },
      { name: 'most', type: 'number', label: say('At most', '至多'), min: 0, unit: '€' },
      {
        name: 'order',
        type: 'radio',
        label: say('Order', '排序'),
        default: 'date',
        options: [
          { value: 'date', label: say('by date', '按日期') },
          { value: 'amount', label: say('by amount', '按金额') },
        ],
      },
    ],
    rules: [
      {
        when: 'has(values.from) && has(values.to)',
        assert: 'values.to >= values.from',
        message: say('must not be before From', '不能早于“从”'),
        fields: ['to'],
      },
      {
        when: 'has(values.least) && has(values.most)',
        assert: 'values.most >= values.least',
        message: say('must not be below At least', '不能低于“至少”'),
        fields: ['most'],
      },
    ],
    ...(named.length === 0 ? {} : { proposal: { values: { categories: named }, reason: message } }),
  });
}

function askWider(say: Speak): Move {
  return ask('expenses.wider', 'nothing meets the conditions', {
    title: say('Nothing found. What may I drop?', '没有找到。可以放宽什么？'),
    gap: 'constraint',
    purpose: 'filters the expenses again',
    options: [
      { value: 'amounts', label: say('the amounts', '金额') },
      { value: 'dates', label: say('the dates', '日期') },
      { value: 'stop', label: say('nothing', '都不放宽') },
    ],
  });
}
