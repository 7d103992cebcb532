import type { LimitQuestion, OnReached } from './definition.ts';

/** How a person is asked at a limit; undefined where it fails. */
export function limitQuestion(onReached: OnReached | undefined): LimitQuestion | undefined {
  if (onReached === undefined || onReached === 'fail') return undefined;
  return onReached === 'ask' ? {} : onReached.ask;
}
