import { type Members, object, optional } from './object-shape.ts';
import { CEL, list, listOrOne, readText, record, type Shape, text, word } from './shape.ts';

export const OUTCOMES: readonly string[] = [
  'approve',
  'edit',
  'reject',
  'cancel',
  'expired',
  'success',
  'failed',
  'skipped',
  'limit',
];

const NEGATION = '!(';

/** `until: x` goes on while x does not hold: it is `when` with the opposite. */
const UNTIL: Shape = {
  schema: CEL.schema,
  read: (node, pointer, conversion) => {
    conversion.mark(pointer, node, undefined, NEGATION.length);
    const found = readText(node, pointer, conversion, 'an expression (CEL) as text');
    return found === undefined ? undefined : `${NEGATION}${found})`;
  },
};

export const ROUTE_MEMBERS: Members = {
  to: { shape: listOrOne(text('the name of a node'), 'the name of a node'), required: { standIn: ['end'] } },
  ...optional({ on: listOrOne(word(...OUTCOMES), 'an outcome'), when: CEL, predicate: text(), because: text() }),
  until: { shape: UNTIL, as: 'when' },
};

/** The keys that tell a route from a map of conditions. */
export const ROUTE_KEYS: readonly string[] = Object.keys(ROUTE_MEMBERS);

const ROUTE = object('A route', ROUTE_MEMBERS);

/** The routes of one node; older-forms.ts has brought everything else that may stand there into a list. */
const ROUTES_OF_NODE: Shape = {
  schema: { anyOf: [{ type: 'string' }, ROUTE.schema, list(ROUTE).schema] },
  read: list(ROUTE).read,
};

export const ROUTES: Shape = record(ROUTES_OF_NODE);
