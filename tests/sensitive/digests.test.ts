import { createHash } from 'node:crypto';
import { digestOf, type JsonValue } from '@signalbox/kernel';
import { exportRun } from '@signalbox/runtime';
import { createWorld, scriptedModel, Testbox } from '@signalbox/testkit';
import { createMemoryStore, defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const sensitive = { sensitive: true };
const PIN = 4321;
const KEYED = /^hmac:[0-9a-f]{32}$/;

/** Takes a pin, works with it under a check, has it confirmed, and lets an agent charge with it. */
function builderOf() {
  const builder = defineGraph({
    name: 'pins',
    input: z.object({ pin: z.number().meta(sensitive) }),
    state: z.object({ code: z.number().meta(sensitive).optional() }),
  });
  const work = builder.step(async ctx => {
    await ctx.run('half', () => null, { args: { pin: ctx.input.pin } });
    return null;
  });
  const ask = builder.ask({
    kind: 'form',
    title: 'Code?',
    form: z.object({ code: z.number().meta(sensitive) }),
    update: { code: 'output.values.code' },
  });
  const pay = builder.agent({
    model: 'test/one',
    contract: {
      version: '1.0',
      agent_name: 'cashier',
      allowed_tools: [
        {
          name: 'charge',
          effect: 'once',
          approval: true,
          input_schema: { type: 'object', required: ['pin'], properties: { pin: { type: 'integer' } } },
          sensitive: ['/pin'],
        },
      ],
    } as never,
    tools: { charge: () => 'charged' },
    prompt: () => 'Charge.',
  });
  return builder.build({
    entry: 'work',
    nodes: { work, ask, pay },
    routes: { work: [{ to: 'ask' }], ask: [{ to: 'pay' }] },
  });
}

function worldOf() {
  const world = createWorld({ chain: true });
  const graph = builderOf();
  const open = () =>
    new Testbox(
      {
        graphs: [graph],
        checks: [{ name: 'office', before: ({ node }) => (node === 'work' ? ASKED : { verdict: 'allow' }) }],
        models: scriptedModel([{ calls: [{ tool: 'charge', arguments: { pin: PIN } }] }, 'Done.']),
      },
      world,
    );
  return { world, graph, open, store: () => createMemoryStore({ shared: world.data }) };
}

const ASKED = { verdict: 'ask', title: 'May it?' } as const;
const ALLOWED = { verdict: 'allow' } as const;
const START = { pin: PIN };

/** A run through all of it, to its end. */
async function carry({ open }: ReturnType<typeof worldOf>) {
  const box = open();
  const run = await box.start('pins', START, { key: 'mail-1' });
  await run.settled();
  await run.answer({ action: 'approve' });
  await run.settled();
  await run.answer({ values: { code: PIN }, key: 'form-1', as: 'user:finn' });
  const now = await run.settled();
  return { box, run, now };
}

/** All that is stored, in the clear or not. */
async function stored({ world, store }: ReturnType<typeof worldOf>, runId: string): Promise<string> {
  const lines: string[] = [];
  for await (const line of exportRun(store(), runId, { madeAt: '2026-01-01T00:00:00.000Z' })) lines.push(line);
  const tables = [...Object.values(world.data)].map(table => (table instanceof Map ? [...table] : table));
  return lines.join('\n') + JSON.stringify(tables);
}

/** Digests that somebody makes who tries all values of four digits, of what they stand in. */
function guesses(contract: string): Record<string, string> {
  const op = (kind: string, args: JsonValue) =>
    createHash('sha256')
      .update(`${kind}:${JSON.stringify(args)}`)
      .digest('hex')
      .slice(0, 16);
  const by = { kind: 'user', id: 'finn' };
  const subject = digestOf({ tool: 'charge', contract, effect: 'once', args: { pin: PIN } });
  return {
    start: digestOf({ graph: 'pins', input: START }),
    check: digestOf({ node: 'work', input: START, state: {} }).slice(7, 39),
    'arguments of an operation': op('run', { pin: PIN }),
    answer: digestOf({ action: null, note: null, values: { code: PIN } }),
    'answer under its key': digestOf({ values: { code: PIN }, by }),
    'subject of a call': subject,
    'subject of its approval': digestOf(subject),
    'call behind its approval': op('tool', { subject }),
  };
}

/** A run that asks for three codes, one after the other. */
function threeCodes(): Testbox {
  const builder = defineGraph({ name: 'codes', input: z.object({ pin: z.number().meta(sensitive) }) });
  const form = z.object({ code: z.number().meta(sensitive) });
  const ask = (title: string) => builder.ask({ kind: 'form', title, form });
  const graph = builder.build({
    entry: 'first',
    nodes: { first: ask('First?'), second: ask('Second?'), third: ask('Third?') },
    routes: { first: [{ to: 'second' }], second: [{ to: 'third' }] },
  });
  return new Testbox({ graphs: [graph] }, createWorld({ chain: true }));
}

describe('a digest of something sensitive', () => {
  it('is stored under the key of the run alone, so that nobody can try what it is of', async () => {
    const world = worldOf();
    const { run, now, box } = await carry(world);
    expect(now).toMatchObject({ status: 'suspended' });
    const contract = Object.values((await box.engine.load(run.id)).run.contracts ?? {})[0]!;
    await run.answer({ action: 'approve' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    const all = await stored(world, run.id);
    for (const [name, digest] of Object.entries(guesses(contract))) expect(all.includes(digest), name).toBe(false);
  });

  it('would be found where it stood in the clear: the same guesses are right of a run without marks', async () => {
    const contract = 'sha256:0';
    const { start, answer } = guesses(contract) as { start: string; answer: string };
    const builder = defineGraph({ name: 'pins', input: z.object({ pin: z.number() }) });
    const ask = builder.ask({ title: 'Code?', form: z.object({ code: z.number() }) });
    const graph = builder.build({ entry: 'ask', nodes: { ask }, routes: {} });
    const world = createWorld({ chain: true });
    const run = await new Testbox({ graphs: [graph] }, world).start('pins', START, { key: 'mail-1' });
    await run.settled();
    await run.answer({ values: { code: PIN }, key: 'form-1', as: 'user:finn' });
    await run.settled();
    const all = await stored({ world, store: () => createMemoryStore({ shared: world.data }) } as never, run.id);
    expect(all).toContain(start);
    expect(all).toContain(answer);
  });

  it('is shown in a question under that key, and an approval that names it so is bound to what runs', async () => {
    const world = worldOf();
    const { run, box } = await carry(world);
    const [question] = (await run.view()).requests;
    expect(question?.subject).toMatch(KEYED);
    const other = run.answer({ action: 'approve', subject: 'hmac:00000000000000000000000000000000' });
    await expect(other).rejects.toMatchObject({ details: { subject: question?.subject } });
    const again = await box.restart();
    await again.get(run.id).answer({ action: 'approve', subject: question!.subject! });
    expect(await again.get(run.id).settled()).toMatchObject({ status: 'completed' });
    expect(await again.get(run.id).reExecute()).toMatchObject({ same: true });
  });

  it('still tells the same start, the same answer and the same check from another, after a restart too', async () => {
    const world = worldOf();
    const { run, box } = await carry(world);
    const again = await box.restart();
    expect((await again.start('pins', START, { key: 'mail-1' })).id).toBe(run.id);
    const conflict = again.start('pins', { pin: 1234 }, { key: 'mail-1' });
    await expect(conflict).rejects.toMatchObject({ code: 'StartKeyConflict' });
    const handle = again.get(run.id);
    await handle.answer({ values: { code: PIN }, key: 'form-1', as: 'user:finn' });
    const otherAnswer = handle.answer({ values: { code: 1 }, key: 'form-1', as: 'user:finn' });
    await expect(otherAnswer).rejects.toMatchObject({ code: 'AlreadyAnswered' });
  });

  it('is that of an approval that was asked for before it was known that anything of it is sensitive', async () => {
    const builder = defineGraph({ name: 'words', input: z.object({ word: z.string() }) });
    const begin = builder.step(({ input }) => input.word);
    const work = builder.step(() => 'worked');
    const ask = builder.ask({ title: 'Word?', form: z.object({ word: z.string().meta(sensitive) }) });
    const graph = builder.build({
      entry: 'begin',
      nodes: { begin, work, ask },
      routes: { begin: [{ to: ['work', 'ask'] }] },
    });
    const checks = [{ name: 'office', before: ({ node }: { node: string }) => (node === 'work' ? ASKED : ALLOWED) }];
    const box = new Testbox({ graphs: [graph], checks }, createWorld({ chain: true }));
    const run = await box.start('words', { word: 'hidden words' });
    await box.settle();
    const idOf = async (title: string) =>
      (await run.view()).requests.find(request => request.title === title)?.id ?? 'none';
    await run.answer({ request: await idOf('Word?'), values: { word: 'hidden words' } });
    await box.settle();
    await run.answer({ request: await idOf('May it?'), action: 'approve' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(await run.reExecute()).toMatchObject({ same: true });
  });

  it('counts as the same where the key of the run was dropped', async () => {
    const world = worldOf();
    const { run, box } = await carry(world);
    await run.eraseSensitive();
    const again = await box.restart();
    expect((await again.start('pins', START, { key: 'mail-1' })).id).toBe(run.id);
    await again.get(run.id).answer({ values: { code: PIN }, key: 'form-1', as: 'user:finn' });
    expect(await again.get(run.id).view()).toMatchObject({ status: 'suspended', requests: [{ about: 'ask' }] });
  });

  it('is told from another under the key that the run went on with after one was dropped', async () => {
    const box = threeCodes();
    const session = await box.sessions.open({ user: 'ada' });
    const run = await box.start('codes', START, { key: 'mail-1', session: session.id });
    await run.settled();
    const answer = (key: string, code: number) => run.answer({ values: { code }, key, as: 'user:finn' });
    await answer('form-1', PIN);
    await run.settled();
    await run.eraseSensitive();
    await answer('form-2', 5678);
    await run.settled();
    const send = (code: number) =>
      session.send('codes', String(code), { key: 'mail-2', input: { pin: code }, whileOpen: 'answer' });
    const sent = await send(8765);
    expect(sent.run.id).toBe(run.id);

    await answer('form-2', 5678);
    await expect(answer('form-2', 1)).rejects.toMatchObject({ code: 'AlreadyAnswered' });
    expect((await send(8765)).run.id).toBe(run.id);
    await expect(send(1)).rejects.toMatchObject({ code: 'StartKeyConflict' });
    // What was stored under the key that was dropped cannot be compared.
    await answer('form-1', 1);
    expect((await box.start('codes', { pin: 1 }, { key: 'mail-1' })).id).toBe(run.id);
  });

  it('is told from another in a fork too, whose past was answered under the same id', async () => {
    const box = threeCodes();
    const run = await box.start('codes', START);
    await run.settled();
    await run.answer({ values: { code: PIN }, key: 'form-1', as: 'user:finn' });
    await run.settled();
    const child = await run.fork({ reason: 'what if' });
    await child.settled();
    await child.eraseSensitive();
    const answer = (code: number) => child.answer({ values: { code }, key: 'form-1', as: 'user:finn' });
    await answer(5678);
    await answer(5678);
    await expect(answer(1)).rejects.toMatchObject({ code: 'AlreadyAnswered' });
  });
});

it('what a run is folded by stays in the clear where a sensitive value happens to be the same', async () => {
  const builder = defineGraph({ name: 'idle', input: z.object({ pin: z.number().meta(sensitive) }) });
  const work = builder.step(() => new Promise<null>(() => {}));
  const graph = builder.build({ entry: 'work', nodes: { work }, routes: {} });
  const box = new Testbox({ graphs: [graph] }, createWorld({ chain: true }));
  const run = await box.start('idle', { pin: 10_000 });
  await box.advance('10s');
  const child = await run.fork({ reason: 'what if' });
  const told: unknown[] = [];
  for await (const { type, data } of child.events()) if (type === 'run.forked') told.push(data.idle);
  expect(told).toEqual([10_000]);
  await child.eraseSensitive();
  expect((await box.engine.load(child.id)).run.executingSince).toEqual(expect.any(Number));
});
