import { verifyStream } from '@signalbox/runtime';
import { createWorld, Testbox, type World } from '@signalbox/testkit';
import fc from 'fast-check';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const SESSION = 'ses_sim';

/** What is under way in the handlers of each process, by run; a process that dies takes its own with it. */
class Watch {
  readonly #under = new Map<number, Set<string>>();
  readonly #dead = new Set<number>();
  most = 0;

  /** Code of a dead process still runs in the simulation, where nothing of it counts any more. */
  begin(process: number, run: string): () => void {
    if (this.#dead.has(process)) return () => {};
    const own = this.#under.get(process) ?? new Set();
    this.#under.set(process, own.add(run));
    const alive = new Set([...this.#under.values()].flatMap(runs => [...runs]));
    this.most = Math.max(this.most, alive.size);
    return () => own.delete(run);
  }

  died(process: number): void {
    this.#under.delete(process);
    this.#dead.add(process);
  }
}

/** Works twice, for a second each, and asks in between where it is told to. */
function talking({ watch, world }: Scene, process: number) {
  const builder = defineGraph({ name: 'talking', input: z.object({ asks: z.boolean() }) });
  const work = async (run: string) => {
    const end = watch.begin(process, run);
    await new Promise<void>(resolve => world.clock.at(world.clock.now() + 1_000, resolve));
    end();
  };
  const think = builder.step(async ctx => {
    await ctx.run('first', () => work(ctx.run.id));
    if (ctx.input.asks) await ctx.ask('more', { title: 'More?', form: z.object({ more: z.boolean() }) });
    await ctx.run('second', () => work(ctx.run.id));
    ctx.session?.say(ctx.run.id);
    return null;
  });
  return builder.build({ entry: 'think', nodes: { think }, routes: {} });
}

interface Scene {
  readonly watch: Watch;
  readonly world: World;
}

type Act = {
  readonly kind: 'send' | 'answer' | 'cancel' | 'pause' | 'resume' | 'kill' | 'note' | 'time';
  readonly at: number;
};

const act = fc.record({
  kind: fc.constantFrom(
    'send',
    'send',
    'send',
    'answer',
    'answer',
    'cancel',
    'pause',
    'resume',
    'kill',
    'note',
    'time',
    'time',
    'time',
  ),
  at: fc.nat(1_000),
}) as fc.Arbitrary<Act>;

async function play(acts: readonly Act[]): Promise<{ watch: Watch; box: Testbox; runs: string[] }> {
  const world = createWorld({ chain: true });
  const watch = new Watch();
  const scene = { watch, world };
  let processes = 0;
  const open = () => {
    processes += 1;
    return { number: processes, box: new Testbox({ graphs: [talking(scene, processes)] }, world) };
  };
  const boxes = [open(), open()];
  const runs: string[] = [];
  for (const { kind, at } of acts) {
    const one = boxes[at % 2]!;
    const run = runs.length === 0 ? undefined : one.box.get(runs[at % runs.length]!);
    if (kind === 'time') await world.clock.advance(100 + at);
    await perform(kind, one.box, at, run, runs);
    if (kind === 'kill') {
      watch.died(one.number);
      processes += 1;
      const number = processes;
      const box = await one.box.restart({ graphs: [talking(scene, number)] });
      boxes[at % 2] = { number, box };
    }
  }
  const { box } = boxes[0]!;
  for (const id of runs)
    await box
      .get(id)
      .resume()
      .catch(() => {});
  for (let round = 0; round < 3; round += 1) {
    await world.clock.advance('60s');
    for (const { requestId } of (await box.inbox()).rows)
      await box.answer(requestId, { values: { more: true }, as: 'user:finn' });
  }
  await world.clock.advance('60s');
  return { watch, box, runs };
}

async function perform(
  kind: Act['kind'],
  box: Testbox,
  at: number,
  run: ReturnType<Testbox['get']> | undefined,
  runs: string[],
): Promise<void> {
  switch (kind) {
    case 'send':
      runs.push((await box.session(SESSION).send('talking', `m${at}`, { input: { asks: at % 3 === 0 } })).run.id);
      return;
    case 'answer': {
      const { rows } = await box.inbox();
      const row = rows[at % Math.max(1, rows.length)];
      if (row !== undefined) await box.answer(row.requestId, { values: { more: true }, as: 'user:finn' });
      return;
    }
    case 'cancel':
    case 'pause':
    case 'resume':
      // What a run cannot do as it stands is refused, and that is all.
      await run?.[kind]().catch(() => {});
      return;
    case 'note':
      if (run !== undefined) await box.session(SESSION).add(`note ${at}`);
      return;
    default:
      return;
  }
}

/** A run taken up by a process at the very moment of its death. */
const SENT_AS_IT_DIES: Act[] = [
  { kind: 'send', at: 57 },
  { kind: 'kill', at: 399 },
  { kind: 'cancel', at: 0 },
  { kind: 'send', at: 0 },
  { kind: 'send', at: 0 },
  { kind: 'kill', at: 85 },
];

describe('a session of two processes, whatever is sent, answered, steered and killed', () => {
  it('has one run at work at most, loses no turn, and comes to rest', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 20 }), async acts => {
        const { watch, box, runs } = await play(acts);
        expect(watch.most).toBeLessThanOrEqual(1);
        for (const id of runs) {
          const view = await box.get(id).view();
          // Three processes that die in one node are given up on: the run fails, and its turn is over as well.
          expect(['completed', 'cancelled', 'CrashLoop']).toContain(
            view.status === 'failed' ? view.error.code : view.status,
          );
        }
        if (runs.length === 0) return;
        const { status, executing, queued, runs: joined } = await box.session(SESSION).view();
        expect({ status, executing, queued, joined }).toEqual({
          status: 'idle',
          executing: [],
          queued: [],
          joined: runs.length,
        });
        expect((await verifyStream(box.store, SESSION)).ok).toBe(true);
      }),
      { numRuns: 150, examples: [[SENT_AS_IT_DIES]] },
    );
  });
});
