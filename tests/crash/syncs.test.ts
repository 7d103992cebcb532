import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@signalbox/ports';
import { createSqliteStore } from '@signalbox/store-sqlite';
import { createSignalbox, defineGraph } from 'signalbox';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

/** A store that counts the commits that came while one before them waited for the disk: they share its sync. */
function counting(store: EventStore): { readonly store: EventStore; readonly shared: () => number } {
  let waiting = 0;
  let shared = 0;
  const commit: EventStore['commit'] = async (...args) => {
    if (waiting > 0) shared += 1;
    waiting += 1;
    await store.commit(...args);
    waiting -= 1;
  };
  return { store: { ...store, commit }, shared: () => shared };
}

it('a step that does something once waits for the disk once: its intent takes the record of the step before along', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-syncs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { store, shared } = counting(createSqliteStore({ path: join(folder, 's.db') }));
  const box = createSignalbox({ store });
  const graph = defineGraph({
    name: 'row',
    input: z.object({}),
    state: z.object({ n: z.number().default(0) }),
    limits: { maxVisits: 100 },
  });
  const row = graph.build({
    entry: 'pay',
    nodes: {
      pay: graph.step(async ctx => {
        await ctx.run('pay', () => 1, { once: true });
        ctx.update({ n: ctx.state.n + 1 });
      }),
    },
    routes: { pay: [{ to: 'pay', when: 'state.n < 50' }, { to: 'end' }] },
  });
  const run = await box.start(row, {});
  expect((await run.settled()).status).toBe('completed');
  expect(shared()).toBe(49);
  await box.close();
});
