import { describe, expect, it } from 'vitest';
import { compileGraph, loadProgram } from './compile.ts';
import type { GraphDefinition } from './definition.ts';

const desk: GraphDefinition = {
  name: 'support-desk',
  entry: 'classify',
  input: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  state: {
    queue: { schema: { type: 'string' } },
    trail: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
  },
  nodes: {
    classify: {
      type: 'step',
      handler: 'intent-classifier',
      with: { labels: ['faq', 'refund', 'create_order', 'complaint'] },
      output: {
        type: 'object',
        required: ['intent', 'confidence'],
        properties: { intent: { type: 'string' }, confidence: { type: 'number' } },
      },
      decides: { point: 'intent', chosen: 'output.intent', confidence: 'output.confidence' },
      timeout: '30s',
    },
    faq: { type: 'step', handler: 'faq-search@2', timeout: '30s' },
    createTicket: {
      type: 'step',
      handler: 'create-ticket',
      retry: { attempts: 3, backoff: '500ms' },
      timeout: '10s',
    },
    handoff: {
      type: 'ask',
      request: {
        kind: 'form',
        title: { cel: "'Who should take: ' + input.message" },
        fields: [
          { name: 'queue', type: 'select', label: 'Queue', required: true, options: ['oncall', 'billing'] },
          { name: 'note', type: 'textarea', label: 'Note' },
        ],
        proposal: { values: { queue: 'oncall' }, confidence: 0.4 },
        deadline: { after: '2h', onExpire: 'escalate', to: ['role:lead'] },
      },
      update: { queue: 'output.values.queue', trail: '[output.action]' },
    },
    reply: { type: 'step', handler: 'compose-reply', timeout: '5s' },
  },
  routes: {
    classify: [
      { to: ['handoff'], when: 'output.confidence < 0.6', because: 'low confidence' },
      { to: ['createTicket'], when: "output.intent in ['refund', 'create_order']" },
      { to: ['faq'], when: "output.intent == 'faq'" },
      { to: ['handoff'], because: 'complaints and unknown intents go to a person' },
    ],
    createTicket: [{ to: ['reply'] }],
    faq: [{ to: ['reply'] }],
    handoff: [{ to: ['reply'] }],
  },
};

describe('compiling a graph', () => {
  const { program, faults } = compileGraph(desk);

  it('gives a program and no fault for the support desk', () => {
    expect(faults).toEqual([]);
    expect(program?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(program?.portable).toBe(true);
    expect(loadProgram(desk).hash).toBe(program!.hash);
  });

  it('fills defaults in and reads times', () => {
    const graph = program!.graphs.get('')!;
    expect(graph.limits).toEqual({
      maxSteps: 200,
      maxVisits: 10,
      maxSuccessive: undefined,
      timeout: undefined,
      noProgress: 3,
      maxChain: 16,
    });
    const ticket = graph.nodes.get('createTicket')!;
    expect(ticket.handler).toEqual({ handler: 'create-ticket@1' });
    expect(graph.nodes.get('faq')!.handler).toEqual({ handler: 'faq-search@2' });
    expect(ticket.timeout).toBe(10_000);
    expect(ticket.retry).toEqual({
      attempts: 3,
      backoff: 500,
      factor: 2,
      maxBackoff: 300_000,
      jitter: 0.2,
      on: undefined,
    });
  });

  it('evaluates guards, updates and the texts of a question', () => {
    const { nodes, state } = program!.graphs.get('')!;
    const guard = nodes.get('classify')!.routes[1]!.when!;
    expect(guard.evaluate({ output: { intent: 'refund', confidence: 0.9 } })).toEqual({ ok: true, value: true });
    const handoff = nodes.get('handoff')!;
    expect(handoff.update!.get('queue')!.evaluate({ output: { values: { queue: 'billing' } } })).toEqual({
      ok: true,
      value: 'billing',
    });
    expect([...handoff.request!.templates.keys()]).toEqual(['title']);
    expect(handoff.request!.templates.get('title')!.fill({ input: { message: 'hi' } })).toEqual({
      ok: true,
      value: 'Who should take: hi',
    });
    expect(handoff.request!.deadlineAfter).toBe(7_200_000);
    expect(handoff.request!.fields.map(field => field.name)).toEqual(['queue', 'note']);
    expect([state.get('queue')!.initial, state.get('trail')!.initial]).toEqual([undefined, []]);
    expect(state.get('trail')!.item!.validate(1).ok).toBe(false);
  });
});
