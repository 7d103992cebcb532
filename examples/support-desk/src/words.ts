import type { Language } from '@signalbox/example-shared';

interface ReplyWords {
  answered(hit: { readonly question: string; readonly answer: string }): string;
  ticket(ticket: { readonly id: string; readonly kind: string; readonly detail: string }): string;
  handedOver(queue: string): string;
  readonly noTicket: string;
  readonly nobodyInTime: string;
  readonly closed: string;
}

/** What led to the question. */
export interface WhyAsked {
  readonly intent: string;
  readonly confidence: number;
  /** The classifier was sure enough. */
  readonly sure: boolean;
  /** The FAQ was searched. */
  readonly searched: boolean;
  /** How the ticket could not be stored; empty when nothing failed. */
  readonly problem: string;
}

export interface Words {
  readonly reply: ReplyWords;
  readonly heading: { readonly reply: string; readonly trail: string; readonly why: string; readonly unshown: string };
  readonly ask: {
    readonly message: string;
    readonly emptyMessage: string;
    readonly reason: string;
    readonly proposed: string;
    readonly until: string;
    readonly assigned: string;
    readonly fill: string;
    readonly required: string;
    readonly howTo: string;
    readonly navigation: string;
    readonly later: string;
    readonly kept: string;
    readonly refused: string;
    open(count: number): string;
    readonly now: string;
    readonly yes: string;
    readonly no: string;
    readonly which: string;
  };
  readonly notice: {
    readonly interrupted: string;
    readonly sameMessage: string;
    readonly noAnswerNeeded: string;
    readonly inputNotRead: string;
    ended(status: string, error: string): string;
  };
  /** Field labels and option labels of the form, intents: by their name in the graph. */
  readonly names: Readonly<Record<string, string>>;
  /** Texts of the graph by what they are in `support-desk.yaml`; what is not here stays as it is. */
  readonly texts: Readonly<Record<string, string>>;
  /** Why a person is asked. */
  why(facts: WhyAsked): string;
  /** Stands between a name and what it is. */
  readonly colon: string;
}

const percent = (share: number) => `${Math.round(share * 100)}%`;

const EN: Words = {
  reply: {
    answered: ({ question, answer }) => `“${question}” ${answer}`,
    ticket: ({ id, kind, detail }) =>
      `We have stored your ${EN.names[kind] ?? kind} (“${detail}”) as ticket ${id}; a colleague will see to it.`,
    handedOver: queue =>
      `We have passed your message on to ${EN.names[queue] ?? queue}; a colleague will write to you.`,
    noTicket: 'We could not store your request as a ticket just now.',
    nobodyInTime: 'Nobody could look at your message in time. We are sorry; please write to us again.',
    closed: 'A colleague has read your message and closed the case.',
  },
  heading: { reply: 'Reply', trail: 'Trail', why: 'Why', unshown: 'A reply that was not shown yet' },
  ask: {
    message: 'Message',
    emptyMessage: 'Write what it is about.',
    reason: 'Asked because',
    proposed: 'proposed',
    until: 'Until',
    assigned: 'Asked of',
    fill: 'Fields',
    required: 'required',
    howTo: 'Answer it with',
    navigation: '(arrow keys to move, Enter to choose)',
    later: 'Not now',
    kept: 'The question stays open. Start again to answer it.',
    refused: 'This answer was refused',
    open: count => (count === 1 ? '1 question is open' : `${count} questions are open`),
    now: 'Answer it now?',
    yes: 'Yes',
    no: 'No',
    which: 'Which one do you answer now?',
  },
  notice: {
    interrupted: 'A case was interrupted; it goes on where it was.',
    sameMessage: 'That is the message of this case, so nothing is done again.',
    noAnswerNeeded: 'Nothing was asked, so --answer was not needed.',
    inputNotRead: 'Standard input was not read. To have a new message taken: npm start -- "…"',
    ended: (status, error) => `The case has ${status}${error === '' ? '.' : `: ${error}`}`,
  },
  names: {
    queue: 'Queue',
    note: 'Note',
    oncall: 'the on-call team',
    billing: 'the billing team',
    faq: 'question',
    refund: 'refund request',
    create_order: 'order',
    complaint: 'complaint',
    unknown: 'message of no known kind',
  },
  texts: {},
  why: ({ intent, confidence, sure, searched, problem }) => {
    if (problem !== '') return `the ticket could not be stored (${problem})`;
    if (searched) return 'the FAQ has no answer';
    const taken = `taken for: ${EN.names[intent] ?? intent}, ${percent(confidence)} sure`;
    return sure ? `a person always decides on this (${taken})` : `the classifier is not sure enough (${taken})`;
  },
  colon: ': ',
};

