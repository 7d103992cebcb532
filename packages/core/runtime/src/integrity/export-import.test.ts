import { nextTick, type Run } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAppend } from '../log/commit-codec.ts';
import { externalize } from '../log/payloads.ts';
import { requestRows, runRow } from '../log/rows.ts';
import { loadRun } from '../log/run-log.ts';
import { buildLog, type LogBuilder } from '../views/testing/build-log.ts';
import { DESK, LOOP } from '../views/testing/graphs.ts';
import { exportRun } from './export-run.ts';
import { type ImportedRows, importRun } from './import-run.ts';
import { runFileLines } from './run-lines.ts';
import { verifyStream } from './verify-stream.ts';

const MADE_AT = '2026-06-01T00:00:00.000Z';

async function exported(store: EventStore, runId = 'run_1'): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportRun(store, runId, { madeAt: MADE_AT })) lines.push(line);
  return lines;
}

function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map(line => `${line}\n`).join(''));
}

/** Lands a log as the engine does: its definition first, outcomes of commands beside it, large data as payloads. */
async function stored(log: LogBuilder, { limit = 1_000_000, chain = true } = {}): Promise<EventStore> {
  const store = createMemoryStore({ chain });
  const { hash, definition } = log.program;
  const document = { kind: 'graph', name: definition.name, hash, createdAt: 1, text: JSON.stringify(definition) };
  await store.commit({ appends: [], documents: [document] }, { sync: false });
  let prev: string | undefined;
  for (const { prev: _own, ...commit } of log.commits) {
    const moved = externalize(commit, () => 'salt', limit);
    const { events, ...head } = moved.commit;
    const append = toAppend({ ...head, ...(prev === undefined ? {} : { prev }), events });
    prev = append.seal().hash;
    const { stream, commands = [] } = commit;
    await store.commit(
      {
        appends: [append],
        payloads: moved.payloads.map(payload => ({ tenant: 'default', ...payload })),
        commands: commands.map(id => ({ stream, id, outcome: `{"done":"${id}"}` })),
      },
      { sync: false },
    );
  }
  return store;
}

function rowsFor({ program }: LogBuilder): (run: Run) => ImportedRows {
  return run => ({
    runs: [runRow(run, nextTick(program, run) ?? null)],
    requests: requestRows(program, run, [...run.requests.keys(), ...run.closedRequests.keys()]),
  });
}

function deskLog(message = '退款 😀'): LogBuilder {
  return buildLog(DESK, { message }).succeed('classify', { intent: 'faq', confidence: 0.4 }, [
    { trail: [message], spent: 2 },
  ]);
}

function answeredLog(): LogBuilder {
  return deskLog().answer('approve', { queue: 'billing' }).succeed('reply', 'done');
}

