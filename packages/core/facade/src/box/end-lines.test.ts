import { testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';

const builder = defineGraph({
  name: 'desk',
  input: z.object({ pin: z.string().meta({ sensitive: true }), fails: z.boolean().default(false) }),
});
const intake = builder.step(() => 'taken');
const reply = builder.step(ctx => {
  if (ctx.input.fails) throw new Error(`no door opens with ${ctx.input.pin}`);
  return ctx.input.pin;
});
const graph = builder.build({ entry: 'intake', nodes: { intake, reply }, routes: { intake: [{ to: 'reply' }] } });

function desk(logger?: object) {
  const lines: string[] = [];
  const box = testbox({
    graphs: [graph],
    logger: { info: line => lines.push(`info ${line}`), error: line => lines.push(`error ${line}`), ...logger },
  });
  return { box, lines };
}

describe('the line at the end of a run', () => {
  it('is its trail, with its id and its graph', async () => {
    const { box, lines } = desk();
    const run = await box.start(graph, { pin: '48151623' });
    await run.settled();
    await box.close();
    expect(lines).toEqual([`info intake → reply (completed, 0 ms)  ${run.id}  desk`]);
  });

  it('is logged as an error where the run failed, with nothing sensitive in it', async () => {
    const { box, lines } = desk();
    const run = await box.start(graph, { pin: '48151623', fails: true });
    await run.settled();
    await box.close();
    expect(lines).toEqual([expect.stringMatching(/^error intake → reply! \(failed/)]);
    expect(lines[0]).toContain(run.id);
    expect(lines[0]).not.toContain('48151623');
  });

  it('of one that fails goes to `info` where the logger has nothing else', async () => {
    const { box, lines } = desk({ error: undefined });
    await (await box.start(graph, { pin: '48151623', fails: true })).settled();
    await box.close();
    expect(lines).toEqual([expect.stringMatching(/^info intake → reply! /)]);
  });

  it('comes at each end, also at one from outside', async () => {
    const asking = defineGraph({ name: 'asks', input: z.object({}) });
    const ask = asking.ask({ kind: 'confirmation', title: 'Well?' });
    const asks = asking.build({ entry: 'ask', nodes: { ask }, routes: {} });
    const { box, lines } = desk();
    const run = await box.start(asks, {});
    await run.settled();
    expect(lines).toEqual([]);
    await run.cancel({ as: 'user:finn' });
    await box.close();
    expect(lines).toEqual([expect.stringMatching(/^info ask.* \(cancelled, /)]);
  });

  it('does not hold up a run whose logger throws: that is told to the observer', async () => {
    const box = testbox({
      graphs: [graph],
      logger: {
        info() {
          throw new Error('the disk of the log is full');
        },
      },
    });
    const run = await box.start(graph, { pin: '48151623' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    await box.close();
    expect(box.errors).toMatchObject([{ message: 'the disk of the log is full' }]);
  });
});
