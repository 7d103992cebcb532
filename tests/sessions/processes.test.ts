import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyStream } from '@signalbox/runtime';
import { createSignalbox } from 'signalbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../cases/testing/lab.ts';
import { linesOf } from '../cases/testing/shop.ts';
import { dialogue, mostAtOnce } from './testing/dialogue.ts';

const SCRIPT = fileURLToPath(new URL('./testing/talker-process.ts', import.meta.url));
const SESSION = 'ses_shared';

function place() {
  const folder = temporaryFolder();
  return { path: join(folder, 'store.db'), witness: join(folder, 'witness.txt') };
}

function talker({ path, witness }: ReturnType<typeof place>, name: string, count: number) {
  const argv = ['--conditions=@signalbox/source', '--import', 'tsx', SCRIPT, path, witness, SESSION, name, `${count}`];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  return { child, ended: once(child, 'close').then(([code, signal]) => (signal ?? code) as unknown), out: () => out };
}

describe('several processes in one session of a SQLite file', () => {
  it('never have two runs at work, and bring each to its end', { timeout: 120_000 }, async () => {
    const here = place();
    const talkers = ['a', 'b'].map(name => talker(here, name, 6));
    expect(await Promise.all(talkers.map(({ ended }) => ended))).toEqual([0, 0]);
    const ends = talkers.flatMap(({ out }) => out().trim().split('\n'));
    expect(ends.map(line => line.split(' ')[1])).toEqual(Array(12).fill('completed'));
    const lines = linesOf(here.witness);
    expect(lines).toHaveLength(48);
    expect(mostAtOnce(lines)).toBe(1);

    const box = createSignalbox({ path: here.path });
    onTestFinished(() => box.close({ grace: 0 }));
    const session = box.session(SESSION);
    expect(await session.view()).toMatchObject({ status: 'idle', runs: 12, executing: [], queued: [] });
    expect((await session.messages()).filter(({ role }) => role === 'assistant')).toHaveLength(12);
    expect((await verifyStream(box.store, SESSION)).ok).toBe(true);
  });

  it('a process that is killed keeps nobody from their turn for good', { timeout: 120_000 }, async () => {
    const here = place();
    const dying = talker(here, 'a', 40);
    await until(async () => linesOf(here.witness).length > 6);
    dying.child.kill('SIGKILL');
    expect(await dying.ended).toBe('SIGKILL');
    const graph = dialogue(here.witness);
    const box = createSignalbox({ path: here.path, graphs: [graph] as never[], lease: 1_000 });
    onTestFinished(() => box.close({ grace: 0 }));
    const { run } = await box.session(SESSION).send(graph, 'last', { input: { message: 'last', asks: false } });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    const { executing, queued } = await box.session(SESSION).view();
    expect({ executing, queued }).toEqual({ executing: [], queued: [] });
  });
});
