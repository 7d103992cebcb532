import { isJsonObject, type JsonObject, type JsonValue, SignalboxError } from '@signalbox/kernel';
import type { Decision, NodeTypeContext } from '../builder/context.ts';
import type { NodeType } from '../builder/node-type.ts';
import { permanent } from '../builder/result.ts';
import { type ConversationEnd, END_CODES, findEnd } from './find-end.ts';
import { MODERATOR_SETTINGS, type ModeratorSettings } from './moderator-settings.ts';
import { askPerson, hearSignals, inOrder, type PersonWord } from './person.ts';
import { nextInTurn } from './speaker-order.ts';
import { PERSON, type Turn } from './turn.ts';

/** What a moderator gives out: who is next, or `end` and why. `said` is what a person said, for the state's `turns`. */
export type ModeratorOutput = { readonly next: string; readonly said: readonly Turn[] } & Partial<ConversationEnd>;

/** Its `input` map, made by expressions (CEL). */
interface ModeratorInput {
  /** The conversation is over. */
  readonly until: boolean;
  /** Who speaks next; absent: each in turn. */
  readonly next: string | undefined;
  /** A person is asked before it goes on. */
  readonly ask: boolean;
}

type Context = NodeTypeContext<ModeratorSettings>;

/**
 * The node type `moderator`: stands between the turns of a conversation, whose state has the key `turns`.
 *  1. First a person is heard, then the conversation may end, then a person is asked, then the next speaker is chosen.
 *  2. Each visit records one decision: `speaker`, or `end` with the reason.
 *  3. Everything is reckoned from what is recorded, so the same turns come out the same.
 */
export const moderatorType: NodeType<ModeratorSettings, ModeratorOutput> = Object.freeze({
  type: 'moderator',
  rev: 1,
  key: 'moderator@1',
  output: undefined,
  handler: { settings: MODERATOR_SETTINGS, execute: moderate },
});

async function moderate(context: Context): Promise<ModeratorOutput> {
  const input = inputOf(context.given);
  const before = (context.state.turns ?? []) as readonly Turn[];
  const words = await hearSignals(context);
  let word = inOrder(words, before);
  let end = endOf([...before, ...word.said], word, input, context.with);
  if (end === undefined && input.ask && words.length === 0) {
    word = inOrder([await askPerson(context, before)], before);
    end = endOf([...before, ...word.said], word, input, context.with);
  }
  if (end !== undefined) return close(context, end, word);
  const { next, decision } = choose(context, word, input);
  if (decision !== undefined) context.decide('speaker', withNamed(decision, word.next));
  return { next, said: word.said };
}

/** @throws SignalboxError `InvalidInput` */
function inputOf(given: JsonValue): ModeratorInput {
  const { until, next, ask = false, ...others }: JsonObject = isJsonObject(given) ? given : {};
  const isFit = typeof until === 'boolean' && typeof ask === 'boolean' && Object.keys(others).length === 0;
  if (isFit && (next === undefined || typeof next === 'string')) return { until, next, ask };
  const error = new SignalboxError('InvalidInput', 'A moderator takes `until`, `next` and `ask`, and nothing else.', {
    hint: 'Give the node `input: { until: "false" }`, or the condition to end; `next` is a name, `ask` a truth value.',
  });
  throw permanent(error);
}

function endOf(
  turns: readonly Turn[],
  { end, said }: PersonWord,
  { until }: ModeratorInput,
  settings: ModeratorSettings,
): ConversationEnd | undefined {
  const last = turns.at(-1)?.turn ?? 0;
  if (end !== undefined) return { code: 'person', evidence: said.map(({ turn }) => turn), reason: end };
  if (until) return { code: 'until', evidence: [last], reason: `The condition to end holds after turn ${last}.` };
  return findEnd(turns, settings.speakers, settings);
}

function close(
  context: Context,
  { code, reason, evidence }: ConversationEnd,
  { by, said }: PersonWord,
): ModeratorOutput {
  context.decide('end', {
    chosen: code,
    options: [...END_CODES, 'goOn'],
    rejected: [{ option: 'goOn', code, reason }],
    reason,
    decidedBy: `rule:${code}`,
    context: { turns: [...evidence] },
    ...attributed(code === PERSON ? by : undefined),
  });
  return { next: 'end', said, code, reason, evidence };
}

interface Choice {
  readonly next: string;
  /** Absent where another node chooses. */
  readonly decision?: Decision;
}

function choose(
  { run, with: { speakers, chooser } }: Context,
  { next: named, by }: PersonWord,
  input: ModeratorInput,
): Choice {
  if (named !== undefined && speakers.includes(named))
    return { next: named, decision: chosen(named, speakers, 'A person named who is next.', 'rule:person', by) };
  if (chooser !== undefined) return { next: chooser };
  if (input.next === undefined) {
    const next = nextInTurn(run, speakers);
    return { next, decision: chosen(next, speakers, 'Each speaks in turn.', 'rule:roundRobin') };
  }
  if (!speakers.includes(input.next)) throw unknownSpeaker(input.next, speakers);
  return { next: input.next, decision: chosen(input.next, speakers, 'The expression says so.', 'rule:expression') };
}

function chosen(next: string, speakers: readonly string[], reason: string, decidedBy: string, by?: string): Decision {
  const rejected = speakers.filter(name => name !== next).map(option => ({ option, code: 'notNext', reason }));
  return { chosen: next, options: [...speakers], rejected, reason, decidedBy, ...attributed(by) };
}

/** Somebody whom a person named, and who is no speaker, was rejected too. */
function withNamed(decision: Decision, named: string | undefined): Decision {
  const { options = [], rejected = [] } = decision;
  if (named === undefined || options.includes(named)) return decision;
  const reason = 'A person named who is no speaker.';
  return { ...decision, rejected: [...rejected, { option: named, code: 'unknownSpeaker', reason }] };
}

/** A handler cannot say that a human decided: the log knows who sent the signal or answered. */
function attributed(by: string | undefined): Pick<Decision, 'attributes'> {
  return by === undefined ? {} : { attributes: { by } };
}

function unknownSpeaker(name: string, speakers: readonly string[]): Error {
  const error = new SignalboxError('UnknownSpeaker', `"${name}" is to speak next, and is no speaker.`, {
    hint: `Speakers are ${speakers.join(', ')}.`,
    details: { speaker: name, speakers: [...speakers] },
  });
  return permanent(error);
}
