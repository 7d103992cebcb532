import { isHan, normalized } from './wording.ts';

/**
 * What agrees, in English and Chinese. Longer phrases stand for themselves: "no problem" agrees, and "no" alone does not.
 * A Chinese phrase of one character counts only where it is all that stands between two marks.
 */
const PHRASES = {
  en: [
    'could not agree more',
    'couldnt agree more',
    'cannot agree more',
    'cant agree more',
    'looks good to me',
    'no objections',
    'no objection',
    'no problem',
    'looks good',
    'sounds good',
    'makes sense',
    'well said',
    'good point',
    'great point',
    'fair point',
    'same here',
    'of course',
    'thank you',
    'agreed',
    'agrees',
    'agree',
    'concur',
    'exactly',
    'absolutely',
    'indeed',
    'correct',
    'right',
    'thanks',
    'lgtm',
    'okay',
    'fine',
    'sure',
    'yeah',
    'yes',
    'ok',
  ],
  zh: [
    '没有异议',
    '没有意见',
    '正是如此',
    '没问题',
    '没意见',
    '没异议',
    '有道理',
    '说得对',
    '说得好',
    '说的对',
    '同意',
    '赞成',
    '赞同',
    '认同',
    '没错',
    '不错',
    '对的',
    '是的',
    '好的',
    '可以',
    '确实',
    '当然',
    '支持',
    '谢谢',
    '对',
    '好',
    '嗯',
    '行',
  ],
} as const;

/** What takes an agreement back, asks, or sets a condition. */
const RESERVATIONS = {
  en: /\b(?:not|no|never|none|nor|dont|doesnt|didnt|isnt|arent|wont|cannot|cant|shouldnt|but|however|though|although|except|unless|instead|disagree|why|how|if)\b/,
  zh: /[不没无非未别但却吗]|可是|然而|只是|如果|除了/,
};

/** Words that say nothing by themselves. */
const FILLERS = new Set(
  (
    'i we you he she they it this that these those the a an and so as with of to for on in is are was be am do did have has been ' +
    'my our your us me there here just very really quite too also both all what will would can let lets well now then ' +
    'fully totally completely entirely wholly strongly great good nice excellent idea point'
  ).split(' '),
);
const FILLERS_ZH =
  /完全|非常|十分|大家|觉得|认为|观点|说法|想法|[我你您他她它们咱这那的地得了吧呢啊呀嘛很都就也还太真]/gu;

/**
 * What remains of a text when its agreement is taken out, as a normalized text without fillers; undefined where it does not agree,
 * or not without reservation.
 */
export function besidesAgreement(text: string): string | undefined {
  const whole = normalized(text);
  if (text.normalize('NFKC').includes('?')) return undefined;
  const rest = withoutPhrases(whole);
  if (rest === whole) return undefined;
  const besides = withoutFillers(rest);
  return RESERVATIONS.en.test(besides) || RESERVATIONS.zh.test(besides) ? undefined : besides;
}

/** A normalized text without what says nothing by itself. */
export function withoutFillers(text: string): string {
  return text
    .replaceAll(FILLERS_ZH, ' ')
    .split(' ')
    .filter(word => word !== '' && !FILLERS.has(word))
    .join(' ');
}

function withoutPhrases(text: string): string {
  return text.replaceAll(EN, ' ').split(' ').map(withoutChinese).join(' ').replaceAll(/ +/g, ' ').trim();
}

const EN = new RegExp(`(?<![\\p{L}\\p{N}])(?:${PHRASES.en.join('|')})(?![\\p{L}\\p{N}])`, 'gu');
const LONG_ZH = PHRASES.zh.filter(phrase => phrase.length > 1);
const ZH = new RegExp(LONG_ZH.join('|'), 'gu');

function withoutChinese(word: string): string {
  if (!isHan(word)) return word;
  return (PHRASES.zh as readonly string[]).includes(word) ? '' : word.replaceAll(ZH, ' ');
}
