import { CHECK_PREFIX, digestOf, type JsonValue, NAMES_CHECKS_AT_LENGTH, type Run } from '@signalbox/kernel';
import type { Secrets } from '../sensitive/secrets.ts';

const SCHEME = 'sha256:';
/** 128 bits: nobody finds another subject of the same name. */
const DIGITS = 32;
/** What there was of them once, which runs of then go on with. */
const DIGITS_OF_THEN = 9;

/**
 * The name of what a check says of a subject: node, input and state. An approval holds for that name. Where anything of the
 * subject is sensitive, only who has the key of the run can make the name; `before`: what it was named before that was known.
 */
export function checkOperation(
  { semantics }: Pick<Run, 'semantics'>,
  check: string,
  subject: { readonly node: string; readonly input: JsonValue; readonly state: JsonValue },
  secrets: Secrets,
): { readonly op: string; readonly before?: string } {
  const { node, input, state } = subject;
  const digest = digestOf({ node, input, state });
  const hex = digest.slice(SCHEME.length);
  const name = semantics < NAMES_CHECKS_AT_LENGTH ? SCHEME + hex.slice(0, DIGITS_OF_THEN) : hex.slice(0, DIGITS);
  const inClear = `${CHECK_PREFIX}${check}:${name}`;
  if (secrets.masked(input) === input && secrets.masked(state) === state) return { op: inClear };
  return { op: `${CHECK_PREFIX}${check}:${secrets.keyed(digest)}`, before: inClear };
}
