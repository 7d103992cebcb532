import { graphFromDefinition, loadGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { all, createLab, STORES } from './testing/lab.ts';

describe.each(STORES)('on %s', store => {
  function loop({ form = false, onLimit = true }: { form?: boolean; onLimit?: boolean }) {
    const { definition, faults } = loadGraph(`
name: loop
entry: tick
input: { type: object, required: [goal], properties: { goal: { type: integer } } }
state: { type: object, properties: { count: { type: integer, default: 0 } } }
nodes:
  tick: { type: transform, limits: { maxVisits: 3 }, update: { count: state.count + 1 } }
  ${form ? 'again: { type: ask, request: { kind: confirmation, title: Again? } }' : ''}
  done: { type: transform }
  ${onLimit ? 'gave_up: { type: transform }' : ''}
routes:
  tick:
    - { to: done, when: state.count >= input.goal }
    - { to: ${form ? 'again' : 'tick'} }
    ${onLimit && !form ? '- { to: gave_up, on: limit }' : ''}
  ${form ? 'again: [ { to: tick }, { to: gave_up, on: limit } ]' : ''}
`);
    if (definition === undefined) throw new Error(JSON.stringify(faults));
    return graphFromDefinition(definition, []);
  }

  it('C36 a limit of three means three, and the result is kept', async () => {
    const lab = createLab(store);
    let box = lab.open();
    const outcome = async (graph: ReturnType<typeof loop>, goal: number) => {
      const run = await box.start(graph, { goal });
      const view = await run.settled();
      const started = (await all(run.events())).filter(event => event.type === 'node.started').map(e => e.data.node);
      return { status: view.status, view, nodes: started, state: await run.state() };
    };
    expect(await outcome(loop({}), 100)).toMatchObject({
      status: 'completed',
      nodes: ['tick', 'tick', 'tick', 'gave_up'],
      state: { count: 3 },
    });
    expect(await outcome(loop({}), 2)).toMatchObject({
      status: 'completed',
      nodes: ['tick', 'tick', 'done'],
      state: { count: 2 },
    });
    expect(await outcome(loop({}), 3)).toMatchObject({
      status: 'completed',
      nodes: ['tick', 'tick', 'tick', 'done'],
      state: { count: 3 },
    });
    const failed = await outcome(loop({ onLimit: false }), 100);
    expect(failed).toMatchObject({ status: 'failed', nodes: ['tick', 'tick', 'tick'], state: { count: 3 } });
    expect(failed.view).toMatchObject({
      error: {
        code: 'LimitReached',
        message: expect.stringMatching(/tick.*3|3.*tick/),
        details: { limit: 'maxVisits' },
      },
    });

    const withForm = loop({ form: true });
    const { id } = await box.start(withForm, { goal: 100 });
    for (let round = 0; round < 3; round += 1) {
      await box.get(id).settled();
      box = await lab.restart(box);
      await box.get(id).answer({ action: 'approve' });
    }
    expect((await box.get(id).settled()).status).toBe('completed');
    expect(await box.get(id).state()).toEqual({ count: 3 });
    const nodes = (await all(box.get(id).events())).filter(e => e.type === 'node.started').map(e => e.data.node);
    expect(nodes).toEqual(['tick', 'again', 'tick', 'again', 'tick', 'again', 'gave_up']);
  });
});
