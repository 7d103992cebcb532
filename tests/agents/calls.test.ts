import { describe, expect, it } from 'vitest';
import { calls, desk, eventsOf, toldLast, tool } from './testing/desk.ts';

const REFUND = {
  effect: 'once',
  input_schema: {
    type: 'object',
    required: ['order', 'cents'],
    properties: {
      order: { type: 'string', pattern: '^R-\\d+$' },
      cents: { type: 'integer', minimum: 1, maximum: 50000 },
    },
    additionalProperties: false,
  },
};

describe('a call of a tool', () => {
  it('that the contract does not have is refused, with what is allowed instead, and the run goes on', async () => {
    let deleted = 0;
    const { run, models, box } = desk({
      tools: { look: () => 'seen', drop_all: () => (deleted += 1) },
      allowed: [tool('look')],
      says: [calls('drop_all'), 'I may not.'],
    });
    const handle = await run();
    expect(await handle.view()).toMatchObject({ status: 'completed', output: 'I may not.' });
    expect(deleted).toBe(0);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'notAllowed', allowed: ['look'] } });
    expect(await eventsOf(box, handle.id, 'tool.judged')).toMatchObject([
      { tool: 'drop_all', verdict: 'refused', refusal: { code: 'notAllowed' } },
    ]);
  });

  it('with characters that no log can hold is told of as it came, escaped, and is neither taken for another nor the end of the run', async () => {
    const seen: unknown[] = [];
    const look = (args: string, name = 'look') => calls(name, args);
    const { run, models, box } = desk({
      tools: { look: args => seen.push(args) && 'ok' },
      allowed: [tool('look')],
      says: [look('{}', 'look\0'), look('{"id":"R-17\0"}'), calls('look', { id: 1 }), 'Half a pair: \ud83d.'],
    });
    const handle = await run();
    expect(await handle.view()).toMatchObject({ status: 'completed', output: 'Half a pair: \\ud83d.' });
    expect(seen).toEqual([{ id: 1 }]);
    expect(models.requests[2]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'argumentsUnreadable' } } });
    expect(await eventsOf(box, handle.id, 'tool.judged')).toMatchObject([
      { tool: 'look\\u0000', verdict: 'refused', refusal: { code: 'unknownTool' } },
      { tool: 'look', verdict: 'refused' },
      { tool: 'look', verdict: 'ready' },
    ]);
  });

  it('exists only in the state that the contract says, and the model is not told of it before', async () => {
    const allowed = [tool('look'), tool('offer', { when: "state.step == 'offer_negotiation'" })];
    const { run, models } = desk({ tools: { look: () => 1, offer: () => 1 }, allowed, says: [calls('offer'), 'No.'] });
    await run({ state: { step: 'screening' } });
    expect(models.requests[0]!.tools!.map(({ name }) => name)).toEqual(['look']);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'disabledInState', allowed: ['look'] } });
  });

  it('may name only what the state knows where it is bound', async () => {
    const seen: unknown[] = [];
    const allowed = [tool('look', { bind: { id: 'state.known' } })];
    const { run, models } = desk({
      tools: { look: args => seen.push(args) && 'ok' },
      allowed,
      says: [calls('look', { id: 'x' }), calls('look', { id: 'a' }), 'Done.'],
    });
    await run({ state: { known: ['a', 'b'] } });
    expect(seen).toEqual([{ id: 'a' }]);
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({
      result: { refused: { code: 'notBound' } },
      failed: true,
    });
  });

  it('gets arguments as its schema declares them, and the record says what was changed', async () => {
    const seen: unknown[] = [];
    const { run, box } = desk({
      tools: { refund: args => seen.push(args) && null },
      allowed: [tool('refund', REFUND)],
      says: [calls('refund', '{"order":"R-17","cents":"1999"}'), 'Done.'],
    });
    const handle = await run();
    expect(seen).toEqual([{ order: 'R-17', cents: 1999 }]);
    const [judged] = await eventsOf(box, handle.id, 'tool.judged');
    expect(judged).toMatchObject({ args: { order: 'R-17', cents: 1999 }, verdict: 'ready' });
    expect((judged!.stages as object[])[0]).toEqual({
      stage: 'parse',
      outcome: 'passed',
      in: '{"order":"R-17","cents":"1999"}',
    });
    expect(
      (judged!.stages as { stage: string; outcome: string }[]).find(({ stage }) => stage === 'normalize'),
    ).toMatchObject({
      outcome: 'changed',
    });
  });

  it('with arguments that are no JSON is told so, and a model that does not mend them ends in an error of the node', async () => {
    const { run, models } = desk({
      tools: { refund: () => null },
      allowed: [tool('refund', REFUND)],
      says: [calls('refund', '{"order":'), calls('refund', '{"order":"R-1"'), calls('refund', 'R-1')],
    });
    const view = await (await run()).view();
    expect(view).toMatchObject({ status: 'failed', error: { code: 'ToolCallInvalid' } });
    expect(models.requests).toHaveLength(3);
  });

  it('that fails is told with its code and whether it may be tried again, and counted in the history', async () => {
    let times = 0;
    const { run, models } = desk({
      tools: {
        look: () => {
          times += 1;
          throw Object.assign(new Error('The line is busy.'), { code: 'Busy' });
        },
      },
      allowed: [tool('look', { when: 'tools.look.failedInARow < 2' })],
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), calls('look', { n: 3 }), 'It is busy.'],
    });
    const view = await (await run()).view();
    expect(view).toMatchObject({ status: 'completed', output: 'It is busy.' });
    expect(times).toBe(2);
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({
      result: { failed: { message: 'The line is busy.', retryable: true, attempts: 1 } },
    });
    expect(toldLast(models)).toMatchObject({ refused: { code: 'disabledInState' } });
  });

  it('is not made again in the run once it failed so often in a row as its contract lets it, and the model is not told of it', async () => {
    let times = 0;
    const { run, models, box } = desk({
      tools: {
        look: () => {
          times += 1;
          throw new Error('The line is busy.');
        },
      },
      allowed: [tool('look', { limits: { failures_in_a_row: 2 } })],
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), calls('look', { n: 3 }), 'It is busy.'],
    });
    const handle = await run();
    expect(await handle.view()).toMatchObject({ status: 'completed', output: 'It is busy.' });
    expect(times).toBe(2);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'historyOfFailures', allowed: [] } });
    expect(models.requests.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 1, 0, 0]);
    expect((await eventsOf(box, handle.id, 'decision.made')).at(-1)).toMatchObject({
      rejected: [{ option: 'look', code: 'historyOfFailures' }],
    });
    expect(await eventsOf(box, handle.id, 'tools.changed')).toMatchObject([{ on: [], off: ['look'] }]);
  });

  it('is tried again by its policy with one key, and gives its result', async () => {
    const keys: string[] = [];
    const { box, models } = desk({
      tools: {
        look: (_args, { idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (keys.length < 3) throw new Error('busy');
          return 'seen';
        },
      },
      allowed: [tool('look', { retry: { attempts: 3, backoff: '2s' } })],
      says: [calls('look'), 'Done.'],
    });
    const started = await box.start('desk', {} as never);
    await box.advance('1m');
    expect(await started.settled()).toMatchObject({ status: 'completed' });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(toldLast(models)).toBe('seen');
    const results = (await eventsOf(box, started.id, 'op.recorded')).filter(({ kind }) => kind === 'tool');
    expect(results).toMatchObject([{ value: 'seen', attempts: 3 }]);
    expect((await started.reExecute()).difference).toBeUndefined();
  });

  it('whose result does not fit its output schema failed, and nobody sees the result', async () => {
    const output_schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    const { run, models } = desk({
      tools: { look: () => ({ secret: 'x' }) },
      allowed: [tool('look', { output_schema })],
      says: [calls('look'), 'Broken.'],
    });
    await run();
    expect(toldLast(models)).toMatchObject({ failed: { code: 'ToolOutputInvalid', retryable: false } });
    expect(JSON.stringify(models.requests)).not.toContain('secret');
  });

  it('writes what the contract says into the state, and turns tools on by it', async () => {
    const allowed = [
      tool('look', { writes: { step: "'offer_negotiation'" } }),
      tool('offer', { when: "has(state.step) && state.step == 'offer_negotiation'" }),
    ];
    const { run, models, box } = desk({
      tools: { look: () => 1, offer: () => 2 },
      allowed,
      says: [calls('look'), calls('offer'), 'Done.'],
    });
    const handle = await run();
    expect(await handle.state()).toMatchObject({ step: 'offer_negotiation' });
    expect(models.requests[1]!.tools!.map(({ name }) => name)).toEqual(['look', 'offer']);
    expect(await eventsOf(box, handle.id, 'tools.changed')).toMatchObject([{ on: ['look', 'offer'], off: [] }]);
  });
});

