import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM, type Code, type Ctx, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld } from '../journal/testing/world.ts';

const RESULT = Symbol.for('signalbox.result');
const LONE = '\ud800';

/** A handler's code, and the error its node fails with. */
const ended = async (code: Code, next?: readonly string[]) => {
  const errors: unknown[] = [];
  const world = await startWorld(
    codeGraph({ a: code, b: () => 1 }, { nodes: { a: next === undefined ? {} : { next } } }),
    {
      observer: { onError: error => errors.push(error) },
    },
  );
  return { ...(await world.settled()), errors };
};

const failsWith = async (code: string, handler: Code, next?: readonly string[]) =>
  expect(await ended(handler, next)).toMatchObject({ status: 'failed', error: { code }, errors: [] });

describe('a result that no handler should return', () => {
  it('of a kind nobody knows fails the node for good, and its handler is not begun again', async () => {
    let calls = 0;
    const bogus = () => {
      calls += 1;
      return { [RESULT]: 'bogus' };
    };
    await failsWith('InvalidResult', bogus);
    expect((await ended(bogus)).error).toMatchObject({ permanent: true });
    expect(calls).toBe(2);
  });

  it.each<[string, object]>([
    ['a wish sure to 10n', { [RESULT]: 'next', to: 'b', confidence: 10n }],
    ['a wish sure to NaN', { [RESULT]: 'next', to: 'b', confidence: Number.NaN }],
    ['a wish for half a surrogate pair of reasons', { [RESULT]: 'next', to: 'b', reason: LONE }],
    ['a wish with options that are no list', { [RESULT]: 'next', to: 'b', options: 5 }],
    ['a failure with 10n for a message', { [RESULT]: 'failed', code: 'X', message: 10n }],
    ['a failure with a number for a code', { [RESULT]: 'failed', code: 5 }],
    ['a skip for 10n', { [RESULT]: 'skipped', reason: 10n }],
    ['another attempt after 10n', { [RESULT]: 'retry', after: 10n }],
  ])('%s fails the node with InvalidValue', async (_, result) => {
    await failsWith('InvalidValue', () => result, ['b']);
  });

  it.each<[string, Code]>([
    ['an update with null', ctx => ctx.update(null as never)],
    ['an update with a list', ctx => ctx.update([])],
    ['doubts settled by 10n', ctx => ctx.run('x', () => 1, { once: true, onDoubt: 10n as never })],
    ['no options', ctx => ctx.run('x', () => 1, null as never)],
    ['a name that is half a surrogate pair', ctx => ctx.run(LONE, () => 1)],
    ['a signal without a name', ctx => ctx.signal(undefined as never)],
  ])('%s fails the node with InvalidValue', async (_, handler) => {
    await failsWith('InvalidValue', handler);
  });

  it('an operation with a limit that is no duration is not begun, so nothing is in doubt', async () => {
    const world = await startWorld(codeGraph({ a: ctx => ctx.run('x', () => 1, { once: true, timeout: 'abc' }) }));
    expect((await world.settled()).error).toMatchObject({ code: 'InvalidDuration' });
    expect(await world.events('op.intended')).toEqual([]);
  });
});

describe('a report that cannot be decided', () => {
  it('fails the node instead of being dropped, and the driver goes on', async () => {
    let calls = 0;
    const graph = codeGraph({ a: () => ++calls });
    const node = graph.program.graphs.get('')!.nodes.get('a')!;
    const validate = () => {
      throw new TypeError('the schema is broken');
    };
    Object.assign(node, { output: { validate } });
    const errors: unknown[] = [];
    const world = await startWorld(graph, { observer: { onError: error => errors.push(error) } });
    expect(await world.settled()).toMatchObject({
      status: 'failed',
      error: { code: 'Internal', message: expect.stringContaining('the schema is broken'), permanent: true },
    });
    expect(calls).toBe(1);
    expect(errors).toMatchObject([{ message: 'the schema is broken' }]);
  });
});

describe('what is thrown', () => {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  it.each<[string, unknown]>([
    ['an object without a prototype', Object.create(null)],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: {} })],
    [
      'an object whose members throw',
      Object.defineProperty({}, 'code', {
        get: () => {
          throw new Error('x');
        },
      }),
    ],
    ['a proxy that is revoked', revoked()],
    ['nothing', undefined],
    ['a symbol', Symbol('x')],
  ])('%s fails its node, be it thrown by the handler or by an operation of it', async (_, thrown) => {
    const toss = () => {
      throw thrown;
    };
    await failsWith('Error', toss);
    await failsWith('Error', ctx => ctx.run('x', toss));
  });

  it('by an operation that nobody waits for does not bring the process down', async () => {
    expect(
      await ended(async ctx => {
        void ctx.run('x', () => Promise.reject(new Error('unheard')));
        await ctx.run('y', () => 1);
      }),
    ).toMatchObject({ status: 'completed' });
  });
});

