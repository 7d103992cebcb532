import type { Fault } from '../../error/fault.ts';
import type { OnReached } from '../definition.ts';
import { type Check, eachNode } from './context.ts';
import { errorAt, warningAt } from './fault.ts';

/** `EscalateWithoutTo` of a question at a limit, and `UnusedKey` for people whom nobody will ask. */
export const checkLimitQuestions: Check = context => [
  ...deadlineFaults(context.graph.limits?.onReached, `${context.pointer}/limits/onReached`),
  ...questionsOfNodes(context),
];

const questionsOfNodes: Check = eachNode(({ node, pointer }) =>
  deadlineFaults(node.limits?.onReached, `${pointer}/limits/onReached`),
);

function deadlineFaults(onReached: OnReached | undefined, pointer: string): Fault[] {
  const deadline = typeof onReached === 'object' ? onReached.ask.deadline : undefined;
  if (deadline === undefined) return [];
  const { onExpire, to = [] } = deadline;
  const place = `${pointer}/ask/deadline`;
  if (onExpire === 'escalate' && to.length === 0) {
    const hint = 'List in `to` who is asked next.';
    return [errorAt(place, 'EscalateWithoutTo', 'Nobody is named to whom the question goes on.', hint)];
  }
  if (onExpire === 'escalate' || to.length === 0) return [];
  const message = '`to` has no meaning without `onExpire: escalate`.';
  return [warningAt(`${place}/to`, 'UnusedKey', message, 'It goes with `onExpire: escalate`.')];
}

/** `NoTimeLimit`: what a handler does outside may take for ever, unless the node says how long. */
export const checkTimeLimits: Check = eachNode(({ node, pointer }) => {
  if (node.type !== 'step' || node.timeout !== undefined || node.deadline !== undefined) return [];
  const hint = 'Add a `timeout` such as 30s, the executing time of one attempt.';
  return [warningAt(pointer, 'NoTimeLimit', 'The step has no time limit of its own.', hint)];
});

/** `UnusedKey`: a limit that can never be met, as another is met before. */
export const checkRetryTimes: Check = eachNode(({ node, pointer }) => {
  if (node.retry?.attempts !== 1) return [];
  const others = Object.keys(node.retry).filter(key => key !== 'attempts');
  const message = 'With one attempt nothing is tried again, so this says nothing.';
  return others.map(key =>
    warningAt(`${pointer}/retry/${key}`, 'UnusedKey', message, '`attempts` counts the first one too.'),
  );
});
