import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { main } from '@signalbox/cli';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Canaries, CONTRACT, canaries, canaryBox, folderOfTheirOwn, unmarked } from './testing/canary-desk.ts';
import { type HookServer, startHooks } from './testing/hook-server.ts';

const RUNS = 10;
/** What handlers and tools said that they saw. */
const CLEAR = [
  ...(['input', 'nested', 'state', 'list', 'answer', 'card', 'result', 'reference'] as const),
  ...(['output', 'working', 'argument', 'typed'] as const),
];
const folder = folderOfTheirOwn();
const path = join(folder, 'box.db');
const contractFile = join(folder, 'contract.json');
const all: Canaries[] = Array.from({ length: RUNS }, (_, run) => canaries(run));
const seen: unknown[] = [];
/** Whatever anybody outside was told, by where. */
const told = new Map<string, string>();
/** The files of the store as they were while it was open, and after it was closed. */
const kept = new Map<string, Buffer>();

function keepFiles(when: string): void {
  for (const file of readdirSync(folder))
    if (!file.endsWith('.key')) kept.set(`${file} ${when}`, readFileSync(join(folder, file)));
}

async function cli(...argv: string[]): Promise<string> {
  return await cliAt(path, ...argv);
}

async function cliAt(store: string, ...argv: string[]): Promise<string> {
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
  await main([...argv, '--store', `sqlite:${store}`], {
    stdin,
    stdout: paper(),
    stderr: paper(),
    env: {},
    cwd: folder,
  });
  return text;
}

/** What somebody is told who asks for what cannot be. */
async function refused(asking: Promise<unknown>): Promise<string> {
  const error = await asking.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  if (error === undefined) throw new Error('It was not refused.');
  return `${String(error)} ${JSON.stringify(error)} ${error.stack}`;
}

/** One run through all its ways, to its end; what the API said on the way. */
async function carry(run: number, hooks: string): Promise<string> {
  const canary = all[run]!;
  const log: string[] = [];
  const values: unknown[] = [];
  const errors: string[] = [];
  const desk = { path, log, hooks, cassette: join(folder, `cassette-${run}.jsonl`) };
  const box = canaryBox(desk, canary, { values });
  const account = Number(canary.number);
  const input = { word: canary.input, person: { name: unmarked(run), iban: canary.nested }, account };
  const session = await box.sessions.open({ user: 'ada' });
  const key = `mail-${run}`;
  const message = `I say ${canary.input}, and ${canary.nested}.`;
  const { run: handle } = await session.send('canaries', message, { input, key });
  const said: unknown[] = [await handle.settled()];
  errors.push(await refused(handle.signal('word', { word: [canary.signal] })));
  await handle.signal('word', { word: canary.signal });
  await vi.waitFor(async () => expect((await handle.view()).requests).toHaveLength(1));
  said.push(await handle.settled(), await box.inbox());
  errors.push(
    await refused(box.start('canaries', { ...input, word: [canary.input] } as never)),
    await refused(box.start('canaries', { ...input, account: 1 }, { key, session: session.id })),
    await refused(handle.answer({ values: { code: [canary.answer] } })),
    await refused(box.get(unmarked(run)).view()),
    await refused(handle.edit({ secret: [canary.state] } as never)),
  );
  const content = { code: canary.answer, note: `about ${canary.answer} of ${unmarked(run)}` };
  await handle.answer({ values: content, key: 'once', as: 'user:finn' });
  said.push(await handle.settled(), await box.inbox());
  errors.push(
    await refused(handle.answer({ values: { code: canary.state }, key: 'once', as: 'user:finn' })),
    await refused(handle.answer({ action: 'approve', subject: 'sha256:0' })),
  );
  const streamed: unknown[] = [];
  const watched = (async () => {
    for await (const row of handle.stream()) streamed.push(row);
  })();
  await handle.answer({ action: 'approve', as: 'user:finn' });
  said.push(await handle.settled(), await handle.state(), await session.messages(), await session.view());
  await watched;
  said.push(streamed, await handle.reExecute(), await box.memory({ user: 'ada' }).list());
  const talk = await box.start('talk', { word: canary.input }, { session: session.id });
  said.push(await talk.settled(), await session.messages());
  for await (const entry of box.feed()) said.push(entry);
  keepFiles(`open ${run}`);
  await box.close();
  const dead = canaryBox({ ...desk, cassette: `${desk.cassette}.2` }, canary, { values });
  said.push(await dead.get(handle.id).view());
  const fork = await dead.get(handle.id).fork({});
  said.push(await fork.settled());
  await dead.close();
  seen.push(...values);
  told.set(`API ${run}`, JSON.stringify(said));
  told.set(`log ${run}`, log.join('\n'));
  told.set(`errors ${run}`, errors.join('\n'));
  await askCommands(run, handle.id, session.id);
  return handle.id;
}

