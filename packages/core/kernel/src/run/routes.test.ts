import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition, RouteDefinition } from '../graph/definition.ts';
import type { JsonValue } from '../json/value.ts';
import { broken, done, graph, programOf, Scenario } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };

function routing(routes: RouteDefinition[], more: Partial<GraphDefinition> = {}, a: Partial<NodeDefinition> = {}) {
  return graph({
    nodes: { a: { ...step, ...a } as NodeDefinition, x: step, y: step, z: step },
    routes: {
      a: [...routes, { to: ['z'], on: ['limit'] }],
      z: [{ to: ['x'], when: 'false' }, { to: ['y'], when: 'false' }, { to: ['end'] }],
    },
    ...more,
  });
}

function ends(definition: GraphDefinition, output: JsonValue = {}) {
  return new Scenario(definition, { a: () => done(output) }).start();
}

describe('the routes of a node', () => {
  it('are tried in order; what was looked at is recorded with its values', () => {
    const routes: RouteDefinition[] = [
      { to: ['x'], when: 'output.n > 5' },
      { to: ['y'], when: 'output.n > 2' },
      { to: ['z'] },
    ];
    const s = ends(routing(routes), { n: 3 });
    expect(s.started()).toEqual(['a', 'y']);
    expect(s.of('route.decided')[0]).toMatchObject({
      outcome: 'success',
      to: ['y'],
      route: 1,
      looked: [
        { route: 0, held: false, values: { 'output.n': 3 } },
        { route: 1, held: true, values: { 'output.n': 3 } },
      ],
    });
  });

  it('with on and when need both; without on they stand for all but failed and limit', () => {
    const routes: RouteDefinition[] = [
      { to: ['x'], on: ['skipped'], when: 'true' },
      { to: ['y'], on: ['success'], when: 'output.n == 1' },
      { to: ['z'] },
    ];
    expect(ends(routing(routes), { n: 1 }).started()).toEqual(['a', 'y']);
    expect(ends(routing(routes), { n: 2 }).started()).toEqual(['a', 'z']);
    const failed = new Scenario(routing(routes), { a: () => broken('E') }).start();
    expect(failed.status).toBe('failed');
    expect(failed.run.error?.code).toBe('E');
  });

  it('stop the token with a ConditionError where a guard reads what is absent, whichever later route holds', () => {
    const routes: RouteDefinition[] = [
      { to: ['x'], when: 'output.missing == 1' },
      { to: ['y'] },
      { to: ['z'], on: ['failed'] },
    ];
    const s = ends(routing(routes), { n: 1 });
    expect(s.status).toBe('failed');
    expect(s.run.error).toMatchObject({ code: 'ConditionError' });
    expect(s.run.error?.message).toContain('output.missing == 1');
    expect(s.started()).toEqual(['a']);
  });

  it('let no token out: the error names guards and values, no on: failed route catches it, and a retry routes anew', () => {
    const routes: RouteDefinition[] = [
      { to: ['x'], when: 'state.n > 1' },
      { to: ['y'], when: 'state.n > 2' },
      { to: ['z'], on: ['failed'] },
    ];
    const definition = routing(routes, { state: { n: { schema: { type: 'integer', default: 0 } } } });
    const s = ends(definition);
    expect(s.run.error?.code).toBe('NoRoute');
    expect(s.run.error?.message).toContain('state.n > 1');
    expect(s.run.error?.message).toContain('"state.n":0');
    expect(s.started()).toEqual(['a']);
    s.act({ type: 'edit', set: { n: 2 }, reason: 'so that it goes on' });
    s.act({ type: 'retry', reason: 'edited' });
    expect(s.started()).toEqual(['a', 'x']);
    expect(s.status).toBe('completed');
  });

  it('may be TypeScript predicates; one that throws stops the token', () => {
    const definition = routing([{ to: ['x'], predicate: 'big' }, { to: ['y'] }]);
    const run = (big: (see: Readonly<Record<string, unknown>>) => boolean) =>
      new Scenario(programOf(definition, { predicates: new Map([['big', big]]) }), { a: () => done({ n: 9 }) }).start();
    expect(run(({ output }) => (output as { n: number }).n > 5).started()).toEqual(['a', 'x']);
    expect(run(() => false).started()).toEqual(['a', 'y']);
    const thrown = run(() => {
      throw new Error('oops');
    });
    expect(thrown.run.error?.code).toBe('ConditionError');
  });

  it('may send a token to the same node as long as limits let it', () => {
    const s = ends(
      routing([{ to: ['a'], when: 'run.visits.a < 3' }, { to: ['x'] }], { limits: { noProgress: false } }),
    );
    expect(s.started()).toEqual(['a', 'a', 'a', 'x']);
  });
});

