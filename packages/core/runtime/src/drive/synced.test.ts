import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { answerRun } from '../engine/answer-run.ts';
import { Engine } from '../engine/engine.ts';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';

interface Asked {
  /** Of an operation with its class: `op.intended once`. */
  readonly types: readonly string[];
  readonly sync: boolean;
}

/** A store that keeps what each commit held and whether it was to be synced. */
function watched(store: EventStore) {
  const asked: Asked[] = [];
  const commit: EventStore['commit'] = (batch, options) => {
    const types = batch.appends.flatMap(append =>
      append.commit.events.map(({ type, data }) =>
        type === 'op.intended' ? `${type} ${(data as { class: string }).class}` : type,
      ),
    );
    asked.push({ types, sync: options.sync });
    return store.commit(batch, options);
  };
  return { store: { ...store, commit }, asked };
}

function engineOn(graph: ReturnType<typeof codeGraph>) {
  const clock = createSimulatedClock();
  const { store, asked } = watched(createMemoryStore({ shared: createMemoryData({ chain: true }) }));
  const ids = createSeededIds('p');
  const codec = { toDefinition: (request: unknown) => request as never };
  const engine = new Engine({ store, clock, host: createEmbeddedHost({ clock }), ids, codec });
  engine.register(graph);
  return { engine, clock, asked };
}

const user = (id: string) => ({ kind: 'user', id }) as const;

/** Those of these types that were committed without a sync. */
function notSynced(asked: readonly Asked[], types: readonly string[]): readonly string[] {
  const seen = (type: string) => asked.filter(commit => commit.types.includes(type));
  for (const type of types) expect(seen(type), type).not.toEqual([]);
  return types.filter(type => seen(type).some(({ sync }) => !sync));
}

describe('A commit under `relaxed`', () => {
  it('is synced when it starts a run, intends an effect done once, takes an answer or an approval, or ends the run', async () => {
    const graph = codeGraph({
      begin: () => 0,
      pay: ctx => ctx.run('pay', () => 1, { once: true }),
      look: ctx => ctx.run('look', () => 2),
      ask: ctx => ctx.ask('sure', CONFIRM),
      askTwo: ctx => ctx.ask('sure', { ...CONFIRM, quorum: 2 }),
      end: ctx => ctx.sleep('rest', '1m'),
    });
    const { engine, clock, asked } = engineOn(graph);
    const id = await engine.start(graph, {});
    await engine.settled(id);
    for (const name of ['eve', 'ada', 'bob']) {
      await answerRun(engine, id, { action: 'approve' }, user(name));
      await engine.settled(id);
    }
    await clock.advance(60_000);
    await engine.settled(id);
    const promised = ['run.started', 'op.intended once', 'request.endorsed', 'request.answered', 'run.completed'];
    expect(notSynced(asked, promised)).toEqual([]);
    const others = asked.filter(({ types }) => !types.some(type => promised.includes(type)));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter(({ sync }) => sync)).toEqual([]);
    await engine.stop(0);
  });

  it('is synced when its run fails, and when it is cancelled', async () => {
    const failing = codeGraph({
      fail: () => {
        throw new Error('No.');
      },
    });
    const first = engineOn(failing);
    await first.engine.settled(await first.engine.start(failing, {}));
    expect(notSynced(first.asked, ['run.failed'])).toEqual([]);
    await first.engine.stop(0);

    const waiting = codeGraph({ wait: ctx => ctx.signal('go') });
    const second = engineOn(waiting);
    const id = await second.engine.start(waiting, {});
    await second.engine.settled(id);
    await second.engine.command(id, { type: 'cancel', reason: 'enough' }, user('ada'));
    await second.engine.settled(id);
    expect(notSynced(second.asked, ['run.cancelled'])).toEqual([]);
    await second.engine.stop(0);
  });
});
