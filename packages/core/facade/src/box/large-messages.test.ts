import { verifyStream } from '@signalbox/runtime';
import { testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';

const LONG = '长'.repeat(5_000);
const LIMIT = 1_000;
const KEPT = 100;

/** Says what it was told, and how long what was said before is. */
function echo() {
  const builder = defineGraph({ name: 'echo', input: z.object({ message: z.string() }) });
  const say = builder.step(async ctx => {
    const before = (await ctx.session?.messages()) ?? [];
    ctx.session?.say(`${ctx.input.message}!`);
    return { lengths: before.map(({ content }) => String(content).length) };
  });
  return builder.build({ entry: 'say', nodes: { say }, routes: {} });
}

async function withLongMessage() {
  const box = testbox({ graphs: [echo()], payloadLimit: LIMIT, chain: true });
  const session = await box.sessions.open();
  const { run } = await session.send('echo', LONG);
  const end = await run.settled();
  const texts = (await box.store.read(session.id)).map(({ sealed }) => sealed!.text);
  return { box, session, end, texts };
}

describe('a message over the limit', () => {
  it('stands apart from the log of the session, and is read as it was written', async () => {
    const { session, end, texts } = await withLongMessage();
    expect(texts.filter(text => text.length > LIMIT)).toEqual([]);
    expect((await session.messages()).map(({ content }) => content)).toEqual([LONG, `${LONG}!`]);
    expect(end).toMatchObject({ status: 'completed', output: { lengths: [5_000] } });
    expect(Object.keys((await session.messages())[0]!).sort()).toEqual(['at', 'by', 'content', 'role', 'seq']);
  });

  it('is read as it was written by another process, and when it is no more among the newest', async () => {
    const { box, session } = await withLongMessage();
    const next = await box.restart();
    const again = next.session(session.id);
    for (let n = 0; n < KEPT; n += 1) await again.add(`${n}`);
    await again.add({ text: LONG });
    const messages = await again.messages({ limit: 200 });
    expect(messages.map(({ content }) => content).slice(0, 2)).toEqual([LONG, `${LONG}!`]);
    expect(messages.at(-1)?.content).toEqual({ text: LONG });
    expect(await again.messages({ limit: 1 })).toMatchObject([{ content: { text: LONG } }]);
  });

  it('is whole in the feed, and verified with its bytes', async () => {
    const { box, session } = await withLongMessage();
    const contents: unknown[] = [];
    for await (const { event } of box.feed())
      if (event.stream === session.id && event.type === 'message.added') contents.push(event.data.content);
    expect(contents).toEqual([LONG, `${LONG}!`]);
    expect(await verifyStream(box.store, session.id)).toMatchObject({ ok: true });
    const { payload } = box.store;
    const tampered = {
      ...box.store,
      payload: async (...place: Parameters<typeof payload>) => `${await payload(...place)} `,
    };
    expect(await verifyStream(tampered, session.id)).toMatchObject({
      ok: false,
      firstBad: { code: 'PayloadMismatch' },
    });
  });

  it('says so when its bytes are gone', async () => {
    const { box, session } = await withLongMessage();
    const lost = Object.assign(Object.create(box.store), { payload: async () => undefined });
    Object.defineProperty(box.engine, 'store', { value: lost });
    await expect(session.messages()).rejects.toMatchObject({ code: 'LogUnreadable' });
  });

  it('cannot be made up from outside', async () => {
    const { session } = await withLongMessage();
    const madeUp = { $ref: 'payload', digest: 'x' };
    await session.add(madeUp);
    expect((await session.messages({ limit: 1 }))[0]?.content).toEqual(madeUp);
  });
});