const ZH: Words = {
  reply: {
    answered: ({ question, answer }) => `“${question}”${answer}`,
    ticket: ({ id, kind, detail }) =>
      `您的${ZH.names[kind] ?? kind}（“${detail}”）已登记为工单 ${id}，我们的同事会尽快处理。`,
    handedOver: queue => `您的留言已转交${ZH.names[queue] ?? queue}，会有同事与您联系。`,
    noTicket: '您的请求暂时无法登记为工单。',
    nobodyInTime: '很抱歉，未能及时有人处理您的留言，请再次联系我们。',
    closed: '同事已阅读您的留言，并关闭了此事。',
  },
  heading: { reply: '答复', trail: '路径', why: '原因', unshown: '尚未显示过的答复' },
  ask: {
    message: '留言',
    emptyMessage: '请写明您的问题。',
    reason: '询问原因',
    proposed: '建议',
    until: '截止',
    assigned: '应由谁答复',
    fill: '填写项',
    required: '必填',
    howTo: '答复方式',
    navigation: '（方向键移动，回车选择）',
    later: '以后再说',
    kept: '此问题仍待答复，再次启动即可继续。',
    refused: '这个答复未被接受',
    open: count => `有 ${count} 个问题待答复`,
    now: '现在答复吗？',
    yes: '是',
    no: '否',
    which: '现在答复哪一个？',
  },
  notice: {
    interrupted: '有一件事曾被中断，现在从中断处继续。',
    sameMessage: '这正是此事的留言，不会重复处理。',
    noAnswerNeeded: '没有需要答复的问题，--answer 未使用。',
    inputNotRead: '未读取标准输入。要提交新的留言，请用：npm start -- "…"',
    ended: (status, error) => `此事状态：${status}${error === '' ? '' : `（${error}）`}`,
  },
  names: {
    queue: '队列',
    note: '备注',
    oncall: '值班组',
    billing: '账务组',
    faq: '常见问题',
    refund: '退款申请',
    create_order: '订单',
    complaint: '投诉',
    unknown: '未知类型',
  },
  texts: {
    'the classifier is not sure enough': '分类器把握不足',
    'refunds and orders become tickets': '退款和订单登记为工单',
    'the FAQ may answer it': '常见问题里可能有答案',
    'complaints and unknown intents go to a person': '投诉和未知意图交由人处理',
    'the FAQ has an answer': '常见问题里有答案',
    'the FAQ has no answer': '常见问题里没有答案',
    'the ticket is stored': '工单已登记',
    'the ticket could not be stored': '工单未能登记',
    'a person took the case to a queue': '已由人转入队列',
    'a person closed the case': '已由人关闭',
    'nobody answered in time': '无人及时答复',
  },
  why: ({ intent, confidence, sure, searched, problem }) => {
    if (problem !== '') return `工单未能登记（${problem}）`;
    if (searched) return '常见问题里没有答案';
    const taken = `判断为${ZH.names[intent] ?? intent}，把握 ${percent(confidence)}`;
    return sure ? `此类留言一律由人决定（${taken}）` : `分类器把握不足（${taken}）`;
  },
  colon: '：',
};

export function words(lang: Language): Words {
  return lang === 'zh' ? ZH : EN;
}
