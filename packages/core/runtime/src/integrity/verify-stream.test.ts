import type { Commit } from '@signalbox/kernel';
import type { EventStore, StoredCommit } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { describe, expect, it } from 'vitest';
import { sealText, sha256, toAppend } from '../log/commit-codec.ts';
import { externalize } from '../log/payloads.ts';
import { buildLog, type LogBuilder } from '../views/testing/build-log.ts';
import { DESK, LOOP } from '../views/testing/graphs.ts';
import { tamperedStore } from './testing/tampered-store.ts';
import { verifyAll, verifyStream } from './verify-stream.ts';

function deskLog(runId = 'run_1'): LogBuilder {
  const log = buildLog(DESK, { message: 'Hi' }, { runId });
  log.succeed('classify', { intent: 'faq', confidence: 0.4 }, [{ spent: 2 }]);
  return log.answer('approve', { queue: 'billing' }).succeed('reply', 'done');
}

async function stored(...logs: LogBuilder[]): Promise<EventStore> {
  const store = createMemoryStore({ chain: true });
  for (const log of logs) for (const append of log.appends) await store.commit({ appends: [append] }, { sync: false });
  return store;
}

/** Changes one commit's object and hashes it again, as somebody would who hides a change. */
function rewritten(index: number, change: (commit: Commit) => object): (commits: StoredCommit[]) => StoredCommit[] {
  return commits =>
    commits.map((commit, at) =>
      at === index
        ? { ...commit, sealed: sealText(JSON.stringify(change(JSON.parse(commit.sealed!.text) as Commit))) }
        : commit,
    );
}

describe('verifying a stream', () => {
  it('counts what it proved and tells the head', async () => {
    const log = deskLog();
    const store = await stored(log);
    const last = log.commits.at(-1)!;
    expect(await verifyStream(store, 'run_1')).toEqual({
      ok: true,
      stream: 'run_1',
      commits: 4,
      events: last.firstSeq + last.events.length - 1,
      head: await store.head('run_1'),
    });
    expect(await verifyStream(store, 'run_2')).toEqual({ ok: true, stream: 'run_2', commits: 0, events: 0 });
  });

  it('goes through more than one page', async () => {
    const log = buildLog(LOOP, {});
    for (let index = 0; index < 1_100; index += 1) log.succeed('poll', 'again');
    expect(await verifyStream(await stored(log), 'run_1')).toMatchObject({ ok: true, commits: 1_101 });
  });

  it.each<[string, string, number, (commits: StoredCommit[]) => StoredCommit[]]>([
    [
      'a text that was changed',
      'HashMismatch',
      1,
      commits =>
        commits.map((commit, at) =>
          at === 1
            ? { ...commit, sealed: { ...commit.sealed!, text: commit.sealed!.text.replace('0.4', '0.9') } }
            : commit,
        ),
    ],
    [
      'a text that was changed and hashed again',
      'PrevMismatch',
      2,
      rewritten(1, commit => ({ ...commit, cause: 'other' })),
    ],
    [
      'a text that is no JSON',
      'LogUnreadable',
      1,
      commits => commits.with(1, { ...commits[1]!, sealed: sealText('{') }),
    ],
    ['a text that is no commit', 'LogUnreadable', 1, rewritten(1, ({ events: _events, ...rest }) => rest)],
    ['a commit of another stream', 'LogUnreadable', 1, rewritten(1, commit => ({ ...commit, stream: 'run_9' }))],
    ['a commit that was taken out', 'SeqGap', 1, commits => commits.toSpliced(1, 1)],
    [
      'an event that was taken out',
      'SeqGap',
      1,
      rewritten(1, commit => ({ ...commit, events: commit.events.slice(1) })),
    ],
    [
      'a time that goes back',
      'TimeWentBack',
      1,
      rewritten(1, commit => ({ ...commit, at: '2026-05-04T08:59:59.999Z' })),
    ],
    ['a time that is none', 'LogUnreadable', 1, rewritten(1, commit => ({ ...commit, at: 'now' }))],
    [
      'an event that this version does not know',
      'UnknownEventType',
      1,
      rewritten(1, commit => ({ ...commit, events: commit.events.with(0, { type: 'moon.risen', data: {} }) })),
    ],
    [
      'data of a version that is not known',
      'UnknownEventType',
      1,
      rewritten(1, commit => ({ ...commit, events: commit.events.with(0, { ...commit.events[0]!, v: 2 }) })),
    ],
    [
      'an event about something that is not there',
      'FoldFailed',
      1,
      rewritten(1, commit => ({
        ...commit,
        events: commit.events.with(0, { type: 'request.expired', data: { request: 'req_0', onExpire: 'fail' } }),
      })),
    ],
  ])('finds %s', async (_what, code, commit, tamper) => {
    const log = deskLog();
    const report = await verifyStream(tamperedStore(await stored(log), tamper), 'run_1');
    expect(report).toMatchObject({
      ok: false,
      commits: commit,
      firstBad: { code, seq: log.commits[commit]!.firstSeq },
    });
  });

  it('cannot tell that the end was cut off, which is what heads are for', async () => {
    const store = tamperedStore(await stored(deskLog()), commits => commits.slice(0, -1));
    expect(await verifyStream(store, 'run_1')).toMatchObject({ ok: true, commits: 3 });
  });

  it('finds payloads that are missing or are others, and takes erased ones as they are', async () => {
    const [first] = buildLog(DESK, { message: 'x'.repeat(500) }).commits;
    const { commit, payloads } = externalize(first!, () => 'salt', 200);
    const [payload] = payloads;
    const store = createMemoryStore({ chain: true });
    await store.commit({ appends: [toAppend(commit)] }, { sync: false });
    expect(await verifyStream(store, 'run_1')).toMatchObject({
      ok: false,
      firstBad: { seq: 1, code: 'PayloadMissing' },
    });
    await store.commit({ appends: [], payloads: [{ tenant: 'default', ...payload! }] }, { sync: false });
    expect(await verifyStream(store, 'run_1')).toMatchObject({ ok: true });
    const other = { ...store, payload: async () => `${payload!.text} ` };
    expect(await verifyStream(other, 'run_1')).toMatchObject({
      ok: false,
      firstBad: { seq: 1, code: 'PayloadMismatch' },
    });
    await store.commit({ appends: [], erasures: [{ tenant: 'default', digest: payload!.digest }] }, { sync: false });
    expect(await verifyStream(store, 'run_1')).toMatchObject({ ok: true });
  });

  it('checks what there is in a store without a chain', async () => {
    const store = createMemoryStore();
    const log = deskLog();
    for (const append of log.appends) await store.commit({ appends: [append] }, { sync: false });
    const report = await verifyStream(store, 'run_1');
    expect(report).toMatchObject({ ok: true, commits: 4 });
    expect(report.head).not.toHaveProperty('hash');
  });

  it('goes on with the other streams where one is damaged', async () => {
    const logs = ['run_a', 'run_b', 'run_c'].map(deskLog);
    const store = tamperedStore(await stored(...logs), commits =>
      commits[0]?.stream === 'run_b' ? commits.toSpliced(2, 1) : commits,
    );
    const reports = [];
    for await (const report of verifyAll(store)) reports.push([report.stream, report.ok]);
    expect(reports).toEqual([
      ['run_a', true],
      ['run_b', false],
      ['run_c', true],
    ]);
  });

  it('names the text that it hashed by its SHA-256', async () => {
    const log = deskLog();
    const report = await verifyStream(await stored(log), 'run_1');
    expect(report.head?.hash).toBe(sha256(JSON.stringify(log.commits.at(-1))));
  });
});
