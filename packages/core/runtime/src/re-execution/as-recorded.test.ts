import type { JsonObject } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { asRecorded } from './as-recorded.ts';

const became = (type: string, recorded: JsonObject, now: JsonObject) =>
  asRecorded([{ type, data: recorded }], [{ type, data: now }])[0]!.data;

describe('how long something took, of which begin and end share a commit with other moments', () => {
  it('is as it was recorded where it differs by no more than a moment, and else as it comes out now', () => {
    const spent = (time: number, tokens = 5) => ({ op: 'model#1', amounts: { tokens, time } });
    expect(became('budget.spent', spent(7), spent(6))).toEqual(spent(7));
    expect(became('budget.spent', spent(7), spent(6, 4))).toEqual(spent(7, 4));
    expect(became('budget.spent', spent(7), spent(6_000))).toEqual(spent(6_000));
  });

  it('is as it was recorded where nothing of it is left now', () => {
    expect(became('run.claimed', { term: 2, idle: 1 }, { term: 2 })).toEqual({ term: 2, idle: 1 });
    expect(became('run.claimed', { term: 2, idle: 3_600_000 }, { term: 2 })).toEqual({ term: 2 });
    expect(became('run.claimed', { term: 2 }, { term: 2 })).toEqual({ term: 2 });
  });
});

describe('what is told since a later version', () => {
  it('is nothing that a log of before lacks: the arguments of a tool that is called once', () => {
    const intent = { op: 'pay#1', class: 'once' };
    const request = { arguments: { amount: 5 } };
    expect(became('op.intended', intent, { ...intent, request })).toEqual(intent);
    expect(became('op.intended', { ...intent, request: {} }, { ...intent, request })).toEqual({ ...intent, request });
  });
});
