import { pointerTo } from '@signalbox/kernel';
import { JSON_OBJECT, JSON_SCHEMA } from './json-shape.ts';
import { COUNT, NODE_LIMITS } from './limit-shape.ts';
import { type Members, object, optional } from './object-shape.ts';
import { REQUEST, STAND_IN_REQUEST, templated } from './request-shape.ts';
import { byKind, CEL, DURATION, list, listOrOne, number, record, type Shape, text, word } from './shape.ts';

const NODE_NAME = text('the name of a node');
const NODE_NAMES = list(NODE_NAME);

/** A value written in short as a text under `key`: `fallback: safe` is `fallback: { node: safe }`. */
function shortFor(key: string, shape: Shape): Shape {
  return {
    schema: shape.schema,
    read: (node, pointer, conversion) => {
      const value = shape.read(node, pointerTo(pointer, key), conversion);
      return value === undefined ? undefined : { [key]: value };
    },
  };
}

const DECIDES = object('`decides`', {
  point: { shape: text(), required: { standIn: 'point' } },
  chosen: { shape: CEL, required: { standIn: 'output' } },
  ...optional({
    confidence: CEL,
    reason: CEL,
    options: byKind({ scalar: CEL, list: list(text()) }, 'an expression (CEL) or a list of texts'),
  }),
});

const RETRY = object('`retry`', {
  attempts: { shape: COUNT, required: { standIn: 1 } },
  ...optional({
    backoff: DURATION,
    factor: number({ minimum: 1, maximum: 100 }),
    maxBackoff: DURATION,
    jitter: number({ minimum: 0, maximum: 1 }),
    on: listOrOne(text('an error code'), 'an error code'),
  }),
});

const LAST_GOOD = object('`lastGood`', { maxAge: { shape: DURATION, required: { standIn: '1s' } } });

const FALLBACK = byKind(
  {
    scalar: shortFor('node', NODE_NAME),
    map: object('`fallback`', optional({ node: NODE_NAME, lastGood: LAST_GOOD })),
  },
  'the name of a node or a map',
);

const JOIN = byKind(
  { scalar: word('all', 'any'), map: object('`join`', { count: { shape: COUNT, required: { standIn: 1 } } }) },
  'all, any or { count: n }',
);

/** What every node may say, `type` and `compensate` apart. */
export const COMMON_MEMBERS: Members = optional({
  title: text(),
  description: text(),
  input: record(CEL),
  update: record(CEL),
  say: templated(),
  decides: DECIDES,
  retry: RETRY,
  timeout: DURATION,
  deadline: DURATION,
  fallback: FALLBACK,
  limits: NODE_LIMITS,
  join: JOIN,
  restartTargets: NODE_NAMES,
  next: NODE_NAMES,
});

export const HANDLER_MEMBERS: Members = {
  handler: { shape: text('a handler key such as classify@1'), required: { standIn: 'unknown@1' } },
  ...optional({ with: JSON_OBJECT }),
};

export const REGISTERED_MEMBERS: Members = optional({ with: JSON_OBJECT, output: JSON_SCHEMA });

const WAIT_TIMES = optional({
  for: templated('a duration as text'),
  until: templated('a time as text'),
  signal: text(),
  schema: JSON_SCHEMA,
  when: CEL,
});

const WAIT_FOR = object('What is waited for', { ...WAIT_TIMES, ask: { shape: REQUEST } });

export const SHARE = list(text('a state key'));

/** What the nodes of the built-in types say beyond that; a map's `body` is another node and stands in node-shape.ts. */
export const TYPE_MEMBERS: Readonly<Record<string, Members>> = {
  step: { ...HANDLER_MEMBERS, output: { shape: JSON_SCHEMA } },
  ask: { request: { shape: REQUEST, required: { standIn: STAND_IN_REQUEST } } },
  transform: optional({ output: record(CEL) }),
  wait: { ...WAIT_TIMES, first: { shape: record(WAIT_FOR) } },
  map: {
    items: { shape: CEL, required: { standIn: '[]' } },
    ...optional({ concurrency: COUNT, onError: word('fail', 'collect'), maxItems: COUNT }),
  },
  subgraph: { graph: { shape: text('the name of a graph'), required: { standIn: 'graph' } }, share: { shape: SHARE } },
  join: {},
  fail: optional({ code: text(), message: templated() }),
};
