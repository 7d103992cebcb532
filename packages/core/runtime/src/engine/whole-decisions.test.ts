import type { Commit } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { wholeDecisions } from './whole-decisions.ts';

function commit(firstSeq: number, ...types: string[]): Commit {
  const events = types.map(type => ({ type, data: {} }));
  return { stream: 'run_1', firstSeq, at: '2026-01-01T00:00:00.000Z', actor: { kind: 'system', id: 'x' }, events };
}

const LOG = [
  commit(1, 'run.started', 'run.claimed', 'node.started'),
  commit(
    4,
    'node.succeeded',
    'state.changed',
    'route.decided',
    'node.started',
    'node.succeeded',
    'route.decided',
    'node.started',
  ),
];

describe('the point at which a run is cut', () => {
  it.each([
    ['the end of a commit is a point', 3, 3],
    ['between a success and its write lies none: it falls on the commit before', 4, 3],
    ['between a write and its route lies none either', 5, 3],
    ['right before a node starts is one', 6, 6],
    ['right after it started, before that decision', 7, 6],
    ['the last event of all is one', 10, 10],
    ['a run that has only begun is one', 1, 1],
  ])('%s', (_, wished, point) => {
    expect(wholeDecisions(LOG, wished)).toBe(point);
  });
});
