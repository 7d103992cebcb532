import { hasKey, isJsonObject, type JsonValue } from '@signalbox/kernel';
import type { NodeTypeContext } from '../builder/context.ts';
import type { AskRequest } from '../builder/request.ts';
import type { ModeratorSettings } from './moderator-settings.ts';
import { PERSON, type Turn } from './turn.ts';

/** What came from outside between two turns. */
export interface PersonWord {
  readonly said: readonly Turn[];
  /** Who is to speak next. */
  readonly next?: string;
  /** Why it ends here, where it does. */
  readonly end?: string;
  /** Who answered, such as `user:finn`; of a signal the log alone knows. */
  readonly by?: string;
}

type Context = NodeTypeContext<ModeratorSettings>;

const END = 'A person ended the conversation.';

/** What a signal or an answer says, before it has a place among the turns. */
export interface Word {
  readonly content?: JsonValue;
  readonly next?: string;
  readonly end?: string;
  readonly by?: string;
}

/** Everything that was sent since the last turn, in order, up to where it ends the conversation. */
export async function hearSignals(context: Context): Promise<readonly Word[]> {
  const words: Word[] = [];
  const { signal = 'speak', pause = '0s' } = context.with.person ?? {};
  for (let open = pause; words.at(-1)?.end === undefined; open = '0s') {
    const heard = await context.first({ person: { signal }, nobody: { for: open } });
    if (heard.winner === 'nobody') break;
    words.push(wordOf(heard.value));
  }
  return words;
}

/** Gives words their places behind the turns before. */
export function inOrder(words: readonly Word[], before: readonly Turn[]): PersonWord {
  const said = words
    .flatMap(({ content }) => (content === undefined ? [] : [content]))
    .map((content, index): Turn => ({ turn: before.length + index + 1, speaker: PERSON, content }));
  const next = words.findLast(word => word.next !== undefined)?.next;
  const last = words.at(-1);
  return {
    said,
    ...(last?.by === undefined ? {} : { by: last.by }),
    ...(next === undefined ? {} : { next }),
    ...(last?.end === undefined ? {} : { end: last.end }),
  };
}

/** Whatever is sent is heard: `{ content, next, end }`, each if it is there, or anything else as what is said. */
function wordOf(value: JsonValue): Word {
  if (!isJsonObject(value) || !Object.keys(value).every(key => ['content', 'next', 'end'].includes(key)))
    return { content: value };
  const { content, next, end } = value;
  return {
    ...(hasKey(value, 'content') ? { content: content! } : {}),
    ...(typeof next === 'string' ? { next } : {}),
    ...(end === true ? { end: END } : typeof end === 'string' ? { end } : {}),
  };
}

export async function askPerson({ ask, with: settings }: Context, before: readonly Turn[]): Promise<Word> {
  const { action, values, note, by } = await ask('person', questionOf(settings, before));
  const who = { by: `${by.kind}:${by.id}` };
  if (action !== 'approve' && action !== 'edit') return { ...who, end: note ?? END };
  const { say, next } = values;
  return {
    ...who,
    ...(typeof say === 'string' && say !== '' ? { content: say } : {}),
    ...(typeof next === 'string' ? { next } : {}),
  };
}

function questionOf({ speakers, person = {} }: ModeratorSettings, before: readonly Turn[]): AskRequest {
  const { title = 'Step in?', assign } = person;
  return {
    title,
    purpose: 'what is said is heard by all speakers',
    fields: [
      { name: 'say', type: 'textarea', label: 'Say' },
      { name: 'next', type: 'select', label: 'Next', options: [...speakers] },
    ],
    actions: { approve: 'Go on', reject: 'End it' },
    context: { turns: before.slice(-4) },
    ...(assign === undefined ? {} : { assign }),
  };
}
