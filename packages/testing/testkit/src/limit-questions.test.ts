import { defineGraph, exportGraph, graphFromDefinition, loadGraph } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testbox } from './testbox.ts';

const counter = defineGraph({
  name: 'counter',
  input: z.object({ goal: z.number() }),
  state: z.object({ count: z.number().default(0) }),
  limits: {
    maxVisits: 3,
    onReached: {
      ask: {
        title: 'Count on?',
        assign: 'role:lead',
        deadline: { after: '2d', onExpire: 'escalate', to: 'role:owner' },
      },
    },
  },
});
const inCode = counter.build({
  entry: 'tick',
  nodes: { tick: counter.transform({ update: { count: 'state.count + 1' } }) },
  routes: { tick: [{ to: 'end', when: 'state.count >= input.goal' }, { to: 'tick' }] },
});

const YAML = `
name: counter
entry: tick
input: { type: object, required: [goal], properties: { goal: { type: number } } }
state: { type: object, properties: { count: { type: number, default: 0 } } }
nodes:
  tick: { type: transform, update: { count: state.count + 1 } }
routes:
  tick:
    - { to: end, when: state.count >= input.goal }
    - { to: tick }
limits:
  maxVisits: 3
  onReached:
    ask: { title: Count on?, assign: role:lead, deadline: { after: 48h, onExpire: escalate, to: role:owner } }
`;

describe('a limit at which a person is asked', () => {
  it('is written alike in TypeScript and YAML, and goes through a file unchanged', () => {
    const loaded = loadGraph(YAML);
    expect(loaded.faults).toEqual([]);
    const inYaml = graphFromDefinition(loaded.definition!, []);
    expect(inYaml.versionHash).toBe(inCode.versionHash);
    const again = loadGraph(exportGraph(inCode.definition, 'yaml')).definition!;
    expect(graphFromDefinition(again, []).versionHash).toBe(inCode.versionHash);
  });

  it('has another version than one that fails there; `fail` and silence are one', () => {
    const hash = (limits: string) => {
      const { definition } = loadGraph(`${YAML.slice(0, YAML.indexOf('limits:'))}limits: ${limits}\n`);
      return graphFromDefinition(definition!, []).versionHash;
    };
    expect(hash('{ maxVisits: 3, onReached: fail }')).toBe(hash('{ maxVisits: 3 }'));
    expect(hash('{ maxVisits: 3, onReached: ask }')).not.toBe(hash('{ maxVisits: 3 }'));
    expect(hash('{ maxVisits: 3, onReached: { ask: {} } }')).toBe(hash('{ maxVisits: 3, onReached: ask }'));
  });

  it('is checked: who is asked next must be named, and what is no way to end is told', () => {
    const faults = (onReached: string) =>
      loadGraph(`${YAML.slice(0, YAML.indexOf('onReached:'))}onReached: ${onReached}\n`).faults.map(
        ({ code, line }) => ({
          code,
          line,
        }),
      );
    expect(faults('wait')).toEqual([{ code: 'UnknownValue', line: 14 }]);
    expect(faults('{ ask: { deadline: { after: 1h, onExpire: escalate } } }')).toEqual([
      { code: 'EscalateWithoutTo', line: 14 },
    ]);
    expect(faults('{ ask: { deadline: { after: 1h, onExpire: route } } }')).toEqual([
      { code: 'UnknownValue', line: 14 },
    ]);
  });

  it('goes on when that is approved, and shows who let it', async () => {
    const box = testbox({ graphs: [inCode] });
    const run = await box.start(inCode, { goal: 5 });
    const asked = await run.settled();
    if (asked.status !== 'suspended') throw new Error(asked.status);
    expect(asked.requests).toMatchObject([
      { title: 'Count on?', about: 'limit', node: 'tick', assignees: ['role:lead'], context: { reached: 3, value: 3 } },
    ]);
    await box.answer(asked.requests[0]!.id, { action: 'approve', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    const said = [];
    for await (const { type, actor, data } of run.events())
      if (type === 'decision.made') said.push({ by: actor.id, point: data.point, chosen: data.chosen });
    expect(said).toEqual([{ by: 'finn', point: 'limit:maxVisits', chosen: 'goOn' }]);
    await box.close();
  });

  it('is another person’s when nobody answers, and fails when nobody does then', async () => {
    const box = testbox({ graphs: [inCode] });
    const run = await box.start(inCode, { goal: 5 });
    await run.settled();
    await box.advance('2d');
    expect(await run.view()).toMatchObject({ requests: [{ assignees: ['role:owner'] }] });
    await box.advance('2d');
    expect(await run.view()).toMatchObject({ status: 'failed', error: { code: 'LimitReached' } });
    await box.close();
  });
});