describe('a tool of the contract without code', () => {
  it('fails by name, and is not tried again', async () => {
    const { run, models } = desk({ allowed: [tool('look')], says: [calls('look'), 'Hm.'] });
    await run();
    expect(toldLast(models)).toMatchObject({ failed: { code: 'HandlerMissing', retryable: false } });
  });
});

describe('names that a model makes up', () => {
  it('do not let a run grow: none is kept in its journal or among its tools', async () => {
    const { run, box } = desk({
      allowed: [],
      says: [calls('made_up_1'), calls('made_up_2'), 'Never mind.'],
    });
    const handle = await run();
    const { run: folded } = await box.engine.load(handle.id);
    expect(folded.tools ?? new Map()).toEqual(new Map());
    const ops = (await eventsOf(box, handle.id, 'tool.judged')).map(({ op, tool: name }) => [op, name]);
    expect(ops).toEqual([
      ['gate:?#1', 'made_up_1'],
      ['gate:?#2', 'made_up_2'],
    ]);
  });
});

describe('several calls in one reply', () => {
  const two = (a: object, b: object) =>
    ({
      calls: [
        { tool: 'a', arguments: a },
        { tool: 'b', arguments: b },
      ],
    }) as never;

  it('run in the order given, and the first that comes to nothing stops those behind it', async () => {
    const order: string[] = [];
    const { run, models } = desk({
      tools: {
        a: () => {
          order.push('a');
          throw new Error('no');
        },
        b: () => order.push('b'),
      },
      allowed: [tool('a'), tool('b')],
      says: [two({}, {}), 'Done.'],
    });
    await run();
    expect(order).toEqual(['a']);
    const told = models.requests[1]!.messages.slice(-2);
    expect(told).toMatchObject([{ result: { failed: {} } }, { result: { refused: { code: 'notDone' } } }]);
  });

  it('are all judged before the first of them runs: one that is refused keeps the others from running', async () => {
    const order: string[] = [];
    const { run, models } = desk({
      tools: { a: () => order.push('a'), b: () => order.push('b') },
      allowed: [tool('a'), tool('b', { input_schema: { type: 'object', required: ['id'] } })],
      says: [two({}, {}), 'Done.'],
    });
    await run();
    expect(order).toEqual([]);
    expect(models.requests[1]!.messages.slice(-2)).toMatchObject([
      { result: { refused: { code: 'notDone' } } },
      { result: { refused: { code: 'argumentsInvalid' } } },
    ]);
  });
});

