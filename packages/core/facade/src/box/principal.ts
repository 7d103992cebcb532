import { type Principal, SignalboxError } from '@signalbox/kernel';

/** Who acts, as a principal or as text: `user:finn`, `service:risk`; a bare name is a user. */
export type Actor = Principal | string;

const KINDS: readonly string[] = ['user', 'service', 'node', 'model', 'tool', 'system'];

/** @throws SignalboxError `InvalidPrincipal` */
export function toPrincipal(
  actor: Actor | undefined,
  fallback: Principal = { kind: 'user', id: 'unknown' },
): Principal {
  if (actor === undefined) return fallback;
  if (typeof actor !== 'string') return actor;
  const colon = actor.indexOf(':');
  if (colon === -1 && actor !== '') return { kind: 'user', id: actor };
  const kind = actor.slice(0, colon);
  const id = actor.slice(colon + 1);
  if (!KINDS.includes(kind) || id === '')
    throw new SignalboxError('InvalidPrincipal', `"${actor}" names nobody.`, {
      hint: `Write kind:id, such as user:finn; kinds are ${KINDS.join(', ')}.`,
    });
  return { kind: kind as Principal['kind'], id };
}