/** Every command that tells of a run, in both its ways. */
async function askCommands(run: number, id: string, session: string): Promise<void> {
  const commands = [
    ...['show', 'timeline', 'state', 'why', 'events', 'verify', 'erase', 'replay'].map(command => [command, id]),
    ['replay', id, '--execute'],
    ['blame', id, 'secret'],
    ['session', 'show', session],
    ['session', 'messages', session],
    ['memory', 'list', '--user', 'ada'],
    ['memory', 'list', '--session', session],
  ];
  const ofAll = [
    ...[['runs'], ['inbox'], ['deliveries'], ['session', 'list'], ['heads'], ['rewrap'], ['doctor'], ['graph', 'list']],
    ...[
      ['verify', '--all'],
      ['replay', '--open'],
    ],
    ['contract', 'check', contractFile],
  ];
  for (const argv of run === 0 ? [...commands, ...ofAll] : commands)
    for (const json of [[], ['--json']]) told.set(`${argv.join(' ')} ${json} ${run}`, await cli(...argv, ...json));
  told.set(`export ${run}`, await cli('export', id));
  const file = join(folder, `run-${run}.jsonl`);
  await cli('export', id, '--out', file);
  told.set(`import ${run}`, await cliAt(join(folder, 'elsewhere.db'), 'import', file, '--json'));
  told.set(`imported ${run}`, await cliAt(join(folder, 'elsewhere.db'), 'show', id, '--json'));
}

/** How a value may be written. */
function formsOf(value: string): Buffer[] {
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [value, json, JSON.stringify(json).slice(1, -1), base64, encodeURIComponent(value)].map(text =>
    Buffer.from(text),
  );
}

function isIn(content: Buffer, value: string): boolean {
  return formsOf(value).some(form => content.includes(form));
}

function hitsIn(content: Buffer): string[] {
  return all.flatMap(canary => Object.entries(canary).flatMap(([kind, value]) => (isIn(content, value) ? [kind] : [])));
}

describe('190 sensitive values that went every way there is', () => {
  let hooks: HookServer;

  beforeAll(async () => {
    hooks = await startHooks();
    writeFileSync(contractFile, JSON.stringify(CONTRACT));
    for (let run = 0; run < RUNS; run += 1) await carry(run, hooks.url);
    keepFiles('closed');
    told.set('webhook', JSON.stringify(hooks.bodies));
  }, 120_000);

  afterAll(async () => {
    await hooks.close();
    rmSync(folder, { recursive: true });
  });

  it('were seen in the clear by handlers, guards and tools, or the runs would not have ended', () => {
    for (const canary of all) for (const kind of CLEAR) expect(seen, kind).toContain(canary[kind]);
    for (const [name, text] of told)
      if (/^show .* --json/.test(name)) expect(JSON.parse(text)).toMatchObject({ status: 'completed' });
    for (let run = 0; run < RUNS; run += 1)
      expect(JSON.parse(told.get(`imported ${run}`)!)).toMatchObject({ status: 'completed' });
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
    expect([...told].find(([name]) => /^state .* --json 0$/.test(name))?.[1]).toContain('***');
  });

  it('would have been found: a value that nobody marked is, in files, logs, exports, messages, errors and commands', () => {
    const found = (content: Buffer) => isIn(content, unmarked(0));
    for (const file of ['box.db-wal open 0', 'box.db closed', 'elsewhere.db closed', 'run-0.jsonl closed'])
      expect(found(kept.get(file)!), file).toBe(true);
    const places = [
      'API 0',
      'log 0',
      'export 0',
      'errors 0',
      'webhook',
      /^timeline .* 0$/,
      /^events .* --json 0$/,
      /^session show .* 0$/,
    ];
    for (const place of places) {
      const texts = [...told].flatMap(([name, text]) => (name.match(place)?.[0] === name ? [text] : []));
      expect(texts.length, String(place)).toBeGreaterThan(0);
      expect(
        texts.some(text => found(Buffer.from(text))),
        String(place),
      ).toBe(true);
    }
  });
});
