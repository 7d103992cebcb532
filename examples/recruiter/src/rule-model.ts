import { type Language, languageOf } from '@signalbox/example-shared';
import type { ModelCallOptions, ModelMessage, ModelReply, ModelRequest } from 'signalbox';
import { candidateIdsIn, type createUnderstanding, salaryIn } from './understand.ts';

/** What replies name as their model where no language model is at work. */
export const RULES = 'rules/recruiter';

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

interface Situation {
  readonly message: string;
  readonly result: ToolMessage | undefined;
  readonly offered: ReadonlySet<string>;
  readonly say: (en: string, zh: string) => string;
}

type Turn = string | { readonly tool: string; readonly args: object };

/**
 * Stands where a language model would, and is none: a small classifier says what a message wants, rules say what follows.
 * It fills the same port, so that contract, gate and approvals are the same with it and with a language model.
 */
export class RuleModel {
  readonly #understand: ReturnType<typeof createUnderstanding>;

  constructor(understand: ReturnType<typeof createUnderstanding>) {
    this.#understand = understand;
  }

  async call({ system = '', messages, tools = [] }: ModelRequest, { signal }: ModelCallOptions): Promise<ModelReply> {
    signal.throwIfAborted();
    const message = messages.flatMap(each => (each.role === 'user' ? [each.text] : [])).at(-1) ?? '';
    const last = messages.at(-1);
    const isFormal = system.includes('formal, careful tone');
    const turn = this.#turn({
      message,
      result: last?.role === 'tool' ? last : undefined,
      offered: new Set(tools.map(({ name }) => name)),
      say: speaker(languageOf(message), isFormal),
    });
    const common = { usage: { input: 0, output: 0 }, model: RULES, attempts: 1 };
    if (typeof turn === 'string') return { ...common, text: turn, calls: [], finish: 'stop' };
    const call = { id: `call_${messages.length}`, tool: turn.tool, arguments: JSON.stringify(turn.args) };
    return { ...common, text: '', calls: [call], finish: 'tools' };
  }

  #turn(situation: Situation): Turn {
    const { message, say } = situation;
    switch (this.#understand(message).intent) {
      case 'lookup':
        return lookUp(situation);
      case 'offer':
        return offer(situation);
      case 'negotiate':
        return say('The offer is being negotiated now.', '已进入谈薪阶段。');
      case 'complaint':
        return say('I am sorry about that.', '非常抱歉。');
      case 'other':
        return say(
          'I look up candidates and send offer letters. Name an id such as cand_a1b2c3d4.',
          '我可以查询候选人、发录用通知书。请给出编号，例如 cand_a1b2c3d4。',
        );
    }
  }
}

function lookUp({ message, result, say }: Situation): Turn {
  const [id] = candidateIdsIn(message);
  if (id === undefined) return say('Which candidate? Name an id.', '请问是哪位候选人？请给出编号。');
  if (result === undefined) return { tool: 'get_candidate_info', args: { candidate_id: id } };
  const found = result.failed ? undefined : candidateIn(result);
  if (found === undefined) return say(`There is no record of ${id}.`, `没有 ${id} 的资料。`);
  const { name, years_experience: years } = found;
  return say(`${name}: ${years} years of experience.`, `${name}：${years} 年经验。`);
}

function candidateIn({ result }: ToolMessage): { name: string; years_experience: number } | undefined {
  return (typeof result === 'string' ? JSON.parse(result) : result) ?? undefined;
}

function offer({ message, result, offered, say }: Situation): Turn {
  if (result !== undefined)
    return result.failed
      ? say('The offer letter was not sent.', '录用通知书没有发出。')
      : say('The offer letter is sent.', '录用通知书已发出。');
  if (!offered.has('send_offer_letter'))
    return say(
      'An offer letter is possible only once the offer is being negotiated.',
      '进入谈薪阶段之后才能发录用通知书。',
    );
  const [candidate] = candidateIdsIn(message);
  const salary = salaryIn(message);
  if (candidate === undefined || salary === undefined)
    return say('To whom, and at which yearly salary?', '发给谁？年薪多少？');
  return { tool: 'send_offer_letter', args: { candidate_id: candidate, annual_salary: salary } };
}

function speaker(language: Language, isFormal: boolean): Situation['say'] {
  return (en, zh) => {
    if (language === 'zh') return isFormal ? `尊敬的用户：${zh}` : zh;
    return isFormal ? `Dear colleague: ${en}` : en;
  };
}
