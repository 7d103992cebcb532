import { testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';
import { graphFromDefinition } from '../builder/graph-from-definition.ts';
import { loadGraph } from '../loader/load-graph.ts';

const FILE = `
name: guide
entry: size
input: { type: object, required: [message], properties: { message: { type: string } } }
state: { type: object, properties: { size: { type: string } } }
nodes:
  size:
    type: ask
    say: { cel: "'You take ' + state.size.orValue('?') + ', ' + output.values.choice" }
    request: { title: Which size?, options: [small, large] }
    update: { size: output.values.choice }
  thank: { type: transform, say: Thank you., output: { done: 'true' } }
  facts: { type: transform, say: { cel: "{'size': state.size.orValue('?'), 'asked': input.message}" } }
routes:
  size: [{ to: thank, on: [approve, edit] }, { to: thank }]
  thank: [{ to: facts, when: has(state.size) }, { to: end }]
`;

function guide() {
  const { definition, faults } = loadGraph(FILE);
  expect(faults).toEqual([]);
  return graphFromDefinition(definition!, []);
}

async function asked() {
  const box = testbox({ graphs: [guide()] });
  const session = await box.sessions.open();
  const { run } = await session.send('guide', 'a shirt, please');
  await run.settled();
  const said = async () => (await session.messages()).map(({ content, role, node }) => [role, node, content]);
  return { box, run, said };
}

describe('what a node says', () => {
  it('is a message of the session when the node has succeeded, with what it wrote', async () => {
    const { run, said } = await asked();
    expect(await said()).toEqual([['user', undefined, 'a shirt, please']]);
    await run.answer({ values: { choice: 'large' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(await said()).toEqual([
      ['user', undefined, 'a shirt, please'],
      ['assistant', 'size', 'You take large, large'],
      ['assistant', 'thank', 'Thank you.'],
      ['assistant', 'facts', { size: 'large', asked: 'a shirt, please' }],
    ]);
  });

  it('counts where its update does: not when the question was rejected', async () => {
    const { run, said } = await asked();
    await run.answer({ action: 'reject', as: 'user:finn' });
    await run.settled();
    expect((await said()).map(([, node]) => node)).toEqual([undefined, 'thank']);
  });

  it('is said to nobody without a session', async () => {
    const box = testbox({ graphs: [guide()] });
    const run = await box.start('guide', { message: 'x' });
    await run.settled();
    await run.answer({ values: { choice: 'large' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    for await (const { type } of run.events()) expect(type).not.toBe('message.added');
  });

  it('stands behind what the handler said, and fails the node when it cannot be evaluated', async () => {
    const builder = defineGraph({ name: 'desk', input: z.object({ message: z.string() }) });
    const work = builder.step({ say: { cel: "'Found ' + string(output.hits[0])" } }, ctx => {
      ctx.session?.say('Looking.');
      return { hits: ctx.input.message === 'none' ? [] : [7] };
    });
    const graph = builder.build({ entry: 'work', nodes: { work }, routes: {} });
    const box = testbox({ graphs: [graph] });
    const session = await box.sessions.open();
    const { run } = await session.send(graph, 'some');
    await run.settled();
    expect((await session.messages()).map(({ content }) => content)).toEqual(['some', 'Looking.', 'Found 7']);
    const { run: none } = await session.send(graph, 'none');
    expect(await none.settled()).toMatchObject({ status: 'failed', error: { code: 'ConditionError' } });
    expect((await session.messages()).map(({ content }) => content).at(-1)).toBe('none');
  });

  it('is checked with the graph', () => {
    const { faults } = loadGraph(FILE.replace('state.size.orValue', 'state.seize.orValue'));
    expect(faults).toMatchObject([{ pointer: '/nodes/size/say/cel' }]);
  });
});
