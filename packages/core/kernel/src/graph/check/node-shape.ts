import type { Fault } from '../../error/fault.ts';
import { isJsonObject } from '../../json/value.ts';
import type { NodeCommon, NodeDefinition, NodeType } from '../definition.ts';
import { errorAt, hintFor } from './fault.ts';
import { nodeLimits } from './limit-shape.ts';
import { checkHandlerKey, checkIdentifier } from './names.ts';
import {
  count,
  duration,
  eitherOf,
  filledText,
  json,
  jsonObject,
  listOf,
  type Member,
  type Members,
  mapOf,
  numberIn,
  objectOf,
  oneOf,
  type Read,
  required,
  schema,
  templated,
  text,
} from './read.ts';
import { instant, request } from './request-shape.ts';

/** Keys of an object type, each with its reader: a key added to the type must be added here. */
type Shape<Whole> = { readonly [Key in keyof Required<Whole>]: Read | Member };
type Own<Type extends NodeType> = Shape<Omit<Extract<NodeDefinition, { type: Type }>, keyof NodeCommon | 'type'>>;

const celMap = mapOf(filledText);

const handlerKey: Read = (value, pointer, faults) => {
  const read = filledText(value, pointer, faults);
  if (typeof read === 'string') faults.push(...checkHandlerKey(read, pointer));
  return read;
};

const reference = { handler: required(handlerKey, 'unknown'), with: jsonObject };

const joinMode = eitherOf(value =>
  isJsonObject(value) ? objectOf('A join', { count: required(count(1)) }) : oneOf('join', ['all', 'any']),
);

const COMMON: Shape<NodeCommon> = {
  title: text,
  description: text,
  input: celMap,
  update: mapOf(filledText, checkIdentifier),
  say: templated(filledText),
  decides: objectOf('`decides`', {
    point: required(filledText, '?'),
    chosen: required(filledText, 'null'),
    confidence: filledText,
    reason: filledText,
    options: eitherOf(value => (Array.isArray(value) ? listOf(text) : filledText)),
  }),
  retry: objectOf('A retry', {
    attempts: required(count(1, 1_000), 1),
    backoff: duration,
    factor: numberIn(1, 100),
    maxBackoff: duration,
    jitter: numberIn(0, 1),
    on: listOf(filledText),
  }),
  timeout: duration,
  deadline: duration,
  fallback: objectOf('A fallback', {
    node: text,
    lastGood: objectOf('`lastGood`', { maxAge: required(duration) }),
  }),
  limits: nodeLimits,
  join: joinMode,
  compensate: objectOf('A compensation', reference),
  restartTargets: listOf(text),
  next: listOf(text),
};

const waitFor = objectOf('A wait', {
  for: templated(duration),
  until: templated(instant),
  signal: filledText,
  schema,
  when: filledText,
  ask: request,
});

const body: Read = (value, pointer, faults) => {
  const shape = objectOf('The body of a map', { node: readNode, graph: text, share: listOf(text) });
  const read = shape(value, pointer, faults) as { node?: unknown; graph?: unknown; share?: unknown } | undefined;
  if (read === undefined) return undefined;
  if (
    (read.node === undefined) !== (read.graph === undefined) &&
    (read.node === undefined || read.share === undefined)
  ) {
    return read;
  }
  const hint = '`node` with a node in it, or `graph` with a name and perhaps `share`.';
  faults.push(errorAt(pointer, 'InvalidBody', 'The body of a map is one node or one graph.', hint));
  return undefined;
};

const OWN: { readonly [Type in NodeType]: Own<Type> } = {
  step: { ...reference, output: schema },
  ask: { request: required(request, { kind: 'form', title: '?' }) },
  transform: { output: celMap },
  wait: {
    for: templated(duration),
    until: templated(instant),
    signal: filledText,
    schema,
    when: filledText,
    first: mapOf(waitFor),
  },
  map: {
    items: required(filledText, '[]'),
    body: required(body, { node: { type: 'transform' } }),
    concurrency: count(1),
    onError: oneOf('way with errors', ['fail', 'collect']),
    maxItems: count(1, 10_000),
  },
  subgraph: { graph: required(text, ''), share: listOf(text) },
  join: {},
  fail: { code: filledText, message: templated(text) },
};

const SHAPES: ReadonlyMap<string, Read> = new Map(
  Object.entries(OWN).map(([type, own]: [string, Members]) => [
    type,
    objectOf(`A node of type \`${type}\``, { type: required(text), ...COMMON, ...own, position: json }),
  ]),
);

/** What cannot be read stands for a node all the same, so that routes to it are no faults as well. */
export function readNode(value: unknown, pointer: string, faults: Fault[]): unknown {
  const type = isJsonObject(value) ? value.type : undefined;
  const shape = typeof type === 'string' ? SHAPES.get(type) : undefined;
  if (shape !== undefined) return shape(value, pointer, faults) ?? standIn(value);
  if (!isJsonObject(value)) faults.push(errorAt(pointer, 'WrongType', 'A node must be a map.'));
  else if (type === undefined)
    faults.push(errorAt(pointer, 'MissingKey', 'A node needs `type`.', hintFor('', SHAPES.keys())));
  else {
    const hint = typeof type === 'string' ? hintFor(type, SHAPES.keys()) : undefined;
    faults.push(errorAt(`${pointer}/type`, 'UnknownNodeType', `There is no node type ${JSON.stringify(type)}.`, hint));
  }
  return standIn(value);
}

function standIn(value: unknown): unknown {
  const join = isJsonObject(value) && value.join !== undefined ? joinMode(value.join, '', []) : undefined;
  return { type: 'transform', ...(join === undefined ? {} : { join }) };
}
