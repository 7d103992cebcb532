import { graphFromDefinition, loadGraph, type Signalbox } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { all, codeOf, createLab, START, STORES, until } from '../cases/testing/lab.ts';

const graphOf = (request: string) => {
  const { definition, faults } = loadGraph(`
name: patience
entry: ask
input: { type: object, properties: {} }
nodes:
  ask: { type: ask, request: ${request} }
  late: { type: transform, output: { late: "true" } }
routes:
  ask: [ { to: late, on: expired }, { to: end } ]
`);
  expect(faults).toEqual([]);
  return graphFromDefinition(definition!, []);
};

const eventsOf = async (box: Signalbox, runId: string, type: string) =>
  (await all(box.get(runId).events())).filter(event => event.type === type);

const DAY = 24 * 3_600_000;

describe.each(STORES)('a question that waits for ten years, on %s', kind => {
  it('over twenty restarts passes its deadline once, in the right second, and reminds once', {
    timeout: 60_000,
  }, async () => {
    const lab = createLab(kind);
    const graph = graphOf(
      '{ kind: confirmation, title: Still there?, deadline: { after: 3653d, on_expire: route }, remind: [ { before: 1d } ] }',
    );
    let box = lab.open({ graphs: [graph] });
    const run = await box.start(graph, {});
    const [question] = (await run.settled()).requests;
    for (let restart = 1; restart <= 20; restart += 1) {
      box = restart % 2 === 0 ? await lab.restart(box, { graphs: [graph] }) : await killed(lab, box, graph);
      await box.ready();
      await lab.clock.advance(restart < 20 ? 182 * DAY : 3653 * DAY - 19 * 182 * DAY - 1);
      expect((await box.get(run.id).view()).status).toBe('suspended');
    }
    expect((await eventsOf(box, run.id, 'request.reminded')).map(({ at }) => Date.parse(at))).toEqual([
      Date.parse(START) + 3652 * DAY,
    ]);
    await lab.clock.advance(1);
    expect(await box.get(run.id).settled()).toMatchObject({ status: 'completed', output: { late: true } });
    const expired = await eventsOf(box, run.id, 'request.expired');
    expect(expired.map(({ at }) => Date.parse(at))).toEqual([Date.parse(START) + 3653 * DAY]);
    expect(await codeOf(box.answer(question!.id, { action: 'approve' }))).toBe('RequestExpired');
  });

  it('reminds whoever listens, at the time, and not of what is answered', async () => {
    const lab = createLab(kind);
    const graph = graphOf('{ kind: confirmation, title: Well?, remind: [ { after: 1d }, { after: 2d } ] }');
    const box = lab.open({ graphs: [graph] });
    const told: string[] = [];
    box.onRequest('desk', ({ type, at }) => void told.push(`${type} ${at.slice(0, 10)}`));
    const run = await box.start(graph, {});
    const [question] = (await run.settled()).requests;
    await lab.clock.advance('1d');
    await until(async () => told.includes('request.reminded 2026-03-03'));
    await box.answer(question!.id, { action: 'approve' });
    await lab.clock.advance('3d');
    await until(async () => told.some(text => text.startsWith('request.answered')));
    expect(told).toEqual(['request.opened 2026-03-02', 'request.reminded 2026-03-03', 'request.answered 2026-03-03']);
  });

  it('goes from one to the next, and fails when the last did not answer either', async () => {
    const lab = createLab(kind);
    const graph = graphOf(
      '{ kind: confirmation, title: Who?, assign: user:a, deadline: { after: 1d, on_expire: escalate, to: [user:b, role:c] } }',
    );
    const box = lab.open({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    const asked = async () => {
      await lab.clock.settle();
      return (await box.inbox()).rows.map(({ assignees }) => assignees[0]);
    };
    const seen = [await asked()];
    for (let day = 0; day < 3; day += 1) {
      await lab.clock.advance('1d');
      seen.push(await asked());
    }
    expect(seen).toEqual([['user:a'], ['user:b'], ['role:c'], []]);
    expect(await run.settled()).toMatchObject({ status: 'failed', error: { code: 'RequestExpired' } });
  });
});

async function killed(lab: ReturnType<typeof createLab>, box: Signalbox, graph: ReturnType<typeof graphOf>) {
  await lab.kill(box);
  return lab.open({ graphs: [graph] });
}
