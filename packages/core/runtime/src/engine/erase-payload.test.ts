import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyStream } from '../integrity/verify-stream.ts';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';
import { payloadsOf } from '../log/payloads.ts';
import { commitsFrom, loadRun } from '../log/run-log.ts';
import { writeSnapshot } from '../log/snapshots.ts';
import { forkRun } from './branch-run.ts';
import { Engine } from './engine.ts';
import { erasePayload } from './erase-payload.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(0);
});

const DPO = { kind: 'user', id: 'dpo' } as const;

async function world() {
  const clock = createSimulatedClock();
  const store = createMemoryStore({ chain: true });
  const codec = { toDefinition: (request: unknown) => request as never };
  const engine = new Engine({
    store,
    clock,
    host: createEmbeddedHost({ clock }),
    ids: createSeededIds(),
    codec,
    payloadLimit: 100,
  });
  engines.push(engine);
  const graph = codeGraph({ a: ctx => ctx.ask('go', CONFIRM) });
  engine.register(graph);
  const parent = await engine.start(graph, { letter: 'private '.repeat(50) });
  await engine.settled(parent);
  return { engine, store, parent };
}

async function firstDigest(store: EventStore, id: string): Promise<string> {
  for await (const { lean } of commitsFrom(store, id)) for (const digest of payloadsOf(lean)) return digest;
  throw new Error('no payload');
}

describe('an erasure', () => {
  it.each(['parent', 'child', 'grandchild'])('in the %s is one in every run that shares the value', async where => {
    const { engine, store, parent } = await world();
    const child = await forkRun(engine, parent, {}, DPO);
    const grandchild = await forkRun(engine, child, {}, DPO);
    const runs = { parent, child, grandchild };
    for (const id of Object.values(runs)) {
      const { run, hash } = (await loadRun(store, id))!;
      await writeSnapshot(store, run, hash);
      await engine.load(id);
    }
    const digest = await firstDigest(store, parent);
    await erasePayload(engine, runs[where as keyof typeof runs], digest, 'asked for', DPO);
    for (const id of Object.values(runs)) {
      expect((await engine.load(id)).run.input).toEqual({ $erased: digest });
      expect(JSON.stringify((await store.snapshot(id)) ?? null)).not.toContain('private');
      expect(await verifyStream(store, id)).toMatchObject({ ok: true });
      const events = [];
      for await (const { commit } of commitsFrom(store, id)) events.push(...commit.events.map(event => event.type));
      expect(events.filter(type => type === 'payload.erased')).toHaveLength(1);
    }
  });

  it('of something that the run does not refer to is refused, and changes nothing', async () => {
    const { engine, store, parent } = await world();
    const digest = await firstDigest(store, parent);
    const graph = codeGraph({ a: ctx => ctx.ask('go', CONFIRM) });
    const other = await engine.start(graph, { digest });
    await expect(erasePayload(engine, other, digest, 'not mine', DPO)).rejects.toMatchObject({
      code: 'UnknownPayload',
    });
    expect(await store.payload('default', digest)).toContain('private');
  });
});
