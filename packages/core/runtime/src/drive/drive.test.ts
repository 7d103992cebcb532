import { describe, expect, it } from 'vitest';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld, World } from '../journal/testing/world.ts';
import type { CheckVerdict } from './driver-deps.ts';

const never = () => new Promise<never>(() => {});

describe('time limits', () => {
  it('end an operation that takes too long, and tell it to stop', async () => {
    let signal: AbortSignal | undefined;
    const graph = codeGraph({
      a: ctx =>
        ctx.run(
          'hangs',
          tools => {
            signal = tools.signal;
            return never();
          },
          { timeout: '2s' },
        ),
    });
    const world = await startWorld(graph);
    await world.box.advance('1999ms');
    expect((await world.view()).status).toBe('running');
    await world.box.advance('1ms');
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { code: 'OperationTimeout' } });
    expect(signal?.aborted).toBe(true);
  });

  it('give an operation 30 seconds when nothing else is said', async () => {
    const world = await startWorld(codeGraph({ a: ctx => ctx.run('hangs', never) }));
    await world.box.advance('29s');
    expect((await world.view()).status).toBe('running');
    await world.box.advance('1s');
    expect((await world.settled()).error).toMatchObject({ code: 'OperationTimeout' });
  });

  it('end a node that executes too long, and tell it to stop', async () => {
    let abort: AbortSignal | undefined;
    const graph = codeGraph(
      {
        a: ctx => {
          abort = ctx.abort;
          return never();
        },
      },
      { nodes: { a: { timeout: '5s' } } },
    );
    const world = await startWorld(graph);
    await world.box.advance('5s');
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { code: 'Timeout' } });
    expect(abort?.aborted).toBe(true);
  });
});

describe('cancelling', () => {
  it('tells the handler to stop, and waits for no longer than the grace time', async () => {
    let abort: AbortSignal | undefined;
    const graph = codeGraph({
      a: ctx => {
        abort = ctx.abort;
        return never();
      },
    });
    const world = await startWorld(graph, { cancelGrace: 3_000 });
    await world.run.cancel({ reason: 'enough' });
    await world.box.settle();
    expect(abort?.aborted).toBe(true);
    expect((await world.view()).status).toBe('cancelling');
    await world.box.advance('3s');
    expect((await world.settled()).status).toBe('cancelled');
  });

  it('still records how an operation in flight ended, and changes no state', async () => {
    let finish = (_: string) => {};
    const graph = codeGraph(
      {
        a: async ctx => {
          const value = await ctx.run('pay', () => new Promise<string>(resolve => (finish = resolve)), { once: true });
          ctx.update({ paid: value });
          return value;
        },
      },
      { state: { paid: { schema: { type: 'string' } } } },
    );
    const world = await startWorld(graph);
    await world.run.cancel();
    finish('yes');
    expect((await world.settled()).status).toBe('cancelled');
    expect((await world.events('op.recorded')).map(event => event.data.value)).toEqual(['yes']);
    expect(await world.run.state()).toEqual({});
  });
});

describe('hooks', () => {
  it('see the node begin once and end, and change nothing by throwing', async () => {
    const seen: unknown[] = [];
    const errors: unknown[] = [];
    const graph = codeGraph({
      a: {
        onEnter: ctx => void seen.push(['enter', ctx.given]),
        execute: async ctx => (await ctx.ask('go', CONFIRM)).action,
        afterNode: (_, ended) => {
          seen.push(['after', ended]);
          throw new Error('a hook');
        },
      },
      b: {
        execute: () => {
          throw Object.assign(new Error('no'), { code: 'E_NO' });
        },
        afterNode: (_, ended) => void seen.push(['after', (ended.error as { code: string }).code]),
      },
    });
    const world = await new World(graph, { observer: { onError: error => errors.push(error) } }).start({ n: 1 });
    await world.restart();
    await world.answer();
    expect((await world.settled()).status).toBe('failed');
    expect(seen).toEqual([
      ['enter', { n: 1 }],
      ['after', { output: 'approve' }],
      ['after', 'E_NO'],
    ]);
    expect(errors).toMatchObject([{ message: 'a hook' }]);
  });
});

