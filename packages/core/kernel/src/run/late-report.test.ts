import { describe, expect, it } from 'vitest';
import type { NodeDefinition } from '../graph/definition.ts';
import { done, graph, Scenario } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };

describe('a report that comes when its time is up', () => {
  it('is too late, though no timer has fired yet: the deadline of its node decides', () => {
    const s = new Scenario(graph({ nodes: { a: { ...step, deadline: '10s' } } }), { a: () => 'busy' }).start();
    s.at += 9_999;
    const inTime = new Scenario(graph({ nodes: { a: { ...step, deadline: '10s' } } }), { a: () => 'busy' }).start();
    inTime.at = s.at;
    expect(inTime.finish('a', done(1)).status).toBe('completed');
    s.at += 1;
    expect(s.finish('a', done(1)).run.error).toMatchObject({ code: 'DeadlineExceeded' });
  });

  it('is too late when the time of the run is up', () => {
    const s = new Scenario(graph({ limits: { timeout: '10s' }, nodes: { a: step } }), { a: () => 'busy' }).start();
    s.at += 10_000;
    expect(s.finish('a', done(1)).run.error).toMatchObject({ code: 'LimitReached', details: { limit: 'timeout' } });
  });
});
