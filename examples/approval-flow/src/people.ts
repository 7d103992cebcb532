import { readFileSync } from 'node:fs';
import type { SignalboxOptions } from 'signalbox';
import { z } from 'zod';

type Identity = NonNullable<SignalboxOptions['identity']>;

/** Who has which role, as `data/people.json` says; a name that nobody knows has none. */
export function readPeople(): Identity {
  const file = readFileSync(new URL('../data/people.json', import.meta.url), 'utf8');
  const roles = new Map(Object.entries(z.record(z.string(), z.array(z.string())).parse(JSON.parse(file))));
  return { rolesOf: ({ kind, id }) => (kind === 'user' ? (roles.get(id) ?? []) : []) };
}
