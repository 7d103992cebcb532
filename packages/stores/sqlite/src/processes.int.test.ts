import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createSqliteStore } from './sqlite-store.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const WRITER = fileURLToPath(new URL('./testing/writer-process.ts', import.meta.url));

interface Writer {
  readonly process: ChildProcess;
  /** Lines printed so far: acknowledged commits. */
  readonly acknowledged: () => string[];
  readonly errors: () => string;
  readonly ended: Promise<unknown>;
}

function startWriter(path: string, name: string, runs: number, mode = ''): Writer {
  const process = spawn(
    globalThis.process.execPath,
    ['--conditions=@signalbox/source', '--import', 'tsx', WRITER, path, name, String(runs), mode],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [out, errors] = ['', ''];
  process.stdout.setEncoding('utf8').on('data', text => {
    out += text;
  });
  process.stderr.setEncoding('utf8').on('data', text => {
    errors += text;
  });
  return {
    process,
    acknowledged: () => out.split('\n').slice(0, -1),
    errors: () => errors,
    ended: once(process, 'close'),
  };
}

describe('several processes on one file', () => {
  it('C25 six processes of a hundred runs each lose nothing, while a seventh reads long lists', {
    timeout: 120_000,
  }, async () => {
    const path = join(temporaryFolder(), 'store.db');
    const reader = createSqliteStore({ path });
    const writers = Array.from({ length: 6 }, (_, index) => startWriter(path, `p${index}`, 100, 'shared'));
    let writing = true;
    const reading = (async () => {
      while (writing) {
        await reader.feed({ limit: 1000 });
        await reader.streams({});
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    })();
    await Promise.all(writers.map(({ ended }) => ended));
    writing = false;
    await reading;

    expect(writers.map(({ process, errors }) => [process.exitCode, errors()])).toEqual(writers.map(() => [0, '']));
    for (let writer = 0; writer < 6; writer += 1) {
      for (let run = 0; run < 100; run += 1) {
        const seqs = (await reader.read(`p${writer}_${run}`)).map(({ lastSeq }) => lastSeq);
        expect(seqs).toEqual([1, 2, 3]);
      }
    }
    const shared = await reader.read('shared');
    expect(shared.map(({ lastSeq }) => lastSeq)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect(new Set(shared.map(({ sealed }) => /"note":"([^"]*)"/.exec(sealed?.text ?? '')?.[1])).size).toBe(600);
    expect(await reader.counter('default', 'commits')).toBe(1800);
    expect((await reader.inspect()).problems).toEqual([]);
    await reader.close();
  });

  it('a commit of another process is told soon', async () => {
    const path = join(temporaryFolder(), 'store.db');
    const store = createSqliteStore({ path });
    let told = 0;
    const stop = store.onForeignCommit(() => {
      told += 1;
    });
    const writer = startWriter(path, 'other', 1);
    await expect.poll(() => told, { timeout: 20_000 }).toBeGreaterThan(0);
    await writer.ended;
    expect((await store.head('other_0'))?.seq).toBe(3);
    stop();
    await store.close();
  });
});

describe('a process that is killed', () => {
  it('leaves every commit that it was told of, whole and in order', { timeout: 120_000 }, async () => {
    const path = join(temporaryFolder(), 'store.db');
    for (let round = 0; round < 5; round += 1) {
      const writer = startWriter(path, `k${round}`, 1_000_000);
      await expect
        .poll(() => writer.acknowledged().length, { timeout: 20_000, interval: 3 })
        .toBeGreaterThan(20 * round);
      writer.process.kill('SIGKILL');
      await writer.ended;

      const acknowledged = writer.acknowledged();
      const store = createSqliteStore({ path });
      const last = new Map(acknowledged.map(line => line.split(' ') as [string, string]));
      for (const [stream, seq] of last) {
        const seqs = (await store.read(stream)).map(({ lastSeq }) => lastSeq);
        expect(seqs.length).toBeGreaterThanOrEqual(Number(seq));
        expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      }
      const { ok, problems, facts } = await store.inspect();
      expect([ok, problems]).toEqual([true, []]);
      expect(await store.counter('default', 'commits')).toBe(facts.commits);
      await store.close();
    }
  });
});
