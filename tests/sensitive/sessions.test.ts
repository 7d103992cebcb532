import { openCommit } from '@signalbox/runtime';
import { type Testbox, testbox } from '@signalbox/testkit';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const sensitive = { sensitive: true };

/** Takes a word and a pin, asks for a code, and tells its session whatever it knows. */
function graph() {
  const builder = defineGraph({
    name: 'teller',
    input: z.object({ message: z.string().meta(sensitive).optional(), pin: z.number().meta(sensitive).optional() }),
    state: z.object({ code: z.number().meta(sensitive).optional() }),
  });
  const ask = builder.ask({
    title: 'Code?',
    form: z.object({ code: z.number().meta(sensitive) }),
    update: { code: 'output.values.code' },
  });
  const tell = builder.step(({ state, input, session }) => {
    session?.say(`The code is ${state.code}, the word ${input.message}`);
    session?.update({ code: state.code, word: input.message ?? null });
    return null;
  });
  return builder.build({ entry: 'ask', nodes: { ask, tell }, routes: { ask: [{ to: 'tell' }] } });
}

async function talk(box: Testbox, message: object | string, input?: object) {
  const session = await box.sessions.open({ user: 'ada' });
  const { run } = await session.send('teller', message as never, input === undefined ? {} : { input: input as never });
  await run.settled();
  return { session, run };
}

/** All that stands in a session's stream. */
async function streamOf(box: Testbox, id: string): Promise<string> {
  const commits = await box.store.read(id);
  return JSON.stringify(commits.map(openCommit));
}

describe('a session', () => {
  it('gets a mask for a message that is sensitive as the input of its run, however short it is', async () => {
    const box = testbox({ graphs: [graph()], chain: true });
    const { session } = await talk(box, 'x7');
    expect(await session.messages()).toMatchObject([{ content: '***' }]);
    const { session: other } = await talk(box, { pin: 7 });
    expect(await other.messages()).toMatchObject([{ content: { pin: '***' } }]);
  });

  it('gets a mask for a message that is made into an input, wherever what is sensitive of it turns up', async () => {
    const box = testbox({ graphs: [graph()], chain: true });
    const { session } = await talk(box, 'Take 4711815, please.', { pin: 4_711_815 });
    expect(await session.messages()).toMatchObject([{ content: 'Take ***, please.' }]);
    const { session: other } = await talk(box, 'Take 7.', { pin: 7 });
    expect(await other.messages()).toMatchObject([{ content: '***' }]);
  });

  it('gets a mask for a message that answers a sensitive field, and for what the run tells it', async () => {
    const box = testbox({ graphs: [graph()], chain: true });
    const { session, run } = await talk(box, 'open sesame');
    const { request } = await session.send('teller', ' 90210077 ', { whileOpen: 'answer' });
    expect(request).toBeDefined();
    await run.settled();
    const messages = (await session.messages()).map(({ content }) => content);
    expect(messages).toEqual(['***', '***', 'The code is ***, the word ***']);
    expect((await session.view()).state).toEqual({ code: '***', word: '***' });
    const stream = await streamOf(box, session.id);
    expect(stream).not.toContain('90210077');
    expect(stream).not.toContain('sesame');
  });

  it('gets a mask for a short answer too, in whatever spelling', async () => {
    const box = testbox({ graphs: [graph()], chain: true });
    const { session, run } = await talk(box, 'open sesame');
    await session.send('teller', '42.0', { whileOpen: 'answer' });
    await run.settled();
    expect((await session.messages())[1]).toMatchObject({ content: '***' });
  });

  it('has metadata whose schema may promise nothing that it does not keep', () => {
    const sessionMetadata = z.object({ iban: z.string().meta(sensitive) });
    const make = () => testbox({ sessionMetadata });
    expect(make).toThrow(expect.objectContaining({ code: 'MetadataSensitive' }));
  });
});
