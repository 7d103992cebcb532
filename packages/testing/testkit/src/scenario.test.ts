import { defineGraph } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answers, fails, signals, start, succeeds, wait } from './moves.ts';
import { scenario } from './scenario.ts';

const desk = defineGraph({
  name: 'desk',
  input: z.object({ message: z.string() }),
  state: z.object({ amount: z.number().optional() }),
});
const graph = desk.build({
  entry: 'triage',
  nodes: {
    triage: desk.step({ output: z.object({ confidence: z.number() }) }, () => ({ confidence: 1 })),
    review: desk.ask({
      title: 'How much?',
      form: z.object({ amount: z.number().max(500) }),
      deadline: { after: '2h', onExpire: 'route' },
      update: { amount: 'output.values.amount' },
    }),
    settle: desk.step(() => null),
    tooLate: desk.step(() => null),
  },
  routes: {
    triage: [{ to: 'review', when: 'output.confidence < 0.6' }, { to: 'settle' }],
    review: [{ to: 'settle', on: ['approve', 'edit'] }, { to: 'tooLate' }],
  },
});
const asked = [start({ message: 'x' }), succeeds('triage', { confidence: 0.4 })];

describe('a scenario', () => {
  it('shows the route that an output takes', () => {
    const triage = scenario(graph).given(start({ message: 'x' }));
    triage
      .when(succeeds('triage', { confidence: 0.9 }))
      .thenRoute('triage', 'settle')
      .thenStatus('running');
    scenario(graph)
      .given(start({ message: 'x' }))
      .when(succeeds('triage', { confidence: 0.5 }))
      .thenRoute('triage', 'review');
  });

  it('compares events by type or by a part of their data, in order', () => {
    const answered = scenario(graph)
      .given(...asked)
      .when(answers('review', { values: { amount: 5 } }));
    answered.thenAmong({ type: 'request.answered', data: { action: 'approve' } }, 'state.changed', {
      type: 'node.started',
      data: { node: 'settle' },
    });
    expect(() => answered.thenAmong('node.started', 'request.answered')).toThrow('Not all of the events are there.');
    expect(() => answered.thenEvents('request.answered')).toThrow('The events are others.');
    answered.thenEvents(...answered.events.map(({ type }) => type));
    expect(() => answered.thenNothing()).toThrow('Something happened.');
  });

  it('shows a refusal by its code, and a command after which nothing happens', () => {
    const refused = scenario(graph)
      .given(...asked)
      .when(answers('review', { values: { amount: 501 } }));
    refused.thenRefused('InvalidAnswer').thenEvents({ type: 'request.refused' });
    expect(() => refused.thenRefused('Other')).toThrow('expected "Other"');
    expect(() => refused.thenNothing()).toThrow();
    scenario(graph)
      .given(...asked)
      .when({ type: 'tick' })
      .thenNothing();
  });

  it('lets time pass, as something given or as what happens', () => {
    const late = [...asked, wait('2h')];
    scenario(graph)
      .given(...late)
      .when(succeeds('tooLate'))
      .thenStatus('completed');
    scenario(graph)
      .given(...asked)
      .when(wait('2h'))
      .thenAmong('request.expired')
      .thenRoute('review', 'tooLate');
    scenario(graph)
      .given(...asked)
      .when(wait(7_199_999))
      .thenNothing();
  });

  it('takes events of a log as what went before', () => {
    const log = scenario(graph).when(start({ message: 'x' })).events;
    scenario(graph)
      .given(...log)
      .when(fails('triage', 'Down'))
      .thenAmong('run.failed')
      .thenStatus('failed');
  });

  it('tells where the run stands when a move does not fit', () => {
    expect(() => scenario(graph).given(...asked, succeeds('settle'))).toThrowError(
      expect.objectContaining({ code: 'UnknownNode', hint: expect.stringContaining('review (node)') }),
    );
    expect(() =>
      scenario(graph)
        .given(...asked)
        .when(answers('triage')),
    ).toThrow('asks nothing');
  });

  it('refuses in what is given throw; a signal nobody waits for is kept', () => {
    expect(() => scenario(graph).given(signals('x'))).toThrowError(expect.objectContaining({ code: 'UnknownRun' }));
    scenario(graph)
      .given(...asked)
      .when(signals('x'))
      .thenEvents('signal.received');
  });
});