describe('an exported run', () => {
  it('is a manifest and the commits byte for byte, readable as they are', async () => {
    const log = deskLog();
    const [manifest, ...commits] = await exported(await stored(log));
    expect(commits).toEqual(log.appends.map(append => append.seal().text));
    expect(commits[0]).toContain('退款 😀');
    expect(JSON.parse(manifest!)).toMatchObject({
      format: 'signalbox-run',
      formatVersion: 1,
      runId: 'run_1',
      graph: 'support-desk',
      version: log.program.hash,
      head: { seq: log.run().seq, hash: log.appends.at(-1)!.seal().hash },
      commits: 2,
      payloads: 0,
      documents: [{ kind: 'graph', name: 'support-desk', hash: log.program.hash, definition: { entry: 'classify' } }],
      madeAt: MADE_AT,
    });
  });

  it('stands in another store as it stood in the first: log, rows, payloads, definition, outcomes of commands', async () => {
    const log = answeredLog();
    const from = await stored(log, { limit: 80 });
    const lines = await exported(from);
    expect(lines.some(line => line.startsWith('{"payload":'))).toBe(true);
    const to = createMemoryStore({ chain: true });
    expect(await importRun(to, () => lines, { rowsOf: rowsFor(log) })).toEqual({
      runId: 'run_1',
      tenant: 'default',
      commits: 4,
      events: log.run().seq,
      existed: false,
    });
    expect(await to.read('run_1')).toEqual(await from.read('run_1'));
    expect(await to.run('run_1')).toMatchObject({ status: 'completed', graph: 'support-desk' });
    expect(await to.document('graph', log.program.hash)).toBe(await from.document('graph', log.program.hash));
    const command = log.commits.flatMap(commit => commit.commands ?? [])[0]!;
    expect(await to.commandOutcome('run_1', command)).toBe(`{"done":"${command}"}`);
    expect((await loadRun(to, 'run_1'))?.run).toEqual(log.run());
    expect(await verifyStream(to, 'run_1')).toMatchObject({ ok: true });
    expect(await exported(to)).toEqual(lines);
  });

  it('keeps that a payload was erased', async () => {
    const log = answeredLog();
    const from = await stored(log, { limit: 80 });
    const digest = (await exported(from)).flatMap(line => /^\{"payload":"([^"]+)"/.exec(line)?.[1] ?? [])[0]!;
    await from.commit({ appends: [], erasures: [{ tenant: 'default', digest }] }, { sync: false });
    const lines = await exported(from);
    expect(lines).toContain(`{"erased":"${digest}"}`);
    const to = createMemoryStore({ chain: true });
    await importRun(to, () => lines, { rowsOf: rowsFor(log) });
    expect(await to.payloadErased('default', digest)).toBe(true);
    expect(await exported(to)).toEqual(lines);
  });

  it('never erases what the store it comes to still has', async () => {
    const log = answeredLog();
    const from = await stored(log, { limit: 80 });
    const digest = (await exported(from)).flatMap(line => /^\{"payload":"([^"]+)"/.exec(line)?.[1] ?? [])[0]!;
    const text = await from.payload('default', digest);
    await from.commit({ appends: [], erasures: [{ tenant: 'default', digest }] }, { sync: false });
    const lines = await exported(from);
    const to = createMemoryStore({ chain: true });
    await to.commit({ appends: [], payloads: [{ tenant: 'default', digest, text: text! }] }, { sync: false });
    await importRun(to, () => lines, { rowsOf: rowsFor(log) });
    expect(await to.payload('default', digest)).toBe(text);
  });

  it('gets its chain at the export where the store keeps none', async () => {
    const log = answeredLog();
    const from = await stored(log, { chain: false });
    const lines = await exported(from);
    const to = createMemoryStore({ chain: true });
    await importRun(to, () => lines, { rowsOf: rowsFor(log) });
    expect(await verifyStream(to, 'run_1')).toMatchObject({ ok: true });
    const back = createMemoryStore();
    await importRun(back, () => lines, { rowsOf: rowsFor(log) });
    expect(await exported(back)).toEqual(lines);
  });

  it('is not given where the history is damaged or missing', async () => {
    const store = await stored(answeredLog());
    await expect(exported(store, 'run_2')).rejects.toMatchObject({ code: 'UnknownRun' });
    const damaged = {
      ...store,
      read: async (...call: Parameters<EventStore['read']>) => (await store.read(...call)).toSpliced(2, 1),
    };
    await expect(exported(damaged)).rejects.toMatchObject({ code: 'LogUnreadable' });
  });

  it('is the same after an import, whatever was asked and answered', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter(value => !value.includes('\0'));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(text, { maxLength: 5 }),
        fc.boolean(),
        fc.integer({ min: 80, max: 200 }),
        async (message, trail, answer, limit) => {
          const log = buildLog(DESK, { message }).succeed('classify', { intent: 'x', confidence: 0.4 }, [{ trail }]);
          if (answer) log.answer('approve', { queue: 'billing', note: message });
          const lines = await exported(await stored(log, { limit }));
          const to = createMemoryStore({ chain: true });
          await importRun(to, () => runFileLines([bytesOf(lines)]), { rowsOf: rowsFor(log) });
          expect(await exported(to)).toEqual(lines);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('an import', () => {
  it('finds every damage of a single byte, and then writes nothing', async () => {
    const log = answeredLog();
    const whole = bytesOf(await exported(await stored(log, { limit: 80 })));
    const refusal = async (bytes: Uint8Array) => {
      const to = createMemoryStore({ chain: true });
      const error = await importRun(to, () => runFileLines([bytes]), { rowsOf: rowsFor(log) }).then(
        () => undefined,
        (thrown: { code?: string; details?: { line?: number } }) => thrown,
      );
      expect(error).toMatchObject({ code: 'ImportInvalid', details: { line: expect.any(Number) } });
      expect(await to.streams({})).toEqual([]);
    };
    const position = fc.nat(whole.length - 1);
    const damage = fc.oneof(
      fc.tuple(position, fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
        const bytes = Buffer.from(whole);
        bytes[at] = bytes[at]! ^ by;
        return bytes;
      }),
      position.map(at => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)])),
      fc
        .tuple(fc.nat(whole.length), fc.nat(255))
        .map(([at, byte]) => Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at)])),
      position.map(at => whole.subarray(0, at)),
    );
    await fc.assert(fc.asyncProperty(damage, refusal), { numRuns: 2_000 });
  });

  it('tells the line of a damage', async () => {
    const log = answeredLog();
    const lines = await exported(await stored(log));
    const at = lines.findIndex(line => line.includes('"request.answered"'));
    const damaged = lines.with(at, lines[at]!.replace('billing', 'oncall'));
    const to = createMemoryStore({ chain: true });
    await expect(importRun(to, () => damaged, { rowsOf: rowsFor(log) })).rejects.toMatchObject({
      code: 'ImportInvalid',
      details: { line: at + 2 },
    });
  });

  it('reads strictly: keys that stand twice and dangerous keys are refused', async () => {
    const log = answeredLog();
    const lines = await exported(await stored(log));
    for (const extra of ['"at":"x",', '"__proto__":{},']) {
      const damaged = lines.with(1, `{${extra}${lines[1]!.slice(1)}`);
      await expect(importRun(createMemoryStore(), () => damaged, { rowsOf: rowsFor(log) })).rejects.toMatchObject({
        code: 'ImportInvalid',
        details: { line: 2 },
      });
    }
  });

  it('refuses lines over the limit before it holds them', async () => {
    const endless = function* () {
      for (;;) yield Buffer.alloc(1024, 'x');
    };
    const lines = () => runFileLines(endless(), { maxLineBytes: 10_000 });
    await expect(importRun(createMemoryStore(), lines, { rowsOf: () => ({}) })).rejects.toMatchObject({
      code: 'ImportInvalid',
      details: { line: 1 },
    });
  });

  it('of a run that is there already changes nothing, and refuses another history', async () => {
    const log = deskLog();
    const store = await stored(log);
    await store.commit({ appends: [], ...rowsFor(log)(log.run()) }, { sync: false });
    const lines = await exported(store);
    expect(await importRun(store, () => lines, { rowsOf: rowsFor(log) })).toMatchObject({ existed: true });
    const other = deskLog('other');
    const otherLines = await exported(await stored(other));
    const longer = await exported(await stored(answeredLog()));
    const shorter = await exported(await stored(buildLog(DESK, { message: '退款 😀' })));
    for (const file of [otherLines, longer, shorter])
      await expect(importRun(store, () => file, { rowsOf: rowsFor(log) })).rejects.toMatchObject({
        code: 'ImportConflict',
      });
    expect(await exported(store)).toEqual(lines);
  });

  it('that was cut off is continued by the next, and shows no run before it is whole', async () => {
    const log = buildLog(LOOP, {});
    for (let index = 0; index < 700; index += 1) log.succeed('poll', 'again');
    const lines = await exported(await stored(log));
    const store = createMemoryStore({ chain: true });
    let left = 2;
    const failing: EventStore = {
      ...store,
      commit: (...call) => (left-- > 0 ? store.commit(...call) : Promise.reject(new Error('no power'))),
    };
    await expect(importRun(failing, () => lines, { rowsOf: rowsFor(log) })).rejects.toThrow('no power');
    expect((await store.head('run_1'))!.seq).toBeLessThan(log.run().seq);
    expect(await store.run('run_1')).toBeUndefined();
    expect(await importRun(store, () => lines, { rowsOf: rowsFor(log) })).toMatchObject({ existed: false });
    expect(await exported(store)).toEqual(lines);
    expect(await store.run('run_1')).toBeDefined();
  });

  it('under another id is a run of its own: chained anew, its questions with ids of their own', async () => {
    const log = deskLog();
    const store = await stored(log);
    await store.commit({ appends: [], ...rowsFor(log)(log.run()) }, { sync: false });
    const lines = await exported(store);
    expect(await importRun(store, () => lines, { rowsOf: rowsFor(log), as: 'run_copy' })).toMatchObject({
      runId: 'run_copy',
    });
    expect(await verifyStream(store, 'run_copy')).toMatchObject({ ok: true, events: log.run().seq });
    const copy = (await loadRun(store, 'run_copy'))!.run;
    const [original] = log.run().requests.keys();
    const [request] = copy.requests.keys();
    expect(copy.id).toBe('run_copy');
    expect(request).toMatch(/^req_[0-9a-z]{26}$/);
    expect(request).not.toBe(original);
    expect(copy.timers.get(`request/${request}`)).toBeDefined();
    const open = await store.requests({ tenant: 'default', status: 'open' });
    expect(open.rows.map(row => [row.requestId, row.runId]).sort()).toEqual(
      [
        [original, 'run_1'],
        [request, 'run_copy'],
      ].sort(),
    );
    expect(await exported(store)).toEqual(lines);
  });

  it('refuses a start key that belongs to another run before it writes anything', async () => {
    const log = buildLog(DESK, { message: 'Hi' }, { key: 'mail-1' });
    const lines = await exported(await stored(log));
    const store = createMemoryStore({ chain: true });
    const startKey = { tenant: 'default', key: 'mail-1', runId: 'run_9', digest: 'd' };
    await store.commit({ appends: [], startKey }, { sync: false });
    const rowsOf = (run: Run) => ({ ...rowsFor(log)(run), startKey: { ...startKey, runId: run.id } });
    await expect(importRun(store, () => lines, { rowsOf })).rejects.toMatchObject({ code: 'ImportConflict' });
    expect(await store.streams({})).toEqual([]);
    expect(await importRun(store, () => lines, { rowsOf, as: 'run_copy' })).toMatchObject({ existed: false });
  });

  it('hands the definition in the file to who makes the rows', async () => {
    const log = deskLog();
    const lines = await exported(await stored(log));
    const names: (string | undefined)[] = [];
    await importRun(createMemoryStore(), () => lines, {
      rowsOf: (run, definition) => {
        names.push(run.id, definition?.name);
        return {};
      },
    });
    expect(names).toEqual(['run_1', 'support-desk']);
  });
});
