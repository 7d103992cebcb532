import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModel, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadPrompt } from '../loader/load-prompt.ts';
import type { ToolCode } from './agent-parts.ts';
import type { ContractChoice } from './contract-use.ts';
import { defineGraph } from './define-graph.ts';

const CONTRACT = {
  version: '1.0',
  agent_name: 'desk',
  allowed_tools: [
    {
      name: 'look',
      effect: 'read',
      input_schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' } },
        additionalProperties: false,
      },
    },
    {
      name: 'pay',
      effect: 'once',
      approval: true,
      input_schema: {
        type: 'object',
        required: ['cents'],
        properties: { cents: { type: 'integer', minimum: 1 } },
        additionalProperties: false,
      },
    },
  ],
};

function desk(tools: Record<string, ToolCode>, contract: ContractChoice = CONTRACT) {
  const builder = defineGraph({
    name: 'desk',
    input: z.object({ ask: z.string() }),
    state: z.object({ note: z.string().optional() }),
  });
  const agent = builder.agent({
    model: 'test/one',
    contract,
    tools,
    prompt: ({ input }) => input.ask,
    timeout: '10m',
  });
  return builder.build({ entry: 'agent', nodes: { agent }, routes: {} });
}

describe('an agent', () => {
  it('is never judged by the contract of another that has the same name', async () => {
    const builder = defineGraph({ name: 'two', input: z.object({}) });
    const agent = (allowed_tools: readonly object[]) =>
      builder.agent({
        model: 'test/one',
        contract: { version: '1.0', agent_name: 'desk', allowed_tools },
        tools: { look: () => 'seen' },
        prompt: 'Go.',
      });
    const started = async (second: readonly object[]) => {
      const nodes = { first: agent(CONTRACT.allowed_tools), second: agent(second) };
      const graph = builder.build({ entry: 'first', nodes, routes: { first: [{ to: 'second' }] } });
      const box = testbox({ graphs: [graph], models: scriptedModel(['One.', 'Two.']) });
      return await (await box.start(graph, {})).settled();
    };
    await expect(started([])).rejects.toMatchObject({ code: 'DuplicateContract', details: { contract: 'desk' } });
    expect(await started(CONTRACT.allowed_tools)).toMatchObject({ status: 'completed', output: 'Two.' });
  });

  it('calls what its contract allows, and ends with its reply', async () => {
    const seen: unknown[] = [];
    const models = scriptedModel([{ calls: [{ tool: 'look', arguments: { id: 'a1' } }] }, 'It is fine.']);
    const box = testbox({
      graphs: [
        desk({
          look: args => {
            seen.push(args);
            return { ok: true };
          },
        }),
      ],
      models,
    });
    const run = await box.start('desk', { ask: 'Is a1 fine?' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'It is fine.' });
    expect(seen).toEqual([{ id: 'a1' }]);
    expect(models.requests[1]!.messages).toEqual([
      { role: 'user', text: 'Is a1 fine?' },
      { role: 'assistant', calls: [{ id: 'call_1', tool: 'look', arguments: '{"id":"a1"}' }] },
      { role: 'tool', id: 'call_1', tool: 'look', result: '{"ok":true}' },
    ]);
  });

  it('takes prompts of files, whose hashes are part of the version of the graph and stand in the record of its call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-'));
    const file = join(folder, 'look.md');
    const graphOf = (text: string) => {
      writeFileSync(file, text);
      const builder = defineGraph({ name: 'filed', input: z.object({ id: z.string() }) });
      const prompt = loadPrompt(file);
      const look = builder.agent({ model: 'test/one', contract: { agent_name: 'a', allowed_tools: [] }, prompt });
      return { hash: prompt.hash, graph: builder.build({ entry: 'look', nodes: { look }, routes: {} }) };
    };
    const { graph, hash } = graphOf('Look at {{ input.id }}.');
    const models = scriptedModel(['Seen.']);
    const box = testbox({ graphs: [graph], models });
    const run = await box.start(graph, { id: 'a1' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Seen.' });
    expect(models.requests[0]!.messages).toEqual([{ role: 'user', text: 'Look at a1.' }]);
    const intended: unknown[] = [];
    for await (const { type, data } of run.events()) if (type === 'op.intended') intended.push(data);
    expect(intended).toMatchObject([{ request: { prompts: [{ name: 'look', hash }] } }]);
    expect(graphOf('Look closely at {{ input.id }}.').graph.versionHash).not.toBe(graph.versionHash);
    rmSync(folder, { recursive: true });
  });

  it('waits for an approval of exactly what runs', async () => {
    const paid: unknown[] = [];
    const models = scriptedModel([{ calls: [{ tool: 'pay', arguments: { cents: 500 } }] }, 'Paid.']);
    const box = testbox({
      graphs: [
        desk({
          pay: args => {
            paid.push(args);
            return null;
          },
        }),
      ],
      models,
    });
    const run = await box.start('desk', { ask: 'Pay.' });
    const waiting = await run.settled();
    expect(waiting.status).toBe('suspended');
    expect(paid).toEqual([]);
    const [request] = (await box.inbox()).rows;
    await box.answer(request!.requestId, { action: 'approve', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect(paid).toEqual([{ cents: 500 }]);
  });
});
