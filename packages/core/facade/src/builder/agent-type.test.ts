import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModel, testbox } from '@signalbox/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadGraph } from '../loader/load-graph.ts';
import { agentType } from './agent-type.ts';
import { graphFromDefinition } from './graph-from-definition.ts';
import { declarationsOf } from './node-type.ts';

const CONTRACT = `
version: '1.0'
agent_name: desk
allowed_tools:
  - name: hold
    effect: once
    input_schema: { type: object, required: [order], properties: { order: { type: string } } }
    compensate: { tool: release, args: { order: args.order } }
  - name: release
    effect: repeat
    input_schema: { type: object, required: [order], properties: { order: { type: string } } }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
  writeFileSync(join(folder, 'desk.yaml'), CONTRACT);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const done: string[] = [];
const TYPE = agentType({
  tools: {
    hold: ({ order }) => {
      done.push(`hold ${order}`);
      return { held: order, since: 'x'.repeat(200) };
    },
    release: ({ order }) => done.push(`release ${order}`),
  },
});

function deskOf(settings: string) {
  const text = `
name: desk
input: { type: object, required: [ask], properties: { ask: { type: string } } }
entry: agent
nodes:
  agent:
    type: agent
    with:
      model: test/one
      contract: ${join(folder, 'desk.yaml')}
      prompt: 'Asked: {{ input.ask }}'
${settings}
  check: { type: wait, for: 1d }
routes:
  agent: [{ to: check, when: input.ask == 'Hold and wait.' }, { to: end }]
`;
  const { definition, faults } = loadGraph(text, { types: declarationsOf([TYPE]) });
  expect(faults.filter(({ severity }) => severity === 'error')).toEqual([]);
  return graphFromDefinition(definition!, [TYPE]);
}

describe('an agent of a graph file', () => {
  it('works by its contract, its texts filled in, and keeps to its settings', async () => {
    done.length = 0;
    const graph = deskOf(`      system: You are the desk of {{ input.ask.size() }} letters.
      output: { type: object, required: [held], properties: { held: { type: string } } }
      maxTurns: 3
      maxOutputTokens: 99
      temperature: 0.5
      bridge: { maxChars: 60 }`);
    const models = scriptedModel([{ calls: [{ tool: 'hold', arguments: { order: 'R-17' } }] }, '{"held":"R-17"}']);
    const box = testbox({ graphs: [graph], types: [TYPE], models });
    const run = await box.start('desk', { ask: 'Hold it.' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { held: 'R-17' } });
    expect(done).toEqual(['hold R-17']);
    const [first, second] = models.requests;
    expect(first).toMatchObject({
      model: 'test/one',
      messages: [{ role: 'user', text: 'Asked: Hold it.' }],
      temperature: 0.5,
      maxOutputTokens: 99,
      output: { required: ['held'] },
    });
    expect(first!.system).toContain('You are the desk of 8 letters.');
    const last = second!.messages.at(-1)!;
    expect(last.role === 'tool' && String(last.result).length).toBe(60);
  });

  it('has its calls undone where the run is', async () => {
    done.length = 0;
    const models = scriptedModel([{ calls: [{ tool: 'hold', arguments: { order: 'R-17' } }] }, 'Held.']);
    const box = testbox({ graphs: [deskOf('')], types: [TYPE], models });
    const run = await box.start('desk', { ask: 'Hold and wait.' });
    expect(await run.settled()).toMatchObject({ status: 'suspended' });
    await run.cancel({ compensate: true });
    expect(await run.settled()).toMatchObject({ status: 'cancelled' });
    expect(done).toEqual(['hold R-17', 'release R-17']);
  });
});

it('says how agents come to be there, where none is registered', () => {
  const { faults } = loadGraph('name: desk\nentry: a\nnodes: { a: { type: agent } }\n');
  expect(faults.find(({ code }) => code === 'UnknownNodeType')?.hint).toContain('types: [agentType({ tools })]');
});
