import type { Fault } from '../../error/fault.ts';
import { isJsonObject } from '../../json/value.ts';
import type { GraphLimits, LimitDeadline, LimitQuestion, NodeLimits } from '../definition.ts';
import { budget } from './budget-shape.ts';
import { errorAt } from './fault.ts';
import { count, duration, eitherOf, filledText, listOf, objectOf, oneOf, type Read, required } from './read.ts';
import { assignee } from './request-shape.ts';

type Shape<Whole> = { readonly [Key in keyof Required<Whole>]: Read };

const onlyFalse: Read = (value, pointer, faults: Fault[]) => {
  if (value === false) return false;
  faults.push(errorAt(pointer, 'WrongType', 'Write a number, or false to switch it off.'));
  return undefined;
};

const question: Shape<LimitQuestion> = {
  title: filledText,
  message: filledText,
  assignees: listOf(assignee),
  deadline: objectOf('The deadline of a question at a limit', {
    after: required(duration, '1d'),
    onExpire: oneOf('way for this deadline to end', ['fail', 'escalate']),
    to: listOf(assignee),
  } satisfies { [Key in keyof Required<LimitDeadline>]: unknown }),
};

const asking = objectOf('`onReached`', { ask: required(objectOf('A question at a limit', question), {}) });

const onReached = eitherOf(value => (isJsonObject(value) ? asking : oneOf('end of a limit', ['fail', 'ask'])));

const ofGraph: Shape<GraphLimits> = {
  maxSteps: count(1),
  maxVisits: count(1),
  maxSuccessive: count(1),
  timeout: duration,
  noProgress: eitherOf(value => (typeof value === 'boolean' ? onlyFalse : count(2))),
  maxChain: count(1),
  budget,
  onReached,
};

const ofNode: Shape<NodeLimits> = { maxVisits: count(1), maxSuccessive: count(1), budget, onReached };

export const graphLimits = objectOf('Limits of a graph', ofGraph);
export const nodeLimits = objectOf('Limits of a node', ofNode);
