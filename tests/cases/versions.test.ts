import { createHash } from 'node:crypto';
import { defineGraph, type RunHandle, type Signalbox } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, createLab, STORES } from './testing/lab.ts';

async function nodesOf(run: RunHandle<unknown>): Promise<unknown[]> {
  return (await all(run.events())).filter(event => event.type === 'node.started').map(event => event.data.node);
}

async function hashOf(box: Signalbox, runId: string): Promise<string> {
  const commits = await box.store.read(runId);
  return createHash('sha256')
    .update(commits.map(commit => commit.sealed?.text ?? '').join('\n'))
    .digest('hex');
}

describe.each(STORES)('on %s', store => {
  it('C29 a waiting run finishes on the definition it started with', async () => {
    const desk = defineGraph({ name: 'process', input: z.object({}) });
    const v1 = desk.build({
      entry: 'A',
      nodes: {
        A: desk.transform({}),
        B: desk.ask({ title: 'Ok?', form: z.object({ ok: z.boolean() }) }),
        C: desk.step(() => 'C of v1'),
      },
      routes: { A: [{ to: 'B' }], B: [{ to: 'C' }] },
    });
    const v2 = desk.build({
      entry: 'A',
      nodes: {
        A: desk.transform({}),
        X: desk.transform({}),
        B: desk.ask({ title: 'Ok?', form: z.object({ ok: z.boolean(), why: z.string() }) }),
        C: desk.step({ rev: 2 }, () => 'C of v2'),
      },
      routes: { A: [{ to: 'X' }], X: [{ to: 'B' }], B: [{ to: 'C' }] },
    });
    const lab = createLab(store);
    const first = lab.open({ graphs: [v1] });
    const old = await first.start(v1, {});
    await old.settled();
    // The new deploy still has the code of the old version, whose definition it reads from the store.
    const box = await lab.restart(first, { graphs: [v1, v2] });
    const oldAgain = box.get(old.id);
    await oldAgain.answer({ values: { ok: true } });
    expect(await oldAgain.settled()).toMatchObject({ status: 'completed', version: v1.versionHash, output: 'C of v1' });
    expect(await nodesOf(oldAgain)).toEqual(['A', 'B', 'C']);

    const fresh = await box.start<unknown, unknown>('process', {});
    await fresh.settled();
    await expect(fresh.answer({ values: { ok: true } })).rejects.toMatchObject({
      code: 'InvalidAnswer',
      details: { issues: [expect.objectContaining({ pointer: '/why' })] },
    });
    await fresh.answer({ values: { ok: true, why: '新規' } });
    expect(await fresh.settled()).toMatchObject({ status: 'completed', version: v2.versionHash, output: 'C of v2' });
    expect(await nodesOf(fresh)).toEqual(['A', 'X', 'B', 'C']);
  });

  it('C30 re-running from a step of a changed graph never rewrites the recorded past', async () => {
    const build = (b: 'b' | 'b2') => {
      const desk = defineGraph({ name: 'steps', input: z.object({}) });
      return desk.build({
        entry: 'a',
        nodes: {
          a: desk.transform({ output: { v: '1' } }),
          [b]: desk.transform({ output: { v: 'output.v + 1' } }),
          c: desk.transform({ output: { v: 'output.v + 1', seen: 'output' } }),
        } as never,
        routes: { a: [{ to: b }], [b]: [{ to: 'c' }] } as never,
      });
    };
    const [v1, v2] = [build('b'), build('b2')];
    const box = createLab(store).open({ graphs: [v1, v2] });
    const run = await box.start(v1, {});
    await run.settled();
    const events = await all(run.events());
    const before = await hashOf(box, run.id);
    const cStarted = events.find(event => event.type === 'route.decided' && event.data.node === 'b')!.seq;

    const same = await run.fork({ at: cStarted });
    expect(await same.settled()).toMatchObject({ status: 'completed', output: { v: 3, seen: { v: 2 } } });
    expect(same.id).not.toBe(run.id);

    await expect(run.fork({ at: cStarted, version: v2.versionHash })).rejects.toMatchObject({
      code: 'NodesMissing',
      details: { missing: ['b'] },
    });
    const mapped = await run.fork({ at: cStarted, version: v2.versionHash, mapping: { b: 'b2' } });
    expect(await mapped.settled()).toMatchObject({
      status: 'completed',
      version: v2.versionHash,
      output: { v: 3, seen: { v: 2 } },
    });
    expect(await hashOf(box, run.id)).toBe(before);
    expect((await box.runs()).rows).toHaveLength(3);
    expect(await all(run.events())).toEqual(events);
  });

  it('C30 a fork is read after a restart, on a version that no run had begun with', async () => {
    const build = (c: string) => {
      const desk = defineGraph({ name: 'asks', input: z.object({}) });
      return desk.build({
        entry: 'a',
        nodes: {
          a: desk.ask({ kind: 'confirmation', title: 'Go?' }),
          c: desk.transform({ output: { said: `"${c}"` } }),
        },
        routes: { a: [{ to: 'c' }] },
      });
    };
    const [v1, v2] = [build('one'), build('two')];
    const lab = createLab(store);
    const first = lab.open({ graphs: [v1, v2] });
    const run = await first.start(v1, {});
    const [asked] = (await run.settled()).requests;
    const child = await run.fork({ version: v2.versionHash });
    await child.settled();
    const box = await lab.restart(first);
    const [again] = (await box.get(child.id).view()).requests;
    expect(again!.id).not.toBe(asked!.id);
    await box.answer(again!.id, { action: 'approve' });
    expect(await box.get(child.id).settled()).toMatchObject({ status: 'completed', output: { said: 'two' } });
    expect((await box.inbox()).rows.map(row => [row.requestId, row.runId])).toEqual([[asked!.id, run.id]]);
    await box.answer(asked!.id, { action: 'approve' });
    expect(await box.get(run.id).settled()).toMatchObject({ status: 'completed', output: { said: 'one' } });
  });
});
