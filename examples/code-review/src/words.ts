import type { ConversationOutput, EndCode } from 'signalbox';
import type { Language } from './review.ts';

interface Words {
  readonly scripted: string;
  readonly real: (model: string) => string;
  readonly stepIn: string;
  readonly asked: (run: string) => string;
  readonly ended: Readonly<Record<EndCode, string>>;
  readonly reason: (end: ConversationOutput) => string;
  readonly look: (run: string) => string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    scripted: 'Scripted reviewers: no model is called. OPENAI_API_KEY or ANTHROPIC_API_KEY brings real ones.',
    real: model => `Reviewers: ${model}`,
    stepIn: 'Type a line and Enter to step in; "end" ends it.',
    asked: run => `A person is asked: npx signalbox answer ${run} --values '{"say":"…"}' (in examples/code-review)`,
    ended: {
      person: 'Ended by a person',
      until: 'Both approve',
      agreementLoop: 'Stopped: they only agree',
      repeated: 'Stopped: they repeat themselves',
      noProgress: 'Stopped: nothing new',
      turnLimit: 'Stopped: too many turns',
    },
    reason: end => end.reason,
    look: run => `Why: npx signalbox why ${run} (in examples/code-review)`,
  },
  zh: {
    scripted: '脚本评审：不调用任何模型。设置 OPENAI_API_KEY 或 ANTHROPIC_API_KEY 后使用真实模型。',
    real: model => `评审：${model}`,
    stepIn: '输入一行并回车即可介入；“end”结束。',
    asked: run => `等待人的介入：npx signalbox answer ${run} --values '{"say":"…"}'（在 examples/code-review 中）`,
    ended: {
      person: '由人结束',
      until: '双方都批准',
      agreementLoop: '已停止：只在互相附和',
      repeated: '已停止：在重复自己',
      noProgress: '已停止：没有新内容',
      turnLimit: '已停止：轮数太多',
    },
    reason: ({ code, reason, evidence }) => (code === 'person' ? reason : `见第 ${evidence.join('、')} 轮。`),
    look: run => `原因：npx signalbox why ${run}（在 examples/code-review 中）`,
  },
};
