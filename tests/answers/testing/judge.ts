import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@signalbox/kernel';
import type { Outcome, RunRecord } from './answering-desk.ts';
import type { Delivery, Message, Scenario } from './plan.ts';

export interface Played {
  readonly scenario: Scenario;
  /** The id under which early answers came. */
  readonly request: string;
  readonly outcomes: readonly { readonly delivery: Delivery; readonly early: boolean; readonly outcome: Outcome }[];
  readonly record: RunRecord;
  /** Times that the effect behind the answer was done. */
  readonly paid: number;
}

/** What a refused delivery may be told; one that comes before its question may find that there is none. */
const REFUSALS: ReadonlySet<Outcome> = new Set(['AlreadyAnswered', 'RequestExpired', 'RequestClosed', 'InvalidAnswer']);

/** Promises that were broken, in words. */
export function judge(played: Played): string[] {
  const broken = [...oddOutcomes(played), ...acceptance(played), ...continuation(played)];
  return broken.map(
    what => `${played.scenario.name} (${played.scenario.circumstance}, ${played.scenario.asker}): ${what}`,
  );
}

function oddOutcomes({ outcomes, record, request, scenario }: Played): string[] {
  const odd = outcomes.filter(
    ({ outcome, early }) =>
      outcome !== 'accepted' && !REFUSALS.has(outcome) && !(outcome === 'UnknownRequest' && early),
  );
  const told = odd.map(({ outcome }) => `told: ${outcome}`);
  const { opened } = record;
  const asked = opened.length === 1 || (opened.length === 0 && scenario.circumstance === 'cancel');
  return asked && opened.every(id => id === request) ? told : [...told, `asked ${opened} and not ${request}`];
}

/** None is lost of those that were accepted, and no more than one is. */
function acceptance({ scenario: { messages }, outcomes, record: { answered } }: Played): string[] {
  const accepted = outcomes.filter(({ outcome }) => outcome === 'accepted').map(({ delivery }) => delivery.message);
  const [winner, ...others] = new Set(accepted);
  const [entry, ...more] = answered;
  const broken: string[] = [];
  if (more.length > 0) broken.push(`${answered.length} answers in the log`);
  if (others.length > 0) broken.push(`${others.length + 1} answers were told to be accepted`);
  if (winner === undefined)
    return entry === undefined ? broken : [...broken, 'an answer is in the log and nobody was told'];
  if (entry === undefined) return [...broken, 'an accepted answer is lost'];
  const message = messages[winner]!;
  if (!isDeepStrictEqual(sent(message), stored(entry))) broken.push('another answer is in the log than was accepted');
  if (message.key === undefined && accepted.length !== 1) broken.push('an answer without a key was accepted twice');
  return [...broken, ...keptFromItsSender(message, winner, outcomes)];
}

/** Only an approval has values, and only who sends with a key has one. */
const stored = ({ action, values, by, key }: JsonObject) => ({ action, values: values ?? {}, by, key: key ?? null });
const sent = ({ action, values, as, key }: Message) => ({
  action,
  values,
  by: { kind: 'user', id: as.replace('user:', '') },
  key: key ?? null,
});

/** Who sends with a key gets the outcome that stands, however often. */
function keptFromItsSender({ key }: Message, winner: number, outcomes: Played['outcomes']): string[] {
  if (key === undefined) return [];
  const refused = outcomes.filter(
    ({ delivery, outcome, early }) => delivery.message === winner && outcome !== 'accepted' && !early,
  );
  return refused.map(({ outcome }) => `the accepted answer came again and was told: ${outcome}`);
}

function continuation({ scenario, record, paid }: Played): string[] {
  const { answered, expired, withdrawn, continued, status } = record;
  const broken: string[] = [];
  const closed = answered.length + expired + withdrawn;
  if (closed > 1) broken.push(`closed ${closed} times`);
  if (continued > 1) broken.push(`went on ${continued} times behind the question`);
  if (paid > 1) broken.push(`paid ${paid} times`);
  const approved = answered[0]?.action === 'approve';
  if (paid > 0 && !approved) broken.push('paid without an approval');
  // Cancelled, it may have got so far or not.
  if (status === 'cancelled' && scenario.circumstance === 'cancel') return broken;
  const ends = answered.length + expired > 0;
  if (status !== (ends ? 'completed' : 'suspended')) broken.push(`is ${status}`);
  if (continued !== (ends ? 1 : 0)) broken.push(`went on ${continued} times`);
  if (approved && paid !== 1) broken.push(`approved, and paid ${paid} times`);
  return broken;
}
