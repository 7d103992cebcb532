import { assertPrincipal, type Principal, parsePrincipal } from '@signalbox/kernel';

/** Who acts, as a principal or as text: `user:finn`, `service:risk`; a bare name is a user. */
export type Actor = Principal | string;

/** @throws SignalboxError `InvalidPrincipal` */
export function toPrincipal(
  actor: Actor | undefined,
  fallback: Principal = { kind: 'user', id: 'unknown' },
): Principal {
  if (actor === undefined) return fallback;
  const principal: unknown = typeof actor === 'string' ? parsePrincipal(actor) : actor;
  assertPrincipal(principal);
  return principal;
}
