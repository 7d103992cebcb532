import { companion } from '../companion-builder.ts';
import { remarksIn } from '../known-answers.ts';
import { type Emotion, MOODS } from '../read-emotion.ts';

/** For how long a remark tells of a mood. */
const FRESH_MS = 3_600_000;

/** How the user feels, by the message and by what was remarked in answers. */
export function emotionNode(emotionOf: (text: string) => Emotion) {
  return companion.step(ctx => {
    const { mood, words } = emotionOf([ctx.input.message, ...remarksIn(ctx.answers, ctx.now() - FRESH_MS)].join('\n'));
    const reason = words.length === 0 ? 'no word of the lexicon' : words.join(', ');
    ctx.decide('mood', { chosen: mood, options: [...MOODS], decidedBy: 'rule:lexicon', reason });
    ctx.update({ mood });
    return { mood };
  });
}