describe('a routing wish', () => {
  const routes: RouteDefinition[] = [
    { to: ['x'], when: 'state.n > 5' },
    { to: ['x'], when: 'state.n > 1', because: 'second' },
    { to: ['y'] },
    { to: ['z'], on: ['failed'] },
  ];
  const definition = routing(routes, { state: { n: { schema: { type: 'integer', default: 0 } } } }, {
    next: ['x', 'y'],
  } as Partial<NodeDefinition>);
  const wish = (to: string, n = 0) =>
    new Scenario(definition, {
      a: () => done('out', { n }, { to, reason: 'I think so', confidence: 0.7, options: ['x', 'y'] }),
    }).start();

  it('picks the first route to its target whose guard holds, and is recorded as a decision', () => {
    const s = wish('x', 2);
    expect(s.started()).toEqual(['a', 'x']);
    expect(s.of('route.decided')[0]).toMatchObject({ route: 1, wish: { to: 'x', reason: 'I think so' } });
    expect(s.of('decision.made')[0]).toMatchObject({
      point: 'route',
      chosen: 'x',
      options: ['x', 'y'],
      rejected: [{ option: 'y' }],
      reason: 'I think so',
      confidence: 0.7,
      from: 'a',
      to: 'x',
    });
    expect(wish('y').started()).toEqual(['a', 'y']);
  });

  it('fails the node where no route to its target holds: nothing is written, and on: failed catches it', () => {
    const s = wish('x', 1);
    expect(s.of('node.failed')).toMatchObject([{ node: 'a', error: { code: 'WishNotGranted' } }]);
    expect(s.of('node.succeeded').map(({ node }) => node)).not.toContain('a');
    expect(s.state()).toEqual({ n: 0 });
    expect(s.started()).toEqual(['a', 'z']);
  });

  it('for what is not in its declared list fails the node as well', () => {
    expect(wish('z').of('node.failed')).toMatchObject([{ error: { code: 'WishNotGranted' } }]);
  });
});

describe('a declared decision', () => {
  it('is recorded with options, chosen, rejected, reason, confidence and by whom', () => {
    const decides = {
      point: 'intent',
      chosen: 'output.intent',
      confidence: 'output.sure',
      reason: 'output.why',
      options: ['refund', 'faq'],
    };
    const output = {
      type: 'object',
      required: ['intent', 'sure', 'why'],
      properties: { intent: { type: 'string' }, sure: { type: 'number' }, why: { type: 'string' } },
    };
    const s = new Scenario(graph({ nodes: { a: { ...step, decides, output } as NodeDefinition } }), {
      a: () => done({ intent: 'faq', sure: 0.9, why: 'a question' }),
    }).start();
    expect(s.of('decision.made')).toEqual([
      {
        token: '',
        node: 'a',
        visit: 1,
        point: 'intent',
        chosen: 'faq',
        options: ['refund', 'faq'],
        rejected: [{ option: 'refund' }],
        reason: 'a question',
        confidence: 0.9,
        decidedBy: 'node:work@1',
      },
    ]);
  });
});