describe('whatever a handler does', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));

  const thing = () =>
    fc.anything({
      withBigInt: true,
      withNullPrototype: true,
      withSparseArray: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withObjectString: true,
    });
  const mark = () => fc.oneof(fc.constantFrom('next', 'failed', 'skipped', 'retry'), thing());
  const members = ['to', 'output', 'reason', 'confidence', 'options', 'code', 'message', 'permanent', 'retry', 'after'];
  const marked = () =>
    fc
      .tuple(
        mark(),
        fc.record(Object.fromEntries(members.map(name => [name, thing()])), { requiredKeys: [] }),
        fc.boolean(),
      )
      .map(([kind, rest, wellAimed]) => ({ ...rest, ...(wellAimed ? { to: 'b' } : {}), [RESULT]: kind }));
  const act = (): fc.Arbitrary<(ctx: Ctx) => unknown> => {
    const name = fc.oneof(fc.string(), thing()) as fc.Arbitrary<string>;
    const odd = thing() as fc.Arbitrary<never>;
    const options = fc.oneof(
      odd,
      fc.record({ once: odd, onDoubt: odd, timeout: odd, key: odd, args: odd }, { requiredKeys: [] }) as never,
      fc.constant({ once: true }) as never,
    );
    return fc.oneof(
      odd.map(value => (ctx: Ctx) => ctx.update(value)),
      fc.tuple(name, odd, options).map(
        ([op, value, given]) =>
          (ctx: Ctx) =>
            ctx.run(op, () => value, given as never),
      ),
      fc.tuple(name, odd, options).map(
        ([op, value, given]) =>
          (ctx: Ctx) =>
            ctx.run(op, () => Promise.reject(value), given as never),
      ),
      fc.tuple(name, odd).map(
        ([op, value]) =>
          (ctx: Ctx) =>
            ctx.run(op, value),
      ),
      fc
        .tuple(
          name,
          fc.oneof(
            odd,
            fc.record(
              { kind: fc.constant('confirmation'), title: odd, fields: odd, deadline: odd },
              { requiredKeys: [] },
            ) as never,
            fc.constant(CONFIRM) as never,
          ),
        )
        .map(
          ([op, value]) =>
            (ctx: Ctx) =>
              ctx.ask(op, value as never),
        ),
      fc.tuple(name, odd).map(
        ([op, value]) =>
          (ctx: Ctx) =>
            ctx.sleep(op, value),
      ),
      name.map(op => (ctx: Ctx) => ctx.signal(op)),
      odd.map(value => (ctx: Ctx) => ctx.first(value)),
      fc
        .record({ for: odd, when: odd, signal: odd, ask: odd, until: odd }, { requiredKeys: [] })
        .map(value => (ctx: Ctx) => ctx.first({ x: value })),
      fc
        .tuple(
          name,
          fc.oneof(
            odd,
            fc.record(
              {
                chosen: odd,
                options: odd,
                rejected: odd,
                reason: odd,
                decidedBy: odd,
                token: odd,
                node: odd,
                visit: odd,
                op: odd,
              },
              { requiredKeys: [] },
            ) as never,
          ),
        )
        .map(
          ([point, value]) =>
            (ctx: Ctx) =>
              ctx.decide(point, value as never),
        ),
      fc.tuple(name, odd).map(
        ([op, value]) =>
          (ctx: Ctx) =>
            ctx.group(op, value),
      ),
      fc.constant((ctx: Ctx) => ctx.refresh()),
      odd.map(value => () => {
        throw value;
      }),
    );
  };
  const script = fc.record({
    acts: fc.array(fc.record({ act: act(), wait: fc.boolean(), caught: fc.boolean() }), { maxLength: 4 }),
    result: fc.oneof(thing(), marked()),
  });

  it('the run ends or waits, and the process lives', async () => {
    await fc.assert(
      fc.asyncProperty(script, async ({ acts, result }) => {
        let calls = 0;
        const handler = async (ctx: Ctx) => {
          calls += 1;
          for (const { act: one, wait, caught } of acts)
            try {
              const done = one(ctx);
              if (wait) await done;
            } catch (error) {
              if (!caught) throw error;
            }
          return result;
        };
        const world = await startWorld(
          codeGraph(
            { a: handler as Code, b: () => 1 },
            { nodes: { a: { next: ['b'] } }, routes: { a: [{ to: ['b'] }] } },
          ),
          { observer: { onError: () => {} } },
        );
        await world.box.advance('2m');
        expect(['completed', 'failed', 'suspended']).toContain((await world.view()).status);
        expect(calls).toBeLessThan(20);
      }),
      { numRuns: 150 },
    );
    expect(unhandled).toEqual([]);
  });
});
