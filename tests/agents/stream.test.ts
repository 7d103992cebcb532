import { scriptedModel, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, desk, deskGraph, tool } from './testing/desk.ts';

describe('the stream of a run with an agent', () => {
  it('has the text of the model as it comes, marked, between the intent of its call and the reply', async () => {
    const { box } = desk({
      tools: { look: () => 1 },
      allowed: [tool('look')],
      says: [calls('look'), 'All is well.'],
    });
    const run = await box.start('desk', {} as never);
    const rows: string[] = [];
    const events: number[] = [];
    for await (const row of run.stream()) {
      if (row.durable) events.push(row.seq);
      if (!row.durable) rows.push(`${row.type} ${row.node}: ${row.delta}`);
      else if (row.data.kind === 'model') rows.push(row.type);
    }
    expect(rows).toEqual([
      'op.intended',
      'op.recorded',
      'op.intended',
      'text work: All ',
      'text work: is ',
      'text work: well.',
      'op.recorded',
    ]);
    expect(events).toEqual(events.map((_, index) => index + 1));
  });

  it('has no text of what was said before it was followed: the log does not know it', async () => {
    const { run } = desk({ says: ['All is well.'] });
    const handle = await run();
    const kinds = new Set<boolean>();
    for await (const { durable } of handle.stream()) kinds.add(durable);
    expect([...kinds]).toEqual([true]);
  });

  it('goes on, and the run with it, where an observer of the text throws', async () => {
    const told: unknown[] = [];
    const observer = {
      text: () => {
        throw new TypeError('The screen is gone.');
      },
      onError: (error: unknown) => told.push(error),
    };
    const box = testbox({ graphs: [deskGraph({})], models: scriptedModel(['Fine.']), observer });
    const run = await box.start('desk', {} as never);
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Fine.' });
    expect(told).toMatchObject([{ message: 'The screen is gone.' }]);
  });
});
