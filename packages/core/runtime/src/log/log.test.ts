import { createEmbeddedHost } from '@signalbox/host-embedded';
import { type Commit, commitTime } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { tamperedStore } from '../integrity/testing/tampered-store.ts';
import { verifyStream } from '../integrity/verify-stream.ts';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';
import { openCommit, sealText, toAppend } from './commit-codec.ts';
import { erasedValue, payloadsOf } from './payloads.ts';
import { commitsFrom, loadRun } from './run-log.ts';
import { writeSnapshot } from './snapshots.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(0);
});

/** An engine on a store whose answers the test may spoil. */
function world(graph: ReturnType<typeof codeGraph>) {
  const data = createMemoryData({ chain: true });
  const clock = createSimulatedClock();
  const spoilt = new Map<keyof EventStore, (value: never) => unknown>();
  const reads: string[] = [];
  const store = new Proxy(createMemoryStore({ shared: data }), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'onForeignCommit') return () => () => {};
      return async (...args: unknown[]) => {
        if (name === 'read') reads.push(`${args[0]} from ${(args[1] as { fromSeq?: number })?.fromSeq ?? 1}`);
        const value: unknown = await Reflect.apply(member, target, args);
        return spoilt.get(name as keyof EventStore)?.(value as never) ?? value;
      };
    },
  });
  const engine = new Engine({
    store,
    clock,
    host: createEmbeddedHost({ clock }),
    ids: createSeededIds(),
    codec: { toDefinition: request => request as never },
  });
  engines.push(engine);
  engine.register(graph);
  const start = async (input: object = {}) => {
    const id = await engine.start(graph, input as never);
    await engine.settled(id);
    return id;
  };
  const answer = async (id: string) => {
    const { run } = await engine.load(id);
    const [request] = run.requests.keys();
    const by = { kind: 'user', id: 'finn' } as const;
    await engine.command(id, { type: 'answer', request: request!, action: 'approve' }, by);
    await engine.settled(id);
  };
  return { engine, store, spoilt, reads, start, answer };
}

const BIG = 'x'.repeat(70_000);

const bigGraph = () =>
  codeGraph(
    {
      a: ctx => ctx.update({ plan: { text: BIG }, list: [{ text: BIG }] }),
      b: ctx => ctx.ask('go', CONFIRM).then(() => (ctx.state.plan as { text: string }).text?.length ?? ctx.state.plan),
    },
    {
      state: {
        plan: { schema: { type: 'object' } },
        list: { schema: { type: 'array' }, reducer: 'append' },
      },
    },
  );

