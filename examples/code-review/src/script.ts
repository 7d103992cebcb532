import type { Language, Reviewer } from './review.ts';

/** What a scripted reviewer says: its circle for ever, and behind a word of a person its assent for ever. */
interface Script {
  readonly circle: readonly string[];
  readonly assent: readonly string[];
}

/** Not a model: sentences written for this example. */
export const SCRIPTS: Readonly<Record<Language, Readonly<Record<Reviewer, Script>>>> = {
  en: {
    ada: {
      circle: [
        'The loop swallows the last error: rethrow it behind the last attempt.',
        'Wrapping hides where it came from. Rethrow the last error as it is.',
      ],
      assent: ['I agree.', 'Yes, exactly. Thank you!', 'Right, good point.'],
    },
    bob: {
      circle: [
        'Rethrowing shows the driver to every caller: wrap the error in one of ours.',
        'An error of the driver is no contract. Wrap it in one of ours.',
      ],
      assent: ['Sounds good, I agree.', 'Absolutely, thanks Ada.', 'Yes, agreed.'],
    },
  },
  zh: {
    ada: {
      circle: ['循环吞掉了最后一个错误：最后一次尝试后应原样抛出。', '包装会掩盖错误的来源。应原样抛出最后一个错误。'],
      assent: ['我同意。', '没错，谢谢！', '是的，说得对。'],
    },
    bob: {
      circle: [
        '原样抛出会向每个调用者暴露驱动：应包装成我们自己的错误。',
        '驱动的错误不是契约。应包装成我们自己的错误。',
      ],
      assent: ['好的，我完全同意。', '确实，有道理。', '对，赞成。'],
    },
  },
};
