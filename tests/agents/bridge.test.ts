import { describe, expect, it } from 'vitest';
import { calls, desk, eventsOf, toldLast, tool } from './testing/desk.ts';

const NOTES = { total: 3, notes: ['The pump leaks.', 'It was sealed in May.', 'The customer is away.'] };

function shown(bridge: object | string | undefined, agent: object = {}, more: object = {}) {
  const allowed = [tool('look', { ...(bridge === undefined ? {} : { bridge }), ...more })];
  return desk({
    tools: { look: () => NOTES },
    allowed,
    agent,
    says: [calls('look', { id: 7, pin: 'x-4711' }), 'Done.'],
  });
}

describe('what an agent is shown of a result', () => {
  it('is the text of the contract’s bridge, while the log and the state have the whole', async () => {
    const { run, models, box } = shown(
      '{{ output.total }} notes on {{ args.id }}, the last: {{ output.notes[2] }}',
      undefined,
      {
        writes: { found: 'output' },
      },
    );
    const handle = await run();
    expect(toldLast(models)).toBe('3 notes on 7, the last: The customer is away.');
    const recorded = await eventsOf(box, handle.id, 'op.recorded');
    expect(recorded.find(({ op }) => op === 'look#1')).toMatchObject({ value: NOTES });
    expect(await handle.state()).toMatchObject({ found: NOTES });
  });

  it('is the result as JSON where there is no bridge', async () => {
    const { run, models } = shown(undefined);
    await run();
    expect(toldLast(models)).toBe(JSON.stringify(NOTES));
  });

  it('is the result as JSON where the template of the bridge cannot be filled in', async () => {
    const { run, models } = shown('{{ output.nobody }}');
    await run();
    expect(toldLast(models)).toBe(JSON.stringify(NOTES));
  });

  it('has no sensitive part, neither of the arguments nor of the result', async () => {
    const { run, models } = shown('{{ args.pin }} {{ output.notes[0] }}', undefined, {
      sensitive: ['/pin'],
      sensitive_output: ['/notes'],
    });
    await run();
    expect(JSON.stringify(toldLast(models))).not.toMatch(/4711|leaks/);
  });

  it('is cut at what the contract allows, or at what its node allows where that is less, and says so', async () => {
    const bounds = [
      { bridge: { max_chars: 60 }, agent: {}, most: 60 },
      { bridge: { max_chars: 60 }, agent: { bridge: { maxChars: 50 } }, most: 50 },
      { bridge: { max_chars: 50 }, agent: { bridge: { maxChars: 60 } }, most: 50 },
      { bridge: undefined, agent: { bridge: { maxChars: 40 } }, most: 40 },
    ];
    for (const { bridge, agent, most } of bounds) {
      const { run, models } = shown(bridge, agent);
      await run();
      const told = String(toldLast(models));
      expect([told.length, told.slice(0, 10)]).toEqual([most, '{"total":3']);
      expect(told).toContain(`[cut: ${JSON.stringify(NOTES).length} characters in all]`);
    }
  });

  it('is cut between characters, whatever they are', async () => {
    const { run, models } = desk({
      tools: { look: () => '😀'.repeat(100) },
      allowed: [tool('look')],
      agent: { bridge: { maxChars: 45 } },
      says: [calls('look'), 'Done.'],
    });
    await run();
    const told = String(toldLast(models));
    expect([[...told].length, /\p{Surrogate}/u.test(told)]).toEqual([45, false]);
    expect(told.startsWith('😀')).toBe(true);
  });
});
