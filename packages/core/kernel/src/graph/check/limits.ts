import { type Check, eachNode } from './context.ts';
import { warningAt } from './fault.ts';

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
