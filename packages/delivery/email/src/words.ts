import type { Action } from '@signalbox/kernel';
import type { DeliveryType } from '@signalbox/ports';

/** What a mail says of its own, beside what the request says. */
export interface Words {
  readonly subject: Readonly<Record<DeliveryType, (title: string) => string>>;
  readonly lead: Readonly<Record<DeliveryType, string>>;
  readonly summary: string;
  readonly purpose: string;
  readonly asked: string;
  readonly proposal: string;
  readonly assignees: string;
  readonly deadline: string;
  readonly decided: (action: string, by: string) => string;
  readonly actions: Readonly<Record<Action, string>>;
  /** In front of the link. */
  readonly open: string;
  readonly look: string;
  /** Why opening the link is safe. */
  readonly safe: string;
  readonly yes: string;
  readonly no: string;
}

export type Language = 'en' | 'zh';

const EN: Words = {
  subject: {
    'request.opened': title => `Your decision is needed: ${title}`,
    'request.reminded': title => `Reminder: ${title}`,
    'request.escalated': title => `Escalated to you: ${title}`,
    'request.answered': title => `Decided: ${title}`,
    'request.expired': title => `Expired: ${title}`,
    'request.withdrawn': title => `No longer needed: ${title}`,
  },
  lead: {
    'request.opened': 'A decision is needed:',
    'request.reminded': 'A decision is still needed:',
    'request.escalated': 'A decision is needed, and is now asked of you:',
    'request.answered': 'This was decided:',
    'request.expired': 'The deadline of this request has passed:',
    'request.withdrawn': 'This decision is no longer needed:',
  },
  summary: 'What it is about',
  purpose: 'What the answer is used for',
  asked: 'What is asked',
  proposal: 'Proposed',
  assignees: 'Asked of',
  deadline: 'Answer by',
  decided: (action, by) => `${action}, by ${by}`,
  actions: { approve: 'Approved', edit: 'Approved with changes', reject: 'Rejected', cancel: 'Cancelled' },
  open: 'Read and answer it here:',
  look: 'See it here:',
  safe: 'Opening the link decides nothing.',
  yes: 'yes',
  no: 'no',
};

const ZH: Words = {
  subject: {
    'request.opened': title => `需要您的决定：${title}`,
    'request.reminded': title => `提醒：${title}`,
    'request.escalated': title => `已升级给您：${title}`,
    'request.answered': title => `已决定：${title}`,
    'request.expired': title => `已过期：${title}`,
    'request.withdrawn': title => `不再需要：${title}`,
  },
  lead: {
    'request.opened': '有一项决定需要作出：',
    'request.reminded': '有一项决定仍在等待：',
    'request.escalated': '有一项决定需要作出，现转由您处理：',
    'request.answered': '以下事项已有决定：',
    'request.expired': '以下请求已超过截止时间：',
    'request.withdrawn': '以下决定不再需要：',
  },
  summary: '事由',
  purpose: '答复的用途',
  asked: '需要填写',
  proposal: '建议',
  assignees: '处理人',
  deadline: '截止时间',
  decided: (action, by) => `${action}，由 ${by} 作出`,
  actions: { approve: '已批准', edit: '修改后批准', reject: '已拒绝', cancel: '已取消' },
  open: '请在此查看并答复：',
  look: '在此查看：',
  safe: '打开链接不会作出任何决定。',
  yes: '是',
  no: '否',
};

export const WORDS: Readonly<Record<Language, Words>> = { en: EN, zh: ZH };
