import { exportRun } from '@signalbox/runtime';
import { describe, expect, it } from 'vitest';
import { calls, desk, toldLast, tool } from '../agents/testing/desk.ts';

describe('a sensitive argument that a model wrote twice', () => {
  it('is refused like every doubled key, and neither of the two stands in the log', async () => {
    const input_schema = { type: 'object', required: ['iban'], properties: { iban: { type: 'string' } } };
    const { run, box, models } = desk({
      tools: { pay: () => null },
      allowed: [tool('pay', { input_schema, sensitive: ['/iban'] })],
      says: [calls('pay', '{"iban":"DE-FIRST-4711","iban":"DE-SECOND-4711"}'), 'No.'],
    });
    const handle = await run();
    expect(toldLast(models)).toMatchObject({ refused: { code: 'argumentsUnreadable' } });
    let log = '';
    for await (const line of exportRun(box.store, handle.id, { madeAt: '2026-03-02T09:00:00.000Z' })) log += line;
    expect(log).toContain('argumentsUnreadable');
    expect(log).not.toContain('DE-FIRST');
    expect(log).not.toContain('DE-SECOND');
  });
});
