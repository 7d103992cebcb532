import type { Conversion } from './conversion.ts';
import { object, optional } from './object-shape.ts';
import { ASSIGNEES } from './request-shape.ts';
import { BOOLEAN, byKind, DURATION, listOrOne, number, type Shape, text, word } from './shape.ts';
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

export const NODE_LIMITS = object(
  '`limits`',
  optional({ maxVisits: COUNT, maxSuccessive: COUNT, onReached: ON_REACHED }),
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
    onReached: ON_REACHED,
  }),
);
