import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import { graph, Scenario } from './testing/scenario.ts';

const ask = (resume?: 'restart'): NodeDefinition => ({
  type: 'ask',
  request: {
    kind: 'form',
    title: 'More?',
    fields: [{ name: 'n', type: 'number', default: 0 }],
    ...(resume === undefined ? {} : { resume: { mode: resume } }),
  },
});
const chain = (count: number, more: Partial<GraphDefinition> = {}): GraphDefinition => {
  const names = Array.from({ length: count }, (_, i) => `q${i}`);
  return graph({
    limits: { maxChain: 4 },
    nodes: Object.fromEntries(names.map(name => [name, ask()])),
    routes: Object.fromEntries(names.slice(1).map((name, i) => [`q${i}`, [{ to: [name] }]])),
    ...more,
  });
};

/** Answers whatever is asked until nothing is; the number of answers. */
function answerAll(s: Scenario): number {
  let count = 0;
  for (; s.open.length > 0 && count < 50; count += 1) s.answer(s.open[0]);
  return count;
}

describe('a chain of questions', () => {
  it('is of bounded depth when each answer goes on to the next', () => {
    const within = new Scenario(chain(4)).start();
    expect([answerAll(within), within.status]).toEqual([4, 'completed']);
    const s = new Scenario(chain(5)).start();
    expect([answerAll(s), s.run.error?.code]).toEqual([4, 'LimitReached']);
    expect(s.of('limit.reached')).toMatchObject([{ node: 'q4', limit: 'maxChain', value: 4 }]);
  });

  it('is counted across both resumes', () => {
    const s = new Scenario(
      graph({
        limits: { maxChain: 5 },
        nodes: { on: ask(), again: ask('restart') },
        routes: { on: [{ to: ['again'] }] },
      }),
    ).start();
    expect([answerAll(s), s.run.error?.code, s.run.episode]).toEqual([5, 'LimitReached', 2]);
  });

  it('counts questions that nobody answered in time', () => {
    const late = ask();
    const waiting = {
      ...(late as object),
      request: { ...(late as { request: object }).request, deadline: { after: '1h', onExpire: 'route' } },
    };
    const s = new Scenario(
      graph({
        limits: { maxChain: 3 },
        nodes: { q: waiting as NodeDefinition },
        routes: { q: [{ to: ['q'], on: ['expired'] }, { to: ['end'] }] },
      }),
    ).start();
    s.advance(10 * 3_600_000);
    expect([s.of('request.expired').length, s.run.error?.code]).toEqual([3, 'LimitReached']);
  });

  it('counts around a branch, and not beside it', () => {
    const definition = graph({
      limits: { maxChain: 3 },
      nodes: { first: ask(), a: ask(), b: ask(), a2: ask(), b2: ask(), J: { type: 'join' } },
      routes: {
        first: [{ to: ['a', 'b'] }],
        a: [{ to: ['a2'] }],
        b: [{ to: ['b2'] }],
        a2: [{ to: ['J'] }],
        b2: [{ to: ['J'] }],
      },
    });
    const s = new Scenario(definition).start();
    expect([answerAll(s), s.status]).toEqual([5, 'completed']);
    const tight = new Scenario({ ...definition, limits: { maxChain: 2 } }).start();
    answerAll(tight);
    expect(tight.run.error?.code).toBe('LimitReached');
  });

  it('goes along when a branch begins the whole run anew', () => {
    const again = ask('restart') as Extract<NodeDefinition, { type: 'ask' }>;
    const a: NodeDefinition = { ...again, request: { ...again.request, resume: { mode: 'restart', in: 'run' } } };
    const definition = graph({
      limits: { maxChain: 3 },
      nodes: { fork: { type: 'transform' }, a, b: { type: 'transform' }, J: { type: 'join' } },
      routes: { fork: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['J'] }] },
    });
    const s = new Scenario(definition).start();
    expect([answerAll(s), s.run.error?.code, s.run.episode]).toEqual([3, 'LimitReached', 3]);
  });

  it('goes on inside a subgraph, which has a limit of its own', () => {
    const around = (maxChain: number) =>
      graph({
        nodes: { first: ask(), sub: { type: 'subgraph', graph: 'inner' } },
        routes: { first: [{ to: ['sub'] }] },
        graphs: { inner: chain(2, { limits: { maxChain } }) },
      });
    const s = new Scenario(around(3)).start();
    expect([answerAll(s), s.status]).toEqual([3, 'completed']);
    const tight = new Scenario(around(2)).start();
    expect([answerAll(tight), tight.run.error?.code]).toEqual([2, 'LimitReached']);
  });
});
