import { describe, expect, it } from 'vitest';
import type { NodeDefinition } from '../graph/definition.ts';
import { done, graph, Scenario } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const ask: NodeDefinition = { type: 'ask', request: { kind: 'confirmation', title: 'Go on?' } };
const asking = graph({
  nodes: { a: step, b: ask, c: step },
  routes: { a: [{ to: ['b'] }], b: [{ to: ['c'] }] },
});
const session = 'ses_1';
const view = { seq: 3, state: { genre: 'jazz' }, metadata: { channel: 'mail' } };
const admit = { type: 'admit' as const };

const places = (s: Scenario) => s.events.map(({ type }) => type).filter(type => type.startsWith('place.'));

describe('a run that takes turns in its session', () => {
  it('starts nothing before its turn, and says that it waits for it', () => {
    const s = new Scenario(asking).start({}, { session, turns: 'queued' });
    expect(s.started()).toEqual([]);
    expect(s.status).toBe('suspended');
    expect(s.run.suspend?.reason).toBe('session');
    expect(s.run.place).toBe('queued');
    s.act(admit);
    expect(s.started()).toEqual(['a', 'b']);
  });

  it('begins at once where the place is taken with the start', () => {
    const s = new Scenario(asking).start({}, { session, turns: 'taken' });
    expect(s.started()).toEqual(['a', 'b']);
    expect(places(s)).toEqual(['place.taken', 'place.freed']);
  });

  it('frees the place with its question, and its continuation queues', () => {
    const s = new Scenario(asking).start({}, { session, turns: 'taken' });
    expect(s.run.place).toBe('free');
    s.answer('b', { action: 'approve' });
    expect(s.status).toBe('suspended');
    expect(s.run.place).toBe('queued');
    expect(s.started()).toEqual(['a', 'b']);
    s.act(admit);
    expect(s.status).toBe('completed');
    expect(places(s)).toEqual(['place.taken', 'place.freed', 'place.queued', 'place.taken', 'place.freed']);
  });

  it('keeps a handler whose answer has come waiting for its turn', () => {
    const waits = new Scenario(graph({ nodes: { a: step } }), {
      a: ({ task }) =>
        task.execution!.journal.get('signal#1')?.status === 'recorded'
          ? done('woken')
          : {
              ops: [{ type: 'signal', op: 'signal#1', digest: '', name: 'go' }],
              end: { type: 'suspended', ops: ['signal#1'] },
            },
    }).start({}, { session, turns: 'taken' });
    waits.act({ type: 'signal', name: 'go', value: null });
    expect(waits.calls).toHaveLength(1);
    waits.act(admit);
    expect(waits.status).toBe('completed');
  });

  it('a controller who pauses, cancels or retries it moves it in the queue as well', () => {
    const paused = new Scenario(asking).start({}, { session, turns: 'queued' });
    paused.act({ type: 'pause', reason: 'wait' });
    expect(paused.run.place).toBe('free');
    paused.act({ type: 'resume', reason: 'on' });
    expect(paused.run.place).toBe('queued');
    paused.act({ type: 'cancel', reason: 'enough' });
    expect(paused.status).toBe('cancelled');
    expect(paused.run.place).toBe('free');
  });

  it('keeps the place while a handler is at work, even when paused', () => {
    const s = new Scenario(asking, { a: () => 'busy' }).start({}, { session, turns: 'taken' });
    s.act({ type: 'pause', reason: 'wait' });
    expect(s.run.place).toBe('held');
    s.finish('a', done());
    expect(s.run.place).toBe('free');
  });

  it('a fork waits for a turn of its own', () => {
    const s = new Scenario(asking, { a: () => 'busy' }).start({}, { session, turns: 'taken' });
    const child = s.forkAt(s.events.length);
    child.act({ type: 'fork', parent: 'run_1', atSeq: s.events.length, effects: 'ask', reason: 'try' });
    expect(child.run.place).toBe('queued');
    child.act(admit);
    expect(child.calls).toEqual(['a#2']);
  });

  it('an admission that comes too late or twice changes nothing', () => {
    const s = new Scenario(asking).start({}, { session, turns: 'taken' });
    expect(s.send(admit).events).toEqual([]);
  });

  it('a run without turns needs no place', () => {
    const s = new Scenario(asking).start({}, { session });
    expect(s.started()).toEqual(['a', 'b']);
    expect(s.run.place).toBeUndefined();
  });
});

describe('what a run knows of its session', () => {
  const reads = graph({
    nodes: { a: { type: 'transform', output: { genre: 'session.state.genre', from: 'session.metadata.channel' } } },
  });

  it('is what it was told with its turn', () => {
    const s = new Scenario(reads).start({}, { session, turns: 'queued' });
    s.act({ ...admit, view });
    expect(s.run.output).toEqual({ genre: 'jazz', from: 'mail' });
  });

  it('and what it wrote itself since then', () => {
    const writes = graph({
      nodes: { a: step, b: { type: 'transform', output: { genre: 'session.state.genre' } } },
      routes: { a: [{ to: ['b'] }] },
    });
    const session_ = { set: { genre: 'blues' }, messages: [{ role: 'assistant' as const, content: 'Noted.' }] };
    const s = new Scenario(writes, {
      a: () => ({ end: { type: 'success', output: null, updates: [], session: session_ } }),
    }).start({}, { session, view });
    expect(s.run.output).toEqual({ genre: 'blues' });
    expect(s.of('message.added')).toEqual([{ token: '', node: 'a', visit: 1, role: 'assistant', content: 'Noted.' }]);
  });

  it('is nothing of a run that has none: what its nodes say goes nowhere', () => {
    const s = new Scenario(graph({ nodes: { a: step } }), {
      a: () => ({ end: { type: 'success', output: 1, updates: [], session: { set: { x: 1 } } } }),
    }).start();
    expect(s.of('session.changed')).toEqual([]);
  });
});
