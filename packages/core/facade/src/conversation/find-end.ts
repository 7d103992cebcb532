import { besidesAgreement, withoutFillers } from './agreement.ts';
import { END_DEFAULTS, type EndRules } from './moderator-settings.ts';
import { PERSON, type Turn, textOf } from './turn.ts';
import { normalized, similarity, wordsOf } from './wording.ts';

/** Why a conversation ended. */
export const END_CODES = ['person', 'until', 'agreementLoop', 'repeated', 'noProgress', 'turnLimit'] as const;
export type EndCode = (typeof END_CODES)[number];

export interface ConversationEnd {
  readonly code: EndCode;
  readonly reason: string;
  /** The numbers of the turns that show it. */
  readonly evidence: readonly number[];
}

/**
 * What in the turns themselves ends the conversation, if anything does.
 *  1. What a person says is heard like everything, and begins every count but that of the limit anew.
 *  2. A word is new when no turn before had it. Names of speakers and words that say nothing by themselves never are.
 */
export function findEnd(
  turns: readonly Turn[],
  speakers: readonly string[],
  rules: EndRules = {},
): ConversationEnd | undefined {
  const since = turns.slice(turns.findLastIndex(({ speaker }) => speaker === PERSON) + 1);
  return (
    agreementLoop(since, newWords(turns, speakers, besidesAgreement), rules) ??
    repeated(since, rules) ??
    noProgress(
      since,
      newWords(turns, speakers, text => withoutFillers(normalized(text))),
      rules,
    ) ??
    turnLimit(turns, rules)
  );
}

function repeated(turns: readonly Turn[], { repeated: rule = {} }: EndRules): ConversationEnd | undefined {
  const last = turns.at(-1);
  if (rule === false || last === undefined) return undefined;
  const { times = END_DEFAULTS.times, similarity: bound = END_DEFAULTS.similarity } = rule;
  const text = normalized(textOf(last.content));
  const alike = turns
    .map(({ turn, content }) => ({ turn, by: similarity(text, normalized(textOf(content))) }))
    .filter(({ by }) => by >= bound);
  if (alike.length < times) return undefined;
  const numbers = alike.map(({ turn }) => turn);
  const least = Math.min(...alike.map(({ by }) => by));
  const how = least === 1 ? 'the same' : `nearly the same (similarity ${least.toFixed(2)} of at least ${bound})`;
  return { code: 'repeated', evidence: numbers, reason: `Turns ${listOf(numbers)} say ${how}.` };
}

/** By turn number: the new words of what `part` leaves of its text; undefined where it leaves out the turn. */
type News = ReadonlyMap<number, readonly string[] | undefined>;

function newWords(
  turns: readonly Turn[],
  speakers: readonly string[],
  part: (text: string) => string | undefined,
): News {
  const known = new Set(speakers.flatMap(name => wordsOf(normalized(name))));
  const news = new Map<number, readonly string[] | undefined>();
  for (const { turn, content } of turns) {
    const text = textOf(content);
    const rest = part(text);
    news.set(turn, rest === undefined ? undefined : wordsOf(rest).filter(word => !known.has(word)));
    for (const word of wordsOf(withoutFillers(normalized(text)))) known.add(word);
  }
  return news;
}

function agreementLoop(
  turns: readonly Turn[],
  news: News,
  { agreement = END_DEFAULTS.agreement }: EndRules,
): ConversationEnd | undefined {
  const row = rowWithoutNews(turns, news, agreement);
  const voices = [...new Set(row?.map(({ speaker }) => speaker))];
  if (row === undefined || voices.length < 2) return undefined;
  const numbers = row.map(({ turn }) => turn);
  const reason = `In turns ${listOf(numbers)} ${listOf(voices)} only confirm each other; nothing new is said.`;
  return { code: 'agreementLoop', evidence: numbers, reason };
}

function noProgress(
  turns: readonly Turn[],
  news: News,
  { noProgress: bound = END_DEFAULTS.noProgress }: EndRules,
): ConversationEnd | undefined {
  const row = rowWithoutNews(turns, news, bound);
  if (row === undefined) return undefined;
  const numbers = row.map(({ turn }) => turn);
  return { code: 'noProgress', evidence: numbers, reason: `Turns ${listOf(numbers)} hold no word that is new.` };
}

/** The last `count` turns, when none of them has a new word. */
function rowWithoutNews(turns: readonly Turn[], news: News, count: number | false): readonly Turn[] | undefined {
  if (count === false || turns.length < count) return undefined;
  const row = turns.slice(-count);
  return row.every(({ turn }) => news.get(turn)?.length === 0) ? row : undefined;
}

function turnLimit(
  turns: readonly Turn[],
  { maxTurns = END_DEFAULTS.maxTurns }: EndRules,
): ConversationEnd | undefined {
  const taken = turns.filter(({ speaker }) => speaker !== PERSON);
  if (taken.length < maxTurns) return undefined;
  const reason = `${taken.length} turns are taken, and no more than ${maxTurns} are allowed.`;
  return { code: 'turnLimit', evidence: [turns.at(-1)!.turn], reason };
}

function listOf(items: readonly (string | number)[]): string {
  const [last, ...before] = [...items].reverse();
  return before.length === 0 ? String(last) : `${before.reverse().join(', ')} and ${last}`;
}
