import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conversation } from './testing/conversation.ts';

const TASTE = { genre: 'jazz', hours: 7 };
let talk: Conversation;
beforeEach(() => {
  talk = new Conversation();
});
afterEach(async () => await talk.box.close());

describe('asked to recommend music the companion', () => {
  it.each([
    ['Recommend me some music', 'What music do you like?', ['Genre', 'Hours of music a week', 'Remarks']],
    ['推荐一些音乐给我', '你喜欢什么音乐？', ['类型', '每周听音乐的小时数', '备注']],
  ])('does not guess: "%s" leads to a form in its language', async (message, title, labels) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'form', title, gap: 'preference' });
    expect(question!.fields.map(({ type }) => type)).toEqual(['select', 'slider', 'text']);
    expect(question!.fields.map(({ label }) => label)).toEqual(labels);
  });

  it('begins a new pass with the answer, in which intent, emotion and memory see it', async () => {
    await talk.says('Recommend me some music');
    const { run } = await talk.answers({ ...TASTE, remarks: 'I am tired and sad' });
    expect(await talk.eventsOf(run, 'episode.started')).toMatchObject([{ at: 'intent', name: 'music.taste' }]);
    const decisions = await talk.eventsOf(run, 'decision.made');
    const made = (point: string) => decisions.filter(each => each.point === point);
    expect(made('intent').map(({ decidedBy }) => decidedBy)).toEqual(['model:naive-bayes', 'rule:answered']);
    expect(made('mood').map(({ chosen }) => chosen)).toEqual(['neutral', 'low']);
    const memories = (await talk.eventsOf(run, 'node.succeeded')).filter(({ node }) => node === 'memory');
    expect(memories.map(({ output }) => output)).toMatchObject([
      { known: {} },
      { known: { 'music.taste': { genre: 'jazz', hours: 7 } } },
    ]);
  });

  it.each([
    ['Recommend me some music', 'What is it for?', 'Jazz for moving: “Uptown Local” (Brass Signal, 4 min).'],
    ['推荐一些音乐给我', '什么时候听？', '爵士，运动：“Uptown Local” (Brass Signal, 4 min)。'],
  ])('chains a second request where something else lacks: %s', async (message, second, reply) => {
    await talk.says(message);
    const { question } = await talk.answers(TASTE);
    expect(question).toMatchObject({ kind: 'choice', title: second, gap: 'constraint' });
    const ended = await talk.answers({ choice: 'move' });
    expect(ended.reply).toBe(reply);
    expect(await talk.eventsOf(ended.run, 'episode.started')).toMatchObject([
      { episode: 1, name: 'music.taste' },
      { episode: 2, name: 'music.occasion' },
    ]);
  });

  it('asks for nothing that the message or the mood tells', async () => {
    await talk.says('Find me music to work to');
    expect((await talk.answers(TASTE)).reply).toMatch(/^Jazz for concentrating: /);
    await talk.box.memory({ user: 'finn' }).forget('music.taste');
    await talk.says('Suggest a few songs, I am stressed');
    expect((await talk.answers(TASTE)).reply).toMatch(/^One thing at a time\. Jazz for relaxing: /);
  });

  it('proposes what the message names, and takes what is answered', async () => {
    const { question } = await talk.says('Any jazz you would recommend?');
    expect(question).toMatchObject({ proposal: { values: { genre: 'jazz' } } });
    await talk.answers({ genre: 'rock', hours: 2 });
    expect((await talk.answers({ choice: 'focus' })).reply).toMatch(/^Rock for concentrating: /);
  });

  it('says so and asks no further when nobody wants to answer', async () => {
    await talk.says('Recommend me some music');
    expect((await talk.rejects()).reply).toBe('All right, let us leave it.');
    expect(await talk.box.memory({ user: 'finn' }).list()).toEqual([]);
  });
});

describe('what was answered once', () => {
  beforeEach(async () => {
    await talk.says('Recommend me some music');
    await talk.answers(TASTE);
    await talk.answers({ choice: 'relax' });
  });

  it('is not asked again in the session, and begins a new pass all the same', async () => {
    const { run, question, reply } = await talk.says('What should I listen to this week?');
    expect(question).toBeUndefined();
    expect(reply).toMatch(/^Jazz for relaxing: /);
    expect(await talk.eventsOf(run, 'request.opened')).toEqual([]);
    expect(await talk.eventsOf(run, 'request.recalled')).toMatchObject([
      { values: TASTE, from: { key: 'music.taste', scope: 'user' } },
      { values: { choice: 'relax' }, from: { key: 'music.occasion', scope: 'session' } },
    ]);
    expect(await talk.eventsOf(run, 'episode.started')).toHaveLength(2);
    expect(await run.reExecute()).toMatchObject({ same: true });
  });

  it('tells nothing of the mood of another day', async () => {
    await talk.box
      .memory({ user: 'finn' })
      .edit('music.taste', { ...TASTE, remarks: 'I am so tired' }, { as: 'user:finn' });
    expect((await talk.says('Recommend me some music')).reply).toMatch(/^That sounds like a hard day\. Jazz/);
    await talk.box.advance('1d');
    expect((await talk.says('Recommend me some music')).reply).toMatch(/^Jazz for relaxing/);
  });

  it('holds for the user in other sessions, but what the music is for is asked anew', async () => {
    talk.inAnotherSession();
    expect((await talk.says('推荐一些音乐给我')).question).toMatchObject({ title: '什么时候听？' });
  });

  it('is asked again after it was forgotten, and after ninety days', async () => {
    await talk.box.memory({ user: 'finn' }).forget('music.taste');
    expect((await talk.says('Recommend me some music')).question!.title).toBe('What music do you like?');
    await talk.answers(TASTE);
    await talk.box.advance('90d');
    expect((await talk.says('Recommend me some music')).question!.title).toBe('What music do you like?');
  });
});

describe('the session', () => {
  it('holds what was said, and nothing of what stands beside a question', async () => {
    const { question } = await talk.says('Recommend me some music');
    expect(question!.message).toBe('I would rather ask than guess.');
    expect(await talk.said()).toEqual([['user', 'Recommend me some music']]);
    await talk.answers(TASTE);
    await talk.answers({ choice: 'move' });
    expect(await talk.said()).toEqual([
      ['user', 'Recommend me some music'],
      ['assistant', 'Jazz for moving: “Uptown Local” (Brass Signal, 4 min).'],
    ]);
    expect((await talk.session.view()).state).toEqual({ topic: 'music', mood: 'neutral' });
  });
});
