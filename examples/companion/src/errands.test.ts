import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conversation } from './testing/conversation.ts';

let talk: Conversation;
beforeEach(() => {
  talk = new Conversation();
});
afterEach(async () => await talk.box.close());

const TRIP = { destination: 'bern', from: '2026-05-01', days: 3, travellers: 2, budget: 900 };

describe('a trip', () => {
  it.each([
    ['Plan a trip to Bern', 'Which way to Bern?', 'Trip 1 is planned: Bern from 2026-05-01, 3 days.'],
    ['帮我计划去伯尔尼的旅行', '怎么去伯尔尼？', '行程 1 已定：2026-05-01 起去伯尔尼 3 天。'],
  ])('is planned by a form, a choice with costs, and saved: %s', async (message, title, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'form', proposal: { values: { destination: 'bern' } } });
    const choice = await talk.answers(TRIP);
    expect(choice.question).toMatchObject({
      title,
      displays: [{ type: 'table', rows: [{ cost: '768.00 €' }] }],
      fields: [{ options: [{ value: 'simple' }] }],
    });
    expect((await talk.answers({ choice: 'simple' })).reply).toBe(reply);
    expect(talk.ledger.list('trip')).toEqual([{ ...TRIP, kind: 'simple', cents: 76_800 }]);
  });

  it('that no offer fits is not saved', async () => {
    await talk.says('I want to travel to Kyoto for five days');
    const { reply } = await talk.answers({ ...TRIP, destination: 'kyoto', days: 5, budget: 100 });
    expect(reply).toBe('Nothing fits 100 €: the least is 2330.00 €.');
    expect(talk.ledger.list('trip')).toEqual([]);
  });
});

describe('an order', () => {
  it.each([
    ['Order 40 notebooks', 'Order 1: 40 × notebook, 140.00 €.'],
    ['订40本笔记本', '订单 1：笔记本 × 40，140.00 €。'],
  ])('up to the threshold is placed at once: %s', async (message, reply) => {
    expect((await talk.says(message)).reply).toBe(reply);
  });

  it.each([
    ['Please order two office chairs', 'Order 2 × office chair for 378.00 €?', 'Order 1: 2 × office chair, 378.00 €.'],
    ['请订两把办公椅', '订 2 × 办公椅，共 378.00 €？', '订单 1：办公椅 × 2，378.00 €。'],
  ])('above it needs every point confirmed, and is placed as approved: %s', async (message, title, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'form', title, gap: 'approval' });
    expect(talk.ledger.list('order')).toEqual([]);
    await expect(talk.answers({ points: ['amount', 'quantity'] })).rejects.toMatchObject({ code: 'InvalidAnswer' });
    expect((await talk.answers({ points: ['amount', 'quantity', 'noReturn'] })).reply).toBe(reply);
    expect(talk.ledger.list('order')).toEqual([{ item: 'chair', quantity: 2, cents: 37_800 }]);
  });

  it('just below the threshold needs nobody, just above it somebody', async () => {
    await talk.says('Get me some pens');
    await talk.answers({ item: 'pen', quantity: 166 });
    expect(talk.ledger.list('order')).toEqual([{ item: 'pen', quantity: 166, cents: 19_920 }]);
    await talk.says('We need more paper, order some');
    expect((await talk.answers({ item: 'pen', quantity: 167 })).question).toMatchObject({ gap: 'approval' });
  });

  it('whose item or quantity is not told is asked about, with what is told as proposal', async () => {
    const { question } = await talk.says('We need more paper, order some');
    expect(question).toMatchObject({ gap: 'parameter', proposal: { values: { item: 'paper' } } });
    expect((await talk.answers({ item: 'paper', quantity: 1 })).reply).toBe('Order 1: 1 × box of paper, 24.90 €.');
  });

  it('that is rejected is not placed', async () => {
    await talk.says('请订两把办公椅');
    expect((await talk.rejects()).reply).toBe('没有下单。');
    expect(talk.ledger.list('order')).toEqual([]);
  });

  it('waits for its approval across a restart, and is placed once', async () => {
    await talk.says('Please order two office chairs');
    await talk.restart();
    await talk.answers({ points: ['amount', 'quantity', 'noReturn'] });
    await talk.restart();
    expect((await talk.settled()).reply).toBe('Order 1: 2 × office chair, 378.00 €.');
    expect(talk.ledger.list('order')).toHaveLength(1);
  });
});

