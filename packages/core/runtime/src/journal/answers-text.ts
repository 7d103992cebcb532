import type { Action, GivenAnswer, JsonValue, Principal, ShownValue } from '@signalbox/kernel';

export type Language = 'en' | 'zh';

interface Words {
  readonly heading: string;
  readonly actions: Readonly<Record<Action, string>>;
  /** `approve by "user:finn" at …`. */
  line(action: string, by: string, at: string): string;
  readonly note: string;
  readonly list: string;
  bracketed(text: string): string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    heading: 'Confirmed answers (established; do not ask again):',
    actions: { approve: 'approve', edit: 'edit', reject: 'reject', cancel: 'cancel' },
    line: (action, by, at) => `: ${action} by ${by} at ${at}`,
    note: 'note',
    list: ', ',
    bracketed: text => ` (${text})`,
  },
  zh: {
    heading: '已确认的答复（已成定论，不要再问）：',
    actions: { approve: '同意', edit: '修改后同意', reject: '拒绝', cancel: '取消' },
    line: (action, by, at) => `：${action}，答复人 ${by}，时间 ${at}`,
    note: '备注',
    list: '、',
    bracketed: text => `（${text}）`,
  },
};

/**
 * What a reader may not see, or take for a line end: format and private characters, which can hide text from people and
 * show it to a model. Joiners stay, for they are part of words and signs.
 */
const HIDDEN = /(?![\u200c\u200d])[\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

/** As JSON on one line. */
function quoted(value: JsonValue): string {
  return JSON.stringify(value).replace(HIDDEN, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function nameText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function byText({ kind, id, onBehalfOf }: Principal): string {
  return onBehalfOf === undefined ? `${kind}:${id}` : `${kind}:${id} for ${onBehalfOf}`;
}

/**
 * Established answers as a block of text for a prompt, with the labels and units that were shown, the action, by whom and when. All that
 * people typed or could have chosen, their names included, stands as JSON text, so that nothing in it can pass for an
 * instruction or for the end of the block.
 */
export function answersText(answers: readonly GivenAnswer[], options: { readonly language?: Language } = {}): string {
  if (answers.length === 0) return '';
  const words = WORDS[options.language ?? 'en'];
  return [words.heading, ...answers.flatMap(answer => answerLines(answer, words))].join('\n');
}

function answerLines(answer: GivenAnswer, words: Words): string[] {
  const { action, actionLabel, by, endorsedBy = [by], at, values = {}, note, shown = {} } = answer;
  const label = actionLabel === undefined ? '' : words.bracketed(quoted(actionLabel));
  const who = endorsedBy.map(principal => quoted(byText(principal))).join(words.list);
  return [
    `- ${quoted(answer.title)}${words.line(`${words.actions[action]}${label}`, who, at)}`,
    ...Object.entries(values).map(([name, value]) => `  ${valueText(name, value, shown[name] ?? {}, words)}`),
    ...(note === undefined ? [] : [`  ${words.note} = ${quoted(note)}`]),
  ];
}

/** `hours ("Hours a week") = 3 "h"`, `genre ("Genre") = "jazz" ("Jazz, modern")`. */
function valueText(name: string, value: JsonValue, { label, unit, options }: ShownValue, words: Words): string {
  const what = label === undefined ? '' : words.bracketed(quoted(label));
  const measure = unit === undefined ? '' : ` ${quoted(unit)}`;
  const chosen = options === undefined ? '' : words.bracketed(options.map(option => quoted(option)).join(words.list));
  return `${nameText(name)}${what} = ${quoted(value)}${measure}${chosen}`;
}
