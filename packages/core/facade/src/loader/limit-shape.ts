import type { Conversion } from './conversion.ts';
import { object, optional } from './object-shape.ts';
import { ASSIGNEES } from './request-shape.ts';
import { BOOLEAN, byKind, DURATION, listOrOne, number, readText, type Shape, text, word } from './shape.ts';
import type { SourceNode } from './source-node.ts';

export const COUNT = number({ type: 'integer', minimum: 1 });

/** Visits in a row, or `false`. */
const NO_PROGRESS: Shape = {
  schema: { anyOf: [COUNT.schema, { const: false }] },
  read: (node: SourceNode, pointer: string, conversion: Conversion) => {
    const off = node.kind === 'scalar' && node.value === false;
    return (off ? BOOLEAN : COUNT).read(node, pointer, conversion);
  },
};

const DEADLINE = object('A deadline', {
  after: { shape: DURATION, required: { standIn: '1d' } },
  ...optional({ onExpire: word('fail', 'escalate'), to: listOrOne(text(), 'a text') }),
});

const QUESTION = object('A question at a limit', {
  ...optional({ title: text(), message: text(), assignees: ASSIGNEES, deadline: DEADLINE }),
  assign: { shape: ASSIGNEES, as: 'assignees' },
});

const ON_REACHED = byKind(
  {
    scalar: word('fail', 'ask'),
    map: object('`onReached`', { ask: { shape: QUESTION, required: { standIn: {} } } }),
  },
  'fail, ask or { ask: … }',
);

/** `2.50 USD`. What it is not, the kernel says. */
const MONEY_TEXT: Shape = {
  schema: {
    type: 'string',
    pattern: '^[0-9]+(\\.[0-9]+)? [A-Z]{3}$',
    description: 'An amount and its currency: 2.50 USD',
  },
  read: (node: SourceNode, pointer: string, conversion: Conversion) => {
    const found = readText(node, pointer, conversion, 'an amount and its currency, such as 2.50 USD');
    const [amount, currency, ...more] = found?.split(' ') ?? [];
    if (amount === undefined) return undefined;
    if (currency !== undefined && more.length === 0) return { amount, currency };
    return conversion.wrong(node, pointer, 'an amount and its currency, such as 2.50 USD');
  },
};

export const BUDGET = object(
  'A budget',
  optional({
    tokens: COUNT,
    modelCalls: COUNT,
    toolCalls: COUNT,
    time: DURATION,
    money: byKind(
      {
        scalar: MONEY_TEXT,
        map: object('An amount of money', {
          amount: { shape: text('a decimal text such as "2.50"'), required: { standIn: '1' } },
          currency: { shape: text('a currency such as USD'), required: { standIn: 'USD' } },
        }),
      },
      'an amount and its currency, such as 2.50 USD',
    ),
  }),
);

export const NODE_LIMITS = object(
  '`limits`',
  optional({ maxVisits: COUNT, maxSuccessive: COUNT, budget: BUDGET, onReached: ON_REACHED }),
);

export const GRAPH_LIMITS = object(
  '`limits`',
  optional({
    maxSteps: COUNT,
    maxVisits: COUNT,
    maxSuccessive: COUNT,
    timeout: DURATION,
    noProgress: NO_PROGRESS,
    maxChain: COUNT,
    budget: BUDGET,
    onReached: ON_REACHED,
  }),
);
