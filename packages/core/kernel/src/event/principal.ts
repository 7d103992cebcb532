import { SignalboxError } from '../error/error.ts';
import type { Principal } from './commit.ts';

const KINDS: ReadonlySet<string> = new Set(['user', 'service', 'node', 'model', 'tool', 'system']);
/** Only these can ever hold the right to answer (design 7.3); whatever else there is or will be cannot. */
const ANSWERING: ReadonlySet<string> = new Set(['user', 'service', 'system']);
const MEMBERS: ReadonlySet<string> = new Set(['kind', 'id', 'onBehalfOf']);
const MAX_LENGTH = 500;

/** A principal given as text: `kind:id`; a bare name is a user. Nothing is checked yet. */
export function parsePrincipal(text: string): { readonly kind: string; readonly id: string } {
  const colon = text.indexOf(':');
  return colon === -1 ? { kind: 'user', id: text } : { kind: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** Whether a text names a principal: `user:finn`, or `finn` alone. */
export function isPrincipalText(text: string): boolean {
  return faultOf(parsePrincipal(text)) === undefined;
}

/** @throws SignalboxError `InvalidPrincipal` unless its kind is known and its ids are one line of text each. */
export function assertPrincipal(value: unknown): asserts value is Principal {
  const fault = faultOf(value);
  if (fault === undefined) return;
  throw new SignalboxError('InvalidPrincipal', `Who acts is not well said: ${fault}.`, {
    hint: `Write kind:id, such as user:finn; kinds are ${[...KINDS].join(', ')}.`,
  });
}

/** Neither is, nor acts for, a model, a tool, a node or anything else that may not answer. */
export function mayAnswer({ kind, onBehalfOf }: Principal): boolean {
  return ANSWERING.has(kind) && (onBehalfOf === undefined || ANSWERING.has(parsePrincipal(onBehalfOf).kind));
}

/** `user:finn`, and whom they act for: everybody whose word it is. */
export function namesOf({ kind, id, onBehalfOf }: Principal): readonly string[] {
  if (onBehalfOf === undefined) return [`${kind}:${id}`];
  const other = parsePrincipal(onBehalfOf);
  return [`${kind}:${id}`, `${other.kind}:${other.id}`];
}

/** One of them acts as, or for, the other, or both for a third. */
export function isSamePerson(one: Principal, other: Principal): boolean {
  const names = namesOf(other);
  return namesOf(one).some(name => names.includes(name));
}

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no principal';
  const { kind, id, onBehalfOf } = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(value).find(key => !MEMBERS.has(key));
  if (unknown !== undefined) return `it has an unknown member ${JSON.stringify(unknown)}`;
  const fault = namedFault(kind, id);
  if (fault !== undefined || onBehalfOf === undefined) return fault;
  if (typeof onBehalfOf !== 'string') return 'onBehalfOf is not text';
  const other = parsePrincipal(onBehalfOf);
  const otherFault = namedFault(other.kind, other.id);
  return otherFault === undefined ? undefined : `onBehalfOf: ${otherFault}`;
}

function namedFault(kind: unknown, id: unknown): string | undefined {
  if (typeof kind !== 'string' || !KINDS.has(kind)) return `there is no kind ${JSON.stringify(kind) ?? 'undefined'}`;
  if (typeof id !== 'string' || id.trim() === '') return 'its id is empty';
  if (id.length > MAX_LENGTH) return `its id is longer than ${MAX_LENGTH} characters`;
  return /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(id) ? 'its id is not one line of text' : undefined;
}