describe('the backup', () => {
  const DAILY = { enabled: true, schedule: 'daily', time: '23:30', folders: ['documents', 'photos'], copies: 14 };

  it.each([
    ['Set up my backup', 'How shall the backup work?', 'Change the backup like this?', 'The backup is configured.'],
    ['设置我的备份', '备份怎么做？', '这样修改备份吗？', '备份已设置好。'],
  ])('is configured by a form, and changed as confirmed: %s', async (message, form, confirmation, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ title: form, proposal: { values: { schedule: 'weekly', copies: 4 } } });
    const confirming = await talk.answers(DAILY);
    expect(confirming.question).toMatchObject({
      kind: 'confirmation',
      title: confirmation,
      displays: [{ type: 'diff', before: { schedule: 'weekly' }, after: DAILY }],
    });
    expect((await talk.approves()).reply).toBe(reply);
    expect((await talk.says(message)).question).toMatchObject({ proposal: { values: DAILY } });
  });

  it('takes no answer that breaks a rule across fields, or fills in what is hidden', async () => {
    await talk.says('Set up my backup');
    const hourly = { enabled: true, schedule: 'hourly', folders: ['documents'], copies: 23 };
    await expect(talk.answers(hourly)).rejects.toMatchObject({ code: 'InvalidAnswer' });
    await expect(talk.answers({ ...hourly, copies: 24, time: '10:00' })).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
    expect((await talk.answers({ ...hourly, copies: 24 })).question).toMatchObject({ kind: 'confirmation' });
  });

  it('stays as it was when that is not confirmed, and asks for no confirmation of nothing', async () => {
    await talk.says('Turn the backup off');
    await talk.answers({ enabled: false });
    expect((await talk.rejects()).reply).toBe('The backup stays as it was.');
    const { question } = await talk.says('Set up my backup');
    const { values } = question!.proposal as { values: Record<string, unknown> };
    expect((await talk.answers(values)).reply).toBe('That is how it is set now.');
    expect(talk.ledger.list('settings')).toEqual([]);
  });
});

describe('the expenses', () => {
  it.each([
    ['Show me what I spent on food', '4 found, 238.60 € in all: 2026-01-11 Market 42.10 €'],
    ['看看我吃饭花了多少', '找到 4 笔，共 238.60 €：2026-01-11 Market 42.10 €'],
  ])('are filtered by a form that holds what the message names: %s', async (message, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'form', proposal: { values: { categories: ['food'] } } });
    expect((await talk.answers({ categories: ['food'] })).reply).toContain(reply);
  });

  it('meet conditions that fit each other only', async () => {
    await talk.says('Filter my expenses');
    for (const crossed of [
      { from: '2026-03-01', to: '2026-02-01' },
      { least: 50, most: 20 },
    ])
      await expect(talk.answers(crossed)).rejects.toMatchObject({ code: 'InvalidAnswer' });
    const { reply } = await talk.answers({ least: 100, most: 200, order: 'amount' });
    expect(reply).toBe('1 found, 128.90 € in all: 2026-02-20 Dinner with Ada 128.90 €');
  });

  it.each([
    ['Filter my expenses', 'Nothing found. What may I drop?'],
    ['筛选我的支出', '没有找到。可以放宽什么？'],
  ])('that no condition meets lead to a second question: %s', async (message, title) => {
    await talk.says(message);
    const { question } = await talk.answers({ categories: ['books'], from: '2026-04-01' });
    expect(question).toMatchObject({ kind: 'choice', title });
    expect((await talk.answers({ choice: 'dates' })).reply).toContain('54.40 €');
  });
});

describe('a payment', () => {
  const ELECTRICITY = { bill: 'electricity', payee: 'Nord Power', iban: 'DE02120300000000202051', cents: 8450 };

  it.each([
    ['Pay the electricity bill', 'Pay 84.50 € to Nord Power?', 'Payment 1: 84.50 € to Nord Power.'],
    ['付电费', '向 Nord Power 支付 84.50 €？', '付款 1：已向 Nord Power 支付 84.50 €。'],
  ])('is made as confirmed, and never without: %s', async (message, title, reply) => {
    const { question } = await talk.says(message);
    expect(question).toMatchObject({ kind: 'confirmation', title });
    expect(talk.ledger.list('payment')).toEqual([]);
    expect((await talk.approves()).reply).toBe(reply);
    expect(talk.ledger.list('payment')).toEqual([ELECTRICITY]);
  });

  it('of a bill that is not named is asked about first', async () => {
    const { question } = await talk.says('Settle my open bills');
    expect(question).toMatchObject({ kind: 'choice', title: 'Which bill?' });
    expect((await talk.answers({ choice: 'phone' })).question!.title).toBe('Pay 29.99 € to Telo?');
  });

  it('is not made when it is rejected, or not confirmed within ten minutes', async () => {
    await talk.says('付电费');
    expect((await talk.rejects()).reply).toBe('没有付款。');
    await talk.says('Pay the electricity bill');
    await talk.box.advance('10m');
    expect((await talk.settled()).reply).toBe('Nobody confirmed it in time; nothing was paid.');
    expect(talk.ledger.list('payment')).toEqual([]);
  });

  it('is not made twice when the bill was paid while it was asked for', async () => {
    await talk.says('Pay the electricity bill');
    talk.ledger.add({ key: 'elsewhere', kind: 'payment', detail: ELECTRICITY });
    expect((await talk.approves()).reply).toBe('That did not work: The bill "electricity" was paid meanwhile.');
    expect(talk.ledger.list('payment')).toHaveLength(1);
  });

  it('cannot be confirmed by a message', async () => {
    await talk.says('Pay the electricity bill');
    const sent = await talk.session.send('companion', 'yes, pay it', { as: 'user:finn', whileOpen: 'answer' });
    expect(sent.request).toBeUndefined();
    expect(talk.ledger.list('payment')).toEqual([]);
  });
});
