import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { main } from '@signalbox/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canaries, canaries, canaryBox, folderOfTheirOwn } from './testing/canary-desk.ts';
import { type HookServer, startHooks } from './testing/hook-server.ts';

const RUNS = 10;
const folder = folderOfTheirOwn();
const path = join(folder, 'box.db');
const KEY_FILE = 'box.db.key';
const all: Canaries[] = Array.from({ length: RUNS }, (_, run) => canaries(run));
const seen: unknown[] = [];
/** Whatever anybody outside was told, by where. */
const told = new Map<string, string>();
/** The files of the store as they were while it was open, and after it was closed. */
const kept = new Map<string, Buffer>();

function keepFiles(when: string): void {
  for (const file of readdirSync(folder))
    if (file !== KEY_FILE) kept.set(`${file} ${when}`, readFileSync(join(folder, file)));
}

async function cli(...argv: string[]): Promise<string> {
  let text = '';
  const paper = () =>
    new Writable({
      write(chunk, _, done) {
        text += String(chunk);
        done();
      },
    });
  const stdin = new PassThrough();
  stdin.end();
  await main([...argv, '--store', `sqlite:${path}`], { stdin, stdout: paper(), stderr: paper(), env: {}, cwd: folder });
  return text;
}

/** One run through all its ways, to its end; what the API said on the way. */
async function carry(run: number, hooks: string): Promise<string> {
  const canary = all[run]!;
  const log: string[] = [];
  const values: unknown[] = [];
  const box = canaryBox({ path, log, hooks }, canary, { values });
  const input = { word: canary.input, person: { name: 'Ada', iban: canary.nested }, account: Number(canary.number) };
  const session = await box.sessions.open({ user: 'ada' });
  const handle = await box.start('canaries', input, { session: session.id });
  const said: unknown[] = [await handle.settled(), await box.inbox()];
  await handle.answer({ values: { code: canary.answer, note: `about ${canary.answer}` } });
  said.push(await handle.settled(), await box.inbox());
  await handle.answer({ action: 'approve', as: 'user:finn' });
  said.push(await handle.settled(), await handle.state(), await session.messages(), await handle.reExecute());
  for await (const entry of box.feed()) said.push(entry);
  keepFiles(`open ${run}`);
  await box.close();
  const dead = canaryBox({ path, log, hooks }, canary, { values });
  said.push(await dead.get(handle.id).view());
  const fork = await dead.get(handle.id).fork({});
  said.push(await fork.settled());
  await dead.close();
  seen.push(...values);
  told.set(`API ${run}`, JSON.stringify(said));
  told.set(`log ${run}`, log.join('\n'));
  for (const command of ['show', 'timeline', 'state', 'why', 'events', 'verify', 'erase'])
    for (const json of [[], ['--json']]) told.set(`${command} ${json} ${run}`, await cli(command, handle.id, ...json));
  told.set(`blame ${run}`, await cli('blame', handle.id, 'secret', '--json'));
  told.set(`export ${run}`, await cli('export', handle.id));
  return handle.id;
}

/** How a value may be written. */
function formsOf(value: string): Buffer[] {
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [value, json, JSON.stringify(json).slice(1, -1), base64, encodeURIComponent(value)].map(text =>
    Buffer.from(text),
  );
}

function hitsIn(content: Buffer): string[] {
  return all.flatMap(canary =>
    Object.entries(canary).flatMap(([kind, value]) =>
      formsOf(value).some(form => content.includes(form)) ? [kind] : [],
    ),
  );
}

describe('100 sensitive values that went every way there is', () => {
  let hooks: HookServer;

  beforeAll(async () => {
    hooks = await startHooks();
    for (let run = 0; run < RUNS; run += 1) await carry(run, hooks.url);
    keepFiles('closed');
    told.set('webhook', JSON.stringify(hooks.bodies));
  }, 120_000);

  afterAll(async () => {
    await hooks.close();
    rmSync(folder, { recursive: true });
  });

  it('were seen in the clear by handlers, guards and tools, or the runs would not have ended', () => {
    for (const canary of all)
      for (const kind of ['input', 'nested', 'state', 'list', 'answer', 'card', 'result', 'reference'] as const)
        expect(seen, kind).toContain(canary[kind]);
    for (const [name, text] of told)
      if (name.startsWith('show --json')) expect(JSON.parse(text)).toMatchObject({ status: 'completed' });
  });

  it('stand in no file beside the keys: neither in the database nor in what it writes ahead', () => {
    expect([...kept.keys()]).toEqual(expect.arrayContaining(['box.db open 0', 'box.db-wal open 0', 'box.db closed']));
    expect(kept.get('box.db-wal open 0')?.length).toBeGreaterThan(10_000);
    for (const [file, bytes] of kept) expect(hitsIn(bytes), file).toEqual([]);
  });

  it('stand in nothing that anybody was told: views, events, exports, messages, errors, logs, commands', () => {
    expect(told.size).toBeGreaterThan(RUNS * 15);
    expect(hooks.bodies.length).toBeGreaterThan(RUNS);
    for (const [name, text] of told) {
      expect(text.length, name).toBeGreaterThan(0);
      expect(hitsIn(Buffer.from(text)), name).toEqual([]);
    }
    expect(told.get('state --json 0')).toContain('***');
  });
});