describe('values over the limit', () => {
  it('stand in the log as references, each with its own digest, and are read back whole', async () => {
    const { engine, start, answer, store } = world(bigGraph());
    const id = await start();
    for await (const { commit, lean } of commitsFrom(store, id)) {
      expect(JSON.stringify(lean)).not.toContain('xxxx');
      for (const [index, event] of lean.events.entries())
        if (event.type === 'state.changed') {
          const changes = event.data.changes as unknown as { value: object }[];
          expect(changes.map(change => change.value)).toEqual([
            { $ref: 'payload', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
            { $ref: 'payload', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
          ]);
          expect(JSON.stringify(commit.events[index]!.data)).toContain(BIG);
        }
    }
    await answer(id);
    expect((await engine.load(id)).run.output).toBe(70_000);
  });

  const digestsOf = async (store: EventStore, id: string) => {
    const digests: string[] = [];
    for await (const { lean } of commitsFrom(store, id))
      for (const [, digest] of JSON.stringify(lean).matchAll(/"digest":"([0-9a-f]{64})"/g)) digests.push(digest!);
    return digests;
  };

  it('read as erased once their bytes are gone, also from memory and snapshots, while the chain still holds', async () => {
    const { engine, start, store } = world(bigGraph());
    const id = await start();
    const [plan, list] = await digestsOf(store, id);
    const by = { kind: 'user', id: 'finn' } as const;
    for (const digest of [plan!, list!])
      await engine.command(id, { type: 'erased', digest, reason: 'asked to' }, by, {
        erasures: [{ tenant: 'default', digest }],
      });
    const { run } = await engine.load(id);
    const root = run.tokens.get('')!;
    expect(root.state.plan).toEqual(erasedValue(plan!));
    expect(JSON.stringify((root.state.list as { toList(): unknown }).toList())).toBe(
      JSON.stringify([erasedValue(list!)]),
    );
    expect(await store.snapshot(id)).toBeUndefined();
  });

  it('are never taken for nothing when they are missing or damaged: run and seq are named, nothing is accepted', async () => {
    for (const [damage, told] of [
      [() => undefined, /missing/],
      [(text: string) => text.slice(0, -10), /digest/],
    ] as const) {
      const { engine, start, answer, spoilt, store } = world(bigGraph());
      const id = await start();
      const other = await start();
      const digests = await digestsOf(store, id);
      const raw = store.payload.bind(store);
      Object.defineProperty(store, 'payload', {
        value: async (tenant: string, digest: string) => {
          const text = await raw(tenant, digest);
          return digests.includes(digest) && text !== undefined ? damage(text) : text;
        },
      });
      spoilt.clear();
      await store.dropSnapshots(id);
      const unreadable = { code: 'LogUnreadable', details: { stream: id, seq: expect.any(Number) } };
      const fresh = loadRun(store, id);
      await expect(fresh).rejects.toMatchObject(unreadable);
      await expect(fresh).rejects.toThrow(told);
      await answer(other);
      expect((await engine.load(other)).run.status).toBe('completed');
    }
  });
});

describe('a log that ends before its head', () => {
  it('is an error for whoever wants to write to it, and not tried for ever', async () => {
    const { engine, store, start, spoilt } = world(bigGraph());
    const id = await start();
    const { run } = await engine.load(id);
    const head = await store.head(id);
    const noted = { type: 'note.added', data: {} };
    const by = { kind: 'user', id: 'finn' } as const;
    const last = {
      stream: id,
      firstSeq: run.seq + 1,
      at: commitTime(run.at),
      actor: by,
      prev: head!.hash!,
      events: [noted],
    };
    await store.commit({ appends: [toAppend(last)] }, { sync: false });
    spoilt.set('read', ((page: { lastSeq: number }[]) => page.filter(stored => stored.lastSeq <= run.seq)) as never);
    await expect(engine.command(id, { type: 'pause', reason: 'wait' }, by)).rejects.toMatchObject({
      code: 'LogUnreadable',
      details: { stream: id },
    });
  });
});

describe("values that look like the log's own marks", () => {
  it("are values: a run that is given the reference of another run's payload reads what it was given", async () => {
    const { engine, start, store } = world(bigGraph());
    const id = await start();
    const digests = payloadsOf((await commitOf(store, id, 'state.changed'))!);
    expect(digests).toHaveLength(2);
    for (const digest of [digests[0]!, '0'.repeat(64)]) {
      const note = { $ref: 'payload', digest };
      const other = await start(note);
      const loaded = (await loadRun(store, other))!.run;
      expect(loaded.input).toEqual(note);
      expect(JSON.stringify(loaded.input)).not.toContain('xxxx');
      expect((await engine.load(other)).run.status).toBe('suspended');
      expect(await verifyStream(store, other)).toMatchObject({ ok: true });
    }
  });

  it('are refused where they would say that something was erased', async () => {
    const { start } = world(bigGraph());
    const refused = start({ order: erasedValue('0'.repeat(64)) });
    await expect(refused).rejects.toMatchObject({
      code: 'InvalidValue',
      details: { pointer: '/input/order/$erased', reason: 'reservedKey' },
    });
  });

  it('cannot be pointed at from outside their place: a reference to nothing makes the log unreadable', async () => {
    const { start, store } = world(bigGraph());
    const id = await start();
    const [first] = await store.read(id);
    const commit = openCommit(first!);
    for (const refs of [{ '0/input': '0'.repeat(64) }, { '9/input': '' }, { '0/__proto__': '' }, { nowhere: '' }]) {
      const forged = { ...commit, refs };
      const other = { ...store, read: async () => [{ ...first!, sealed: sealText(JSON.stringify(forged)) }] };
      await expect(loadRun(other, id)).rejects.toMatchObject({ code: 'LogUnreadable' });
      expect(await verifyStream(other, id)).toMatchObject({ ok: false });
    }
  });
});

async function commitOf(store: EventStore, id: string, type: string): Promise<Commit | undefined> {
  for await (const { lean } of commitsFrom(store, id)) if (lean.events.some(event => event.type === type)) return lean;
  return undefined;
}

describe('snapshots', () => {
  const long = () =>
    codeGraph(
      {
        a: async ctx => {
          for (let step = 0; step < 200; step += 1) {
            await ctx.run(`step ${step}`, () => step);
            await ctx.sleep(`rest ${step}`, '0ms');
          }
          ctx.update({ list: Array.from({ length: 300 }, (_, index) => index) });
        },
        b: ctx => ctx.ask('go', CONFIRM).then(() => (ctx.state.list as number[]).length),
      },
      { state: { list: { schema: { type: 'array' }, reducer: 'append' } } },
    );

  it('spare most of the fold when a run is opened again', async () => {
    const { start, store, reads } = world(long());
    const id = await start();
    const snapshot = await store.snapshot(id);
    expect(snapshot).toBeDefined();
    reads.length = 0;
    const loaded = (await loadRun(store, id))!;
    expect(loaded.snapshotSeq).toBe(snapshot!.seq);
    expect(reads).toEqual([`${id} from ${snapshot!.seq}`, `${id} from ${snapshot!.seq + 1}`]);
    expect(loaded.tailCommits).toBeLessThan(200);
  });

  it.each([
    ['of another format', (snapshot: { format: number }) => ({ ...snapshot, format: snapshot.format + 1 })],
    ['cut', (snapshot: { body: string }) => ({ ...snapshot, body: snapshot.body.slice(0, -20) })],
    [
      'with one letter changed',
      (snapshot: { body: string }) => ({ ...snapshot, body: snapshot.body.replace('coded', 'codec') }),
    ],
  ])('%s are passed over, and the log is folded', async (_, damage) => {
    const { start, store, spoilt } = world(long());
    const id = await start();
    const whole = (await loadRun(store, id))!.run;
    spoilt.set('snapshot', damage as never);
    const loaded = (await loadRun(store, id))!;
    expect(loaded.snapshotSeq).toBe(0);
    expect(loaded.run.seq).toBe(whole.seq);
    expect(loaded.run.graph).toBe('coded');
  });

  it('of more than the log holds, or of another history, make the run unreadable: neither is believed', async () => {
    const { start, store } = world(long());
    const id = await start();
    const { seq } = (await store.snapshot(id))!;
    const unreadable = { code: 'LogUnreadable', details: { stream: id, seq } };
    const shorter = tamperedStore(store, commits => commits.filter(commit => commit.lastSeq < seq));
    await expect(loadRun(shorter, id)).rejects.toMatchObject(unreadable);
    const rewritten = tamperedStore(store, commits =>
      commits.map(commit =>
        commit.lastSeq === seq ? { ...commit, sealed: sealText(`${commit.sealed!.text} `) } : commit,
      ),
    );
    await expect(loadRun(rewritten, id)).rejects.toMatchObject(unreadable);
    await expect(loadRun(rewritten, id)).rejects.toThrow(/another history/);
  });

  it('are compared by `verify` with what the log says: a forged one is found', async () => {
    const { start, store } = world(long());
    const id = await start();
    expect(await verifyStream(store, id)).toMatchObject({ ok: true });
    const { hash, run } = (await loadRun(store, id, (await store.snapshot(id))!.seq))!;
    await writeSnapshot(store, { ...run, input: { forged: true } }, hash);
    expect(await verifyStream(store, id)).toMatchObject({
      ok: false,
      firstBad: { seq: run.seq, code: 'SnapshotMismatch' },
    });
    await store.dropSnapshots(id);
    expect(await verifyStream(store, id)).toMatchObject({ ok: true });
  });

  it('of moments that no commit ends with are found by `verify`', async () => {
    const { start, store } = world(long());
    const id = await start();
    const { seq } = (await store.snapshot(id))!;
    const cut = tamperedStore(store, commits => commits.filter(commit => commit.lastSeq < seq));
    expect(await verifyStream(cut, id)).toMatchObject({ ok: false, firstBad: { seq, code: 'SnapshotMismatch' } });
  });

  it('lie a bounded fold apart, from the beginning of a long run to its end', async () => {
    const { start, store } = world(
      codeGraph(
        { tick: ctx => ctx.update({ n: 1 }), last: ctx => ctx.ask('go', CONFIRM) },
        {
          state: { n: { schema: { type: 'integer' }, reducer: 'sum' } },
          routes: { tick: [{ to: ['tick'], when: 'state.n < 2000' }, { to: ['last'] }] },
          limits: { maxSteps: 10_000, maxVisits: 10_000 },
        },
      ),
    );
    const id = await start();
    const commits = await store.read(id, { limit: 10_000 });
    const ends = [0, ...(await store.snapshotSeqs(id)), commits.at(-1)!.lastSeq];
    const folds = ends
      .slice(1)
      .map((end, index) => commits.filter(({ lastSeq }) => lastSeq > ends[index]! && lastSeq <= end).length);
    expect(commits.length).toBeGreaterThan(1_900);
    expect(Math.max(...folds)).toBeLessThanOrEqual(150);
  });

  it('weigh less together than the log, also where each is larger than the one before', async () => {
    const { start, store } = world(
      codeGraph({
        a: async ctx => {
          for (let step = 0; step < 1_500; step += 1) await ctx.sleep(`rest ${step}`, '0ms');
          return await ctx.ask('go', CONFIRM);
        },
      }),
    );
    const id = await start();
    const seqs = await store.snapshotSeqs(id);
    const bodies = await Promise.all(seqs.map(async seq => (await store.snapshot(id, seq))!.body.length));
    const commits = await store.read(id, { limit: 10_000 });
    expect(bodies.length).toBeGreaterThan(2);
    expect(bodies).toEqual([...bodies].sort((a, b) => a - b));
    const log = commits.reduce((sum, { sealed }) => sum + sealed!.text.length, 0);
    expect(bodies.reduce((sum, body) => sum + body, 0)).toBeLessThan(log);
  });

  it('with a piece missing or damaged are passed over too', async () => {
    const { start, store, spoilt } = world(
      codeGraph(
        {
          a: ctx => ctx.update({ list: Array.from({ length: 600 }, (_, index) => index) }),
          b: async ctx => {
            for (let step = 0; step < 200; step += 1) await ctx.sleep(`rest ${step}`, '0ms');
            return await ctx.ask('go', CONFIRM);
          },
        },
        { state: { list: { schema: { type: 'array' }, reducer: 'append' } } },
      ),
    );
    const id = await start();
    expect((await store.snapshot(id))!.seq).toBeGreaterThan(0);
    for (const damage of [
      (chunks: object[]) => chunks.slice(1),
      (chunks: { text: string }[]) => chunks.map(chunk => ({ ...chunk, text: chunk.text.replace('1', '2') })),
    ]) {
      spoilt.set('chunks', damage as never);
      const loaded = (await loadRun(store, id))!;
      expect(loaded.snapshotSeq).toBe(0);
      expect((loaded.run.tokens.get('')!.state.list as { length: number }).length).toBe(600);
    }
    spoilt.delete('chunks');
    expect((await loadRun(store, id))!.snapshotSeq).toBeGreaterThan(0);
    // What was read once and found good is not read again.
    spoilt.set('chunks', (() => []) as never);
    expect((await loadRun(store, id))!.snapshotSeq).toBeGreaterThan(0);
  });
});