describe('calls of one reply that have one id', () => {
  const reply = (...calls: readonly (readonly [id: string, n: number])[]) =>
    ({ calls: calls.map(([id, n]) => ({ id, tool: 'look', arguments: { n } })) }) as never;

  it('are one call where one was said twice, and else are told apart', async () => {
    const seen: unknown[] = [];
    const { run, models } = desk({
      tools: { look: ({ n }) => seen.push(n) && n },
      allowed: [tool('look', { effect: 'once' })],
      says: [reply(['a', 1], ['a', 1], ['b', 1], ['a', 2], ['a', 2], ['a', 3]), 'Done.'],
    });
    expect(await (await run()).view()).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(seen).toEqual([1, 1, 2, 3]);
    const [said, ...told] = models.requests[1]!.messages.slice(1);
    expect(said).toMatchObject({ calls: [{ id: 'a' }, { id: 'b' }, { id: 'a~2' }, { id: 'a~3' }] });
    expect(
      told.map(message => [message.role === 'tool' && message.id, message.role === 'tool' && message.result]),
    ).toEqual([
      ['a', '1'],
      ['b', '1'],
      ['a~2', '2'],
      ['a~3', '3'],
    ]);
  });
});

describe('an agent that does not get on', () => {
  const counted = (name: string, done: string[]) => () => {
    done.push(name);
  };

  it('is ended at the third time of the same call with the same outcome', async () => {
    const { run } = desk({
      tools: { look: () => 'same', other: () => 1 },
      allowed: [tool('look'), tool('other')],
      says: [calls('look'), calls('other', { n: 1 }), calls('look'), calls('other', { n: 2 }), calls('look'), 'never'],
    });
    expect(await (await run()).view()).toMatchObject({ status: 'failed', error: { code: 'NoProgress' } });
  });

  it('is ended then, however it writes the arguments', async () => {
    const texts = ['{"n":1,"m":[2]}', '{ "m": [2], "n": 1 }', '{"n":1.0,"m":[2]}', '{"n":1,"m":[2]}'];
    const done: string[] = [];
    const { run } = desk({
      tools: { look: counted('look', done) },
      allowed: [tool('look')],
      says: [...texts.map(text => calls('look', text)), 'never'],
    });
    expect(await (await run()).view()).toMatchObject({
      error: { code: 'NoProgress', message: expect.stringContaining('3 times with the same arguments') },
    });
    expect(done).toHaveLength(3);
  });

  it('is ended when two turns running bring nothing new, whatever ids their calls have', async () => {
    const says = ['a', 'b', 'a', 'b', 'a'].map((name, index) => ({
      calls: [{ id: `c${index}`, tool: name, arguments: {} }],
    }));
    const done: string[] = [];
    const { run } = desk({
      tools: { a: counted('a', done), b: counted('b', done) },
      allowed: [tool('a'), tool('b')],
      says: [...says, 'never'],
    });
    expect(await (await run()).view()).toMatchObject({
      status: 'failed',
      error: { code: 'NoProgress', message: expect.stringContaining('2 turns running') },
    });
    expect(done).toEqual(['a', 'b', 'a', 'b']);
  });

  it('may try once more what failed, and what it has seen before beside what it has not', async () => {
    let tries = 0;
    const { run } = desk({
      tools: {
        look: () => {
          tries += 1;
          if (tries < 3) throw new Error('Busy.');
          return 'there';
        },
        other: ({ n }) => n,
      },
      allowed: [tool('look'), tool('other')],
      says: [
        calls('look'),
        calls('look'),
        calls('look'),
        {
          calls: [
            { tool: 'other', arguments: { n: 1 } },
            { tool: 'look', arguments: {} },
          ],
        },
        'Done.',
      ],
    });
    expect(await (await run()).view()).toMatchObject({ status: 'completed' });
  });

  it('is ended when its turns are used up', async () => {
    const { run } = desk({
      tools: { look: ({ n }) => n },
      allowed: [tool('look')],
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), calls('look', { n: 3 })],
      agent: { maxTurns: 3 },
    });
    const view = await (await run()).view();
    expect(view).toMatchObject({ status: 'failed', error: { code: 'LimitReached', details: { limit: 'maxTurns' } } });
  });
});
