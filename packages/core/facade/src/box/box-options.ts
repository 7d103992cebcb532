import {
  FUNCTION,
  hasMethods,
  isObject,
  listOf,
  milliseconds,
  type OptionKind,
  type OptionKinds,
  oneOf,
  TEXT,
  wholeNumber,
  withMethods,
} from '@signalbox/kernel';
import type { DeliveryChannel } from '@signalbox/ports';
import type { EngineOptions, Resolvers } from '@signalbox/runtime';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Graph } from '../builder/graph.ts';
import type { NodeType } from '../builder/node-type.ts';
import type { Logger } from './end-lines.ts';

/** Everything a box is made of. `signalbox` fills in store, host, clock and ids; here they are named. */
export interface BoxOptions extends Omit<EngineOptions, 'codec' | 'sessionMetadata'> {
  readonly graphs?: readonly Graph[];
  readonly types?: readonly NodeType[];
  /** Where it is published what happens to requests. */
  readonly channels?: readonly DeliveryChannel[];
  /** Where a line is logged for each run that ends in this process, with its trail; none: nothing is logged. */
  readonly logger?: Logger;
  /** How long a process that publishes counts as alive after its last sign of life, ms; default 15,000. */
  readonly deliveryLease?: number;
  /** By the name of a service: what answers for it, where a question is assigned to `service:<name>`. */
  readonly resolvers?: Resolvers;
  /**
   * Schema of the metadata of sessions, held against it where it is given and changed; none: any JSON. It may mark nothing as
   * sensitive (`MetadataSensitive`): metadata stand in the log of the session as they are.
   */
  readonly sessionMetadata?: StandardSchemaV1;
}

const OBSERVER: OptionKind = {
  what: 'an object with functions `committed`, `onError` or `text`',
  fits: value => isObject(value) && ['committed', 'onError', 'text'].every(name => isAbsentOrFunction(value, name)),
};

const LOGGER: OptionKind = {
  what: 'an object with a function `info`, and `error` where it has one',
  fits: value => hasMethods(value, ['info']) && isAbsentOrFunction(value as object, 'error'),
  hint: 'Such as `console`.',
};

function isAbsentOrFunction(value: object, name: string): boolean {
  const member = (value as Readonly<Record<string, unknown>>)[name];
  return member === undefined || typeof member === 'function';
}

function hasText(value: unknown, name: string): value is object {
  return isObject(value) && TEXT.fits((value as Readonly<Record<string, unknown>>)[name]);
}

/** A graph that was built, or what stands for one: with a name, a program and the code of its nodes. */
export function isRunnable(value: unknown): value is Graph {
  if (!hasText(value, 'name')) return false;
  const { program, handlers } = value as Partial<Graph>;
  return isObject(program) && hasMethods(handlers, ['get', 'keys']);
}

/** What each option of a box is to be. */
export const BOX_OPTIONS: OptionKinds<BoxOptions> = {
  store: withMethods(
    'an open store',
    ['commit', 'read', 'head', 'feed', 'runs', 'run', 'due', 'lease', 'close'],
    "Give what `createSqliteStore({ path })` returns; a file alone is named by `createSignalbox({ path: 'desk.db' })`.",
  ),
  host: withMethods('a host', ['schedule', 'onDue', 'stop'], 'Give what `createEmbeddedHost({ clock })` returns.'),
  clock: withMethods(
    'a clock',
    ['now', 'at', 'every', 'soon'],
    'Give what `createSystemClock()` returns, or leave it out.',
  ),
  ids: withMethods('a source of ids', ['uuid'], 'Give what `createIdGenerator()` returns, or leave it out.'),
  graphs: listOf('graphs', isRunnable, 'Give what `build`, `loadGraph` or `graphFromDefinition` returned, in a list.'),
  types: listOf(
    'node types',
    value => hasText(value, 'key') && isObject((value as { readonly handler?: unknown }).handler),
    'Give what `defineNodeType` returned, in a list.',
  ),
  channels: listOf('channels', value => hasMethods(value, ['deliver'])),
  checks: listOf('checks', value => hasText(value, 'name') && hasMethods(value, ['before'])),
  resolvers: {
    what: 'an object with a function for each name of a service',
    fits: value => isObject(value) && Object.values(value).every(FUNCTION.fits),
  },
  observer: OBSERVER,
  logger: LOGGER,
  models: withMethods('what calls models', ['call'], 'Give what `createModels` of @signalbox/models-ai-sdk returns.'),
  modelRecords: oneOf('full', 'digest'),
  memory: withMethods(
    'a long-term memory',
    ['find'],
    'An object with `find`, and `written` and `removed` where it is told.',
  ),
  secrets: FUNCTION,
  keys: withMethods('a key ring', ['wrap', 'unwrap'], 'Give what `createKeyRing` or `localKeys` returns.'),
  identity: withMethods(
    'an object with a function `rolesOf`',
    ['rolesOf'],
    'It tells the roles of a principal in a tenant.',
  ),
  sessionMetadata: {
    what: 'a schema with Standard Schema, such as one of zod',
    fits: value => isObject(value) && '~standard' in value,
  },
  build: TEXT,
  crashLimit: wholeNumber(1),
  runAhead: wholeNumber(1),
  payloadLimit: wholeNumber(0),
  cancelGrace: milliseconds(0),
  lease: milliseconds(1),
  deliveryLease: milliseconds(1),
};
