import type { GraphLimits, LimitDeadline, LimitQuestion, NodeLimits, OnReached } from '@signalbox/kernel';
import { present } from './present.ts';

/** Who is asked at a limit, in what words, and for how long; what it does not say, the engine words. */
export interface AskAtLimit {
  readonly title?: string;
  readonly message?: string;
  /** `user:finn`, `role:ops`; nobody named: anybody entitled. */
  readonly assign?: string | readonly string[];
  readonly deadline?: Omit<LimitDeadline, 'to'> & { readonly to?: string | readonly string[] };
}

type Asking<Limits> = Omit<Limits, 'onReached'> & {
  /** What a limit that is reached comes to where no `on: limit` route is: `fail` (default), or a person is asked. */
  readonly onReached?: 'fail' | 'ask' | { readonly ask: AskAtLimit };
};

export type GraphLimitOptions = Asking<GraphLimits>;
export type NodeLimitOptions = Asking<NodeLimits>;

export function limitsOf<Limits extends GraphLimitOptions | NodeLimitOptions>(
  limits: Limits | undefined,
): (Omit<Limits, 'onReached'> & { readonly onReached?: OnReached }) | undefined {
  if (limits === undefined) return undefined;
  const { onReached, ...rest } = limits;
  if (typeof onReached !== 'object') return limits as Omit<Limits, 'onReached'> & { readonly onReached?: OnReached };
  const { assign, deadline, ...words } = onReached.ask;
  const ask: LimitQuestion = present({
    ...words,
    assignees: listOf(assign),
    deadline: deadline && present({ ...deadline, to: listOf(deadline.to) }),
  });
  return { ...rest, onReached: { ask } };
}

function listOf(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}