describe('checks', () => {
  const checked = async (verdicts: readonly CheckVerdict[], asked: unknown[] = []) => {
    let time = 0;
    const graph = codeGraph({
      a: {
        onEnter: () => void asked.push('enter'),
        execute: async ctx => {
          await ctx.ask('go', CONFIRM);
          return 'done';
        },
      },
    });
    const check = {
      name: 'policy',
      before: (task: { node: string }) => {
        asked.push(task.node);
        time += 1;
        return verdicts[Math.min(time, verdicts.length) - 1]!;
      },
    };
    return await startWorld(graph, { checks: [check] });
  };

  it('let the node begin that they allow', async () => {
    const world = await checked([{ verdict: 'allow' }]);
    await world.answer();
    expect((await world.settled()).output).toBe('done');
  });

  it('fail the node that they deny, for good and with the reason', async () => {
    const world = await checked([{ verdict: 'deny', reason: 'not today' }]);
    expect(await world.settled()).toMatchObject({
      status: 'failed',
      error: { code: 'Denied', message: expect.stringContaining('not today') },
    });
    expect((await world.events('decision.made'))[0]!.data).toMatchObject({
      point: 'check:policy',
      chosen: 'deny',
      decidedBy: 'service:policy',
    });
  });

  it('ask once for a visit, across restarts, and only an approval lets the node go on', async () => {
    const asked: unknown[] = [];
    const world = await checked(
      [
        { verdict: 'ask', title: 'May it?' },
        { verdict: 'ask', title: 'Again?' },
      ],
      asked,
    );
    expect((await world.settled()).requests).toMatchObject([{ title: 'May it?' }]);
    await world.restart();
    await world.answer();
    expect((await world.settled()).requests).toMatchObject([{ title: 'Go on?' }]);
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toBe('done');
    expect(asked).toEqual(['a', 'enter']);
    const refused = await checked([{ verdict: 'ask', title: 'May it?' }]);
    await refused.answer('reject');
    expect((await refused.settled()).error).toMatchObject({ code: 'Denied' });
  });

  it('pause the run with their reason; the node goes on when it is resumed', async () => {
    const world = await checked([{ verdict: 'pause', reason: 'look first' }]);
    expect(await world.settled()).toMatchObject({ status: 'paused', requests: [] });
    expect((await world.events('run.paused'))[0]!.data.reason).toBe('look first');
    await world.restart();
    expect((await world.view()).status).toBe('paused');
    await world.run.resume();
    expect((await world.settled()).requests).toMatchObject([{ title: 'Go on?' }]);
    await world.answer();
    expect((await world.settled()).output).toBe('done');
  });
});

describe('code that is not there', () => {
  const graph = () => codeGraph({ a: ctx => ctx.ask('go', CONFIRM), b: () => 'done' });

  it('is shown as handlerMissing, and the run goes on in a process that has it', async () => {
    const world = await startWorld(graph());
    world.box = await world.box.restart({ graphs: [] });
    await world.answer();
    expect(await world.settled()).toMatchObject({
      status: 'suspended',
      reason: 'handlerMissing',
      details: { handlers: ['a@1', 'b@1'] },
    });
    await world.restart(graph());
    expect((await world.settled()).output).toBe('done');
  });
});

describe('processes that die', () => {
  it('three times at one point with nothing new recorded fail the node', async () => {
    let executions = 0;
    const graph = codeGraph({
      a: async ctx => {
        await ctx.run('work', () => 1);
        executions += 1;
        await never();
      },
    });
    const world = await startWorld(graph);
    for (const status of ['running', 'running', 'failed']) {
      await world.restart();
      expect((await world.view()).status).toBe(status);
    }
    expect((await world.view()).error).toMatchObject({ code: 'CrashLoop' });
    expect(executions).toBe(3);
  });

  it('in good order never count', async () => {
    const world = await startWorld(codeGraph({ a: never }));
    for (let time = 0; time < 5; time += 1) await world.restart(undefined, { clean: true });
    expect((await world.view()).status).toBe('running');
  });

  it('do not count when something new was recorded since', async () => {
    const graph = codeGraph({
      a: async ctx => {
        for (const step of [1, 2, 3, 4, 5, 6]) {
          await ctx.run(`step ${step}`, () => step);
          await ctx.sleep(`rest ${step}`, '1s');
        }
        await never();
      },
    });
    const world = await startWorld(graph);
    for (let time = 0; time < 6; time += 1) {
      await world.restart();
      await world.box.advance('1s');
    }
    expect((await world.view()).status).toBe('running');
  });

  it('a number of times that is a setting', async () => {
    const world = await startWorld(codeGraph({ a: never }), { crashLimit: 1 });
    await world.restart();
    expect((await world.view()).error).toMatchObject({ code: 'CrashLoop' });
  });
});

describe('compensation', () => {
  it('sees what its visit got and gave, also of the items of a map that is over', async () => {
    const undone: unknown[] = [];
    const graph = codeGraph(
      {
        item: ctx => `did ${ctx.given}`,
        undo: ctx => void undone.push([ctx.given, ctx.output, ctx.error?.code, Object.keys(ctx.state)]),
        breaks: () => {
          throw Object.assign(new Error('no'), { code: 'E_NO' });
        },
      },
      {
        state: { n: { schema: { type: 'integer', default: 1 } } },
        nodes: {
          item: {
            type: 'map',
            items: '["x", "y"]',
            body: { node: { type: 'step', handler: 'item@1', compensate: { handler: 'undo@1' } } },
          } as never,
          undo: { type: 'transform' } as never,
        },
        routes: { item: [{ to: ['breaks'] }], undo: [{ to: ['breaks'] }] },
      },
    );
    const world = await startWorld(graph);
    expect(await world.settled()).toMatchObject({ status: 'failed', compensation: 'complete' });
    expect(undone).toEqual([
      ['y', 'did y', 'E_NO', ['n']],
      ['x', 'did x', 'E_NO', ['n']],
    ]);
  });
});
