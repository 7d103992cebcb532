import { join } from 'node:path';
import { createSignalbox } from 'signalbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { all, codeOf, temporaryFolder, until } from './testing/lab.ts';
import { linesOf, shop } from './testing/shop.ts';
import { startWorker } from './testing/worker.ts';

function place() {
  const folder = temporaryFolder();
  return { path: join(folder, 'store.db'), witness: join(folder, 'witness.txt') };
}

/** Another process, which is this one. With a short lease it soon looks for what a dead one left. */
function open({ path, witness }: ReturnType<typeof place>, options: { lease?: number } = {}) {
  const graphs = shop({ witness });
  const box = createSignalbox({ path, graphs: Object.values(graphs) as never[], ...options });
  onTestFinished(() => box.close({ grace: 0 }));
  return { box, graphs };
}

const takeOver = (here: ReturnType<typeof place>) => open(here, { lease: 1_000 });

describe('several processes on one SQLite file', () => {
  it('C02 many answers race for one question: exactly one wins', { timeout: 120_000 }, async () => {
    const here = place();
    const { box, graphs } = open(here);
    const workers = [startWorker(here.path, here.witness, 'answer'), startWorker(here.path, here.witness, 'answer')];
    await until(async () => workers.every(worker => worker.said.length === 1));
    for (let time = 0; time < 50; time += 1) {
      const run = await box.start(graphs.charge, {});
      const [asked] = (await run.settled()).requests;
      const before = workers.map(worker => worker.said.length);
      for (let index = 0; index < 20; index += 1)
        workers[index % 2]!.tell({ request: asked!.id, key: `${time}-${index}`, approve: index !== time % 20 });
      const outcomes = await until(async () => {
        const said = workers.flatMap((worker, index) => worker.said.slice(before[index]));
        return said.length === 20 && said;
      });
      const accepted = outcomes.filter(outcome => 'accepted' in outcome);
      expect(accepted).toHaveLength(1);
      const codes = outcomes.filter(outcome => 'code' in outcome).map(outcome => outcome.code);
      expect(new Set(codes)).toEqual(new Set(['AlreadyAnswered']));
      const view = await until(async () => {
        const now = await run.view();
        return now.status === 'completed' && now;
      });
      expect(view.requests).toEqual([]);
      const answered = (await all(run.events())).filter(event => event.type === 'request.answered');
      expect(answered).toHaveLength(1);
      const charged = linesOf(here.witness).filter(line => line === `charge ${run.id}`);
      expect(charged).toHaveLength(accepted[0]!.accepted === true ? 1 : 0);
      const [key, approve] = [accepted[0]!.key as string, accepted[0]!.accepted as boolean];
      await box.answer(asked!.id, { values: { approve }, key, as: 'user:finn' });
      expect(await codeOf(box.answer(asked!.id, { values: { approve: !approve }, key, as: 'user:finn' }))).toBe(
        'AlreadyAnswered',
      );
    }
    for (const worker of workers) worker.close();
    expect(await Promise.all(workers.map(worker => worker.ended))).toEqual([0, 0]);
    expect(workers.map(worker => worker.errors())).toEqual(['', '']);
  });

  it('C25 several processes can append to one SQLite store', { timeout: 120_000 }, async () => {
    const here = place();
    const { box } = open(here);
    const workers = Array.from({ length: 6 }, (_, index) =>
      startWorker(here.path, here.witness, 'many', `p${index}`, '100'),
    );
    let working = true;
    const reading = (async () => {
      while (working) {
        await box.runs({ limit: 1000 });
        await new Promise(resolve => setTimeout(resolve, 5));
      }
    })();
    const ends = await Promise.all(workers.map(worker => worker.ended));
    working = false;
    await reading;
    expect(workers.map(worker => worker.errors())).toEqual(['', '', '', '', '', '']);
    expect(ends).toEqual([0, 0, 0, 0, 0, 0]);
    const said = workers.flatMap(worker => worker.said);
    expect(said).toHaveLength(600);
    expect(new Set(said.map(line => line.status))).toEqual(new Set(['completed']));
    expect((await box.runs({ limit: 1000 })).rows).toHaveLength(600);
    for (const { run } of said) {
      const events = await all(box.get(run as string).events());
      expect(events.map(event => event.seq)).toEqual(events.map((_, index) => index + 1));
      const started = events.filter(event => event.type === 'node.started').map(event => event.data.node);
      expect(started).toEqual(['a', 'b', 'c']);
    }
    expect((await box.store.inspect()).problems).toEqual([]);
  });

  const KILL_POINTS = ['before end of s1', 'after start of s2', 'after effect of s2', 'after start of s3'];

  it.each(KILL_POINTS)('C22 a crash %s does not duplicate the effect', async killAt => {
    const here = place();
    const worker = startWorker(here.path, here.witness, 'ledger', killAt);
    expect(await worker.ended).toBe('SIGKILL');
    const id = worker.said[0]!.run as string;
    const { box } = takeOver(here);
    expect((await box.get(id).settled()).status).toBe('completed');
    const entries = new Set(linesOf(here.witness));
    expect([...entries].map(line => line.split(' ')[0])).toEqual(['s1', 's2', 's3']);
    expect(new Set([...entries].map(line => line.split(' ')[1])).size).toBe(3);
    const raw = linesOf(here.witness).length;
    expect(raw).toBe(killAt === 'after effect of s2' || killAt === 'before end of s1' ? 4 : 3);
  });

  it.each(KILL_POINTS)('C22 a crash %s does not send a text twice', async killAt => {
    const here = place();
    const worker = startWorker(here.path, here.witness, 'texts', killAt);
    expect(await worker.ended).toBe('SIGKILL');
    const id = worker.said[0]!.run as string;
    const { box } = takeOver(here);
    const view = await box.get(id).settled();
    const sent = () => linesOf(here.witness).filter(line => line.startsWith('s2 '));
    expect(sent()).toHaveLength(1);
    if (killAt !== 'after effect of s2') {
      expect(view.status).toBe('completed');
      return;
    }
    expect(view).toMatchObject({ status: 'suspended', requests: [{ about: 'doubt' }] });
    await box.answer(view.requests[0]!.id, { values: { outcome: 'done' } });
    expect((await box.get(id).settled()).status).toBe('completed');
    expect(sent()).toHaveLength(1);
  });

  it.each([
    ['before effect of s1', 's1'],
    ['before end of s1', 's1'],
    ['after start of s2', 'nothing'],
    ['before effect of s2', 's2'],
    ['after effect of s2', 's2'],
    ['before end of s2', 's2'],
    ['after start of s3', 'nothing'],
    ['before effect of s3', 's3'],
  ])('C22 of effects that are each done once, a crash %s leaves in doubt: %s', async (killAt, inDoubt) => {
    const here = place();
    const worker = startWorker(here.path, here.witness, 'charges', killAt);
    expect(await worker.ended).toBe('SIGKILL');
    const id = worker.said[0]!.run as string;
    const { box } = takeOver(here);
    const view = await box.get(id).settled();
    expect(view.requests.map(({ about, node }) => [about, node])).toEqual(
      inDoubt === 'nothing' ? [] : [['doubt', inDoubt]],
    );
    const isDone = linesOf(here.witness).some(line => line.startsWith(`${inDoubt} `));
    for (const { id } of view.requests) await box.answer(id, { values: { outcome: isDone ? 'done' : 'repeat' } });
    expect((await box.get(id).settled()).status).toBe('completed');
    expect(linesOf(here.witness).map(line => line.split(' ')[0])).toEqual(['s1', 's2', 's3']);
  });

  it('C23 same start key: same run, or a conflict - never damage', async () => {
    const here = place();
    const worker = startWorker(here.path, here.witness, 'x', '', '10000');
    const id = (await until(async () => worker.said[0])).run as string;
    const first = takeOver(here);
    const { x, y } = first.graphs;
    expect((await first.box.start(x, { n: 1 }, { key: 'order-88' })).id).toBe(id);
    expect(await codeOf(first.box.start(x, { n: 2 }, { key: 'order-88' }))).toBe('StartKeyConflict');
    expect(await codeOf(first.box.start(y, { n: 1 }, { key: 'order-88' }))).toBe('StartKeyConflict');
    const other = await first.box.start(x, { n: 1 }, { key: 'order-88', tenant: 'T2' });
    expect(other.id).not.toBe(id);
    expect(await other.settled()).toMatchObject({ status: 'completed', output: 1, tenant: 'T2' });
    expect((await first.box.get(id).view()).status).toBe('running');
    worker.kill();
    expect(await worker.ended).toBe('SIGKILL');
    expect(await first.box.get(id).settled()).toMatchObject({ status: 'completed', output: 1 });
    expect((await first.box.runs()).rows.map(row => row.runId)).toEqual([id]);
  });
});
