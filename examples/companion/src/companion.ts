import type { IntentClassifier } from '@signalbox/example-shared';
import { companion } from './companion-builder.ts';
import { emotionNode } from './nodes/emotion.ts';
import { intentNode } from './nodes/intent.ts';
import { memoryNode } from './nodes/memory.ts';
import { reasoningNode } from './nodes/reasoning.ts';
import { requestNode } from './nodes/request.ts';
import { sorryNode } from './nodes/sorry.ts';
import { toolsNode } from './nodes/tools.ts';
import type { Emotion } from './read-emotion.ts';
import type { Ledger } from './tools/ledger.ts';
import type { Intent } from './utterance.ts';

/** What the nodes work with. */
export interface CompanionServices {
  readonly classifier: Pick<IntentClassifier<Intent>, 'classify'>;
  readonly emotionOf: (text: string) => Emotion;
  readonly ledger: Ledger;
}

export type CompanionGraph = ReturnType<typeof createCompanion>;

/**
 * intent → emotion → memory → reasoning → (tools | request | end).
 *  1. What is lacking is asked for by `request`, and the answer begins a new pass (`restart`): intent, emotion and memory see it.
 *  2. Whether a tool may do what it is called for is asked by `tools`, which then goes on where it asked (`continue`).
 */
export function createCompanion({ classifier, emotionOf, ledger }: CompanionServices) {
  return companion.build({
    entry: 'intent',
    nodes: {
      intent: intentNode(classifier),
      emotion: emotionNode(emotionOf),
      memory: memoryNode,
      reasoning: reasoningNode,
      tools: toolsNode(ledger),
      request: requestNode,
      sorry: sorryNode,
    },
    routes: {
      intent: [{ to: 'emotion' }],
      emotion: [{ to: 'memory' }],
      memory: [{ to: 'reasoning' }],
      reasoning: [
        { to: 'tools', when: "output.move == 'call'", because: 'something is to be looked up or done' },
        { to: 'request', when: "output.move == 'ask'", because: 'something is lacking' },
        { to: 'end', because: 'the reply is ready' },
      ],
      tools: [
        { to: 'reasoning', because: 'the result is to be judged' },
        { to: 'sorry', on: 'failed', because: 'the tool failed' },
      ],
      request: [{ to: 'end', because: 'the question was not answered' }],
    },
  });
}
