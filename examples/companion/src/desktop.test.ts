import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conversation } from './testing/conversation.ts';

let talk: Conversation;
beforeEach(() => {
  talk = new Conversation();
});
afterEach(async () => await talk.box.close());

describe('told to close the tab that the user looks at, the companion', () => {
  it.each([
    ['Close the tab I am looking at', 'Which tab do you mean?', 'Closed “Train times 火车时刻”.'],
    ['把我正在看的标签页关掉', '你说的是哪个标签页？', '已关闭“Train times 火车时刻”。'],
  ])('asks which one: %s', async (message, title, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'choice', title, gap: 'worldState' });
    expect(question!.fields[0]).toMatchObject({
      options: [{ value: 'trains' }, { value: 'recipe' }, { value: 'news' }],
    });
    expect((await talk.answers({ choice: 'trains' })).reply).toBe(reply);
    expect(talk.ledger.list('closed-tab')).toEqual([{ tab: 'trains' }]);
  });

  it('takes a message that fits for the answer', async () => {
    const { run } = await talk.says('Close this tab');
    const sent = await talk.session.send('companion', 'news', { as: 'user:finn', whileOpen: 'answer' });
    expect(sent.run.id).toBe(run.id);
    expect((await talk.settled()).reply).toBe('Closed “Morning news 早间新闻”.');
  });

  it('does not ask where the message names it, or no other is open', async () => {
    expect((await talk.says('Close the window with the recipe')).reply).toBe('Closed “Noodle soup 汤面菜谱”.');
    expect((await talk.says('把新闻页面关掉')).reply).toBe('已关闭“Morning news 早间新闻”。');
    expect((await talk.says('Close this tab')).reply).toBe('Closed “Train times 火车时刻”.');
    expect((await talk.says('Close this tab')).reply).toBe('No tab is open.');
  });

  it('says so when the tab was closed while it asked', async () => {
    await talk.says('Close the tab I am looking at');
    talk.ledger.add({ key: 'by hand', kind: 'closed-tab', detail: { tab: 'news' } });
    expect((await talk.answers({ choice: 'news' })).reply).toBe('That tab is closed already.');
  });
});

describe('asked for a point that was made', () => {
  it.each([
    [
      'First, the roof leaks. Second, the heating is loud. Third, the door sticks.',
      'What was the third point I just made?',
      'Your third point: “the door sticks”.',
    ],
    ['第一，屋顶漏水。第二，暖气太吵。第三，门卡住了。', '我刚才说的第三点是什么？', '你的第三点：“门卡住了”。'],
  ])('the companion answers from the session after a restart: %s', async (points, question, reply) => {
    await talk.says(points);
    await talk.restart();
    expect((await talk.says(question)).reply).toBe(reply);
  });

  it('the companion knows points that came one by one, and says when there is no such point', async () => {
    await talk.says('First of all we lack time, second we lack money');
    await talk.says('Here is my third point: Third, nobody asked us');
    expect((await talk.says('What was the third point I just made?')).reply).toBe(
      'Your third point: “nobody asked us”.',
    );
    expect((await talk.says('What was the fourth thing I mentioned?')).reply).toBe(
      'You made 3 points, and no number 4.',
    );
  });

  it('the companion knows nothing of what was said in another session', async () => {
    await talk.says('First, the roof leaks. Second, the heating is loud. Third, the door sticks.');
    talk.inAnotherSession();
    expect((await talk.says('What was the third point I just made?')).reply).toBe('You have made no points so far.');
  });
});

describe('a message that is not clear', () => {
  it.each([
    ['asdf qwer', 'What can I do for you?', 'Closed “Noodle soup 汤面菜谱”.'],
    ['嗯嗯', '我能为你做什么？', '已关闭“Noodle soup 汤面菜谱”。'],
  ])('leads to a choice, and the answer is the intent of the next pass: %s', async (message, title, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'choice', title, gap: 'structure' });
    await talk.answers({ choice: 'tab' });
    expect((await talk.answers({ choice: 'recipe' })).reply).toBe(reply);
  });

  it('is let be where the user wants none of what there is', async () => {
    await talk.says('What is the capital of France?');
    expect((await talk.answers({ choice: 'unknown' })).reply).toBe('Then I cannot help with that.');
  });
});
