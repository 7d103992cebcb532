/** What texts of an agent may name. */
export const SEEN = ['input', 'state', 'nodes', 'answers', 'given', 'session'] as const;

/** Of the context of its node. What is not there is null. */
export function seenIn(context: object): Readonly<Record<string, unknown>> {
  const members = context as Readonly<Record<string, unknown>>;
  return Object.fromEntries(SEEN.map(name => [name, members[name] ?? null]));
}
