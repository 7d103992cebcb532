import { type CommandBody, isJsonObject, SignalboxError, toJsonValue } from '@signalbox/kernel';

type Kind = 'text' | 'integer' | 'object' | 'texts' | 'flag' | 'effects' | 'json';

/** How each member is to look; `?` after the kind: it may be absent. Parts that the engine itself makes are not here. */
const MEMBERS: Partial<Record<CommandBody['type'], Readonly<Record<string, Kind | `${Kind}?`>>>> = {
  answer: {
    request: 'text?',
    action: 'text?',
    values: 'json?',
    note: 'text?',
    key: 'text?',
    subject: 'text?',
    roles: 'texts?',
  },
  claimRequest: { request: 'text', takeOver: 'flag?', roles: 'texts?' },
  releaseRequest: { request: 'text', reason: 'text?' },
  withdrawRequest: { request: 'text', reason: 'text' },
  signal: { name: 'text', value: 'json', id: 'text?' },
  pause: { reason: 'text' },
  resume: { reason: 'text' },
  step: { reason: 'text' },
  reopen: { reason: 'text' },
  retry: { reason: 'text', node: 'text?' },
  edit: { reason: 'text', token: 'text?', set: 'object', remove: 'texts?' },
  jump: { reason: 'text', token: 'text?', to: 'text' },
  cancel: { reason: 'text', compensate: 'flag?' },
  rollback: { reason: 'text', to: 'integer', effects: 'effects' },
  fork: { reason: 'text', parent: 'text', atSeq: 'integer', effects: 'effects' },
  migrate: { reason: 'text', label: 'text?', mapping: 'object' },
  memory: { key: 'text', values: 'object?', reason: 'text' },
  note: { text: 'text' },
  erased: { digest: 'text', reason: 'text' },
};

const FITS: Readonly<Record<Kind, { readonly what: string; readonly test: (value: unknown) => boolean }>> = {
  text: { what: 'a text', test: value => typeof value === 'string' && isJson(value) },
  integer: { what: 'a whole number from 0', test: value => Number.isSafeInteger(value) && (value as number) >= 0 },
  object: { what: 'an object', test: value => isJson(value) && isJsonObject(value as never) },
  texts: {
    what: 'a list of texts',
    test: value => Array.isArray(value) && isJson(value) && value.every(item => typeof item === 'string'),
  },
  flag: { what: 'true or false', test: value => typeof value === 'boolean' },
  effects: { what: 'recorded, ask or live', test: value => EFFECTS.has(value) },
  json: { what: 'a JSON value', test: isJson },
};

const EFFECTS: ReadonlySet<unknown> = new Set(['recorded', 'ask', 'live']);

function isJson(value: unknown): boolean {
  return toJsonValue(value).ok;
}

/**
 * Looks at the shape of a command from outside before anything is decided on it: it comes from code and over wires, and
 * no part of it may be a surprise to the kernel.
 *
 * @throws SignalboxError `InvalidCommand`, `details`: `command`, `member`
 */
export function checkCommand(body: CommandBody): void {
  const parts = body as unknown as Readonly<Record<string, unknown>>;
  for (const [member, kind] of Object.entries(MEMBERS[body.type] ?? {})) {
    const value = parts[member];
    if (value === undefined && kind.endsWith('?')) continue;
    const { what, test } = FITS[kind.replace('?', '') as Kind];
    if (test(value)) continue;
    throw new SignalboxError('InvalidCommand', `The command "${body.type}" wants ${what} as \`${member}\`.`, {
      details: { command: body.type, member },
    });
  }
  if (body.type === 'migrate' || (body.type === 'fork' && body.onto !== undefined)) checkMapping(body);
}

function checkMapping(body: Extract<CommandBody, { type: 'migrate' | 'fork' }>): void {
  const mapping: unknown = body.type === 'migrate' ? body.mapping : body.onto?.mapping;
  const isMapping =
    isJson(mapping) &&
    isJsonObject(mapping as never) &&
    Object.values(mapping as object).every(node => typeof node === 'string');
  if (isMapping) return;
  throw new SignalboxError('InvalidCommand', 'A mapping of nodes is an object from names to names.', {
    details: { command: body.type, member: 'mapping' },
  });
}
