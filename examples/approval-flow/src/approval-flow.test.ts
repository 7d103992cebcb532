import type { RunHandle } from 'signalbox';
import { type Testbox, testbox } from 'signalbox/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadApprovalFlow, type Purchase } from './approval-flow.ts';
import type { Entry, Ledger } from './ledger.ts';
import { createNodeTypes } from './node-types.ts';
import { readPeople } from './people.ts';

const LAMP: Purchase = { requester: 'ada', supplier: 'Lumen', item: 'a lamp', amount: 89.9, currency: 'EUR' };
const DESKS: Purchase = { ...LAMP, item: '升降桌', amount: 12_600, currency: 'CNY', lang: 'zh' };

let box: Testbox | undefined;
let entries: Entry[];
let run: RunHandle<{ readonly text: string }>;

beforeEach(() => {
  entries = [];
});
afterEach(async () => {
  await box?.close();
  box = undefined;
});

/** A ledger that fails a number of times first. */
function ledgerThatFails(times: number): Ledger {
  let failures = times;
  return {
    entries: () => entries,
    book(booking) {
      failures -= 1;
      if (failures >= 0) throw new Error('the books are closed');
      const entry = { id: `L-${entries.length + 1}`, ...booking };
      entries.push(entry);
      return entry;
    },
  };
}

/** Ada asks for it. */
async function ask(purchase: Purchase, ledger = ledgerThatFails(0)) {
  const suppliers = { Lumen: { takesOrders: true }, Gone: { takesOrders: false } };
  const types = createNodeTypes({ ledger, suppliers });
  const graph = loadApprovalFlow(types);
  await box?.close();
  box = testbox({ graphs: [graph], types, identity: readPeople() });
  run = await box.start(graph, purchase, { as: 'user:ada' });
  return await run.settled();
}

async function answer(who: string, action: string, amount?: number) {
  const values = amount === undefined ? {} : { values: { amount } };
  await run.answer({ action, as: `user:${who}`, ...values });
  return await run.settled();
}

const refusal = async (who: string, action = 'approve', amount?: number) =>
  await answer(who, action, amount).catch(error => error.code);

const paid = () => entries.map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`);

describe('the approval flow', () => {
  it('has seven nodes', () => {
    expect(
      Object.keys(loadApprovalFlow(createNodeTypes({ ledger: ledgerThatFails(0), suppliers: {} })).definition.nodes),
    ).toHaveLength(7);
  });

  it('pays up to the limit with one approval', async () => {
    expect(await ask({ ...LAMP, amount: 1000 })).toMatchObject({
      requests: [{ node: 'approve', assignees: ['role:approver'] }],
    });
    expect(await answer('mei', 'approve')).toMatchObject({
      status: 'completed',
      output: { text: 'Paid and ordered: a lamp' },
    });
    expect(paid()).toEqual(['payment 1000.00 EUR']);
  });

  it('wants two people over the limit, and pays nothing before', async () => {
    expect(await ask({ ...LAMP, amount: 1000.01 })).toMatchObject({ requests: [{ node: 'approveLarge', quorum: 2 }] });
    expect(await answer('mei', 'approve')).toMatchObject({
      status: 'suspended',
      requests: [{ endorsedBy: [{ id: 'mei' }] }],
    });
    expect(await refusal('mei')).toBe('AlreadyEndorsed');
    expect(paid()).toEqual([]);
    expect(await answer('omar', 'approve')).toMatchObject({ status: 'completed' });
    expect(paid()).toEqual(['payment 1000.01 EUR']);
  });

  it('has a limit of its own for another currency, and speaks the language of the purchase', async () => {
    const asked = await ask(DESKS);
    expect(asked.requests[0]).toMatchObject({ node: 'approveLarge', title: '批准大额采购（需两人）：升降桌' });
    expect(asked.requests[0]!.message).toBe('ada 向 Lumen 采购，金额 12600 CNY，超过限额 8000。');
    await answer('mei', 'approve');
    expect(await answer('lena', 'approve')).toMatchObject({ output: { text: '已付款并订购：升降桌' } });
  });

  it.each([LAMP, DESKS])('never lets who asked for it approve, nor who is no approver', async purchase => {
    await ask(purchase);
    expect([await refusal('ada'), await refusal('ines'), await refusal('nobody')]).toEqual([
      'FourEyes',
      'NotAssigned',
      'NotAssigned',
    ]);
  });

  it('asks anew for an amount that an approver has changed, of somebody else, against the limit again', async () => {
    await ask(LAMP);
    expect(await refusal('mei', 'approve', 1200)).toBe('EditNotSaid');
    expect(await answer('mei', 'edit', 1200)).toMatchObject({ requests: [{ node: 'approveLarge' }] });
    expect([await refusal('mei'), await refusal('ada')]).toEqual(['FourEyes', 'FourEyes']);
    await answer('omar', 'approve');
    expect(await answer('lena', 'approve')).toMatchObject({ status: 'completed' });
    expect(paid()).toEqual(['payment 1200.00 EUR']);
  });

  it('voids an approval when the other changes the amount', async () => {
    await ask({ ...LAMP, amount: 5000 });
    await answer('mei', 'approve');
    expect(await answer('omar', 'edit', 4000)).toMatchObject({
      requests: [{ node: 'approveLarge', proposal: { values: { amount: 4000 } } }],
    });
    expect(await answer('mei', 'approve')).toMatchObject({ status: 'suspended' });
    expect(await answer('lena', 'approve')).toMatchObject({ status: 'completed' });
    expect(paid()).toEqual(['payment 4000.00 EUR']);
  });

  it('gives a rejected purchase back with the reason, to be changed and asked for again', async () => {
    await ask({ ...LAMP, amount: 5000 });
    await run.answer({ action: 'reject', as: 'user:mei', note: 'too dear' });
    expect(await run.settled()).toMatchObject({ requests: [{ node: 'revise', message: 'too dear' }] });
    expect(await answer('ada', 'approve', 900)).toMatchObject({ requests: [{ node: 'approve' }] });
    expect(await answer('mei', 'approve')).toMatchObject({ status: 'completed' });
    expect(paid()).toEqual(['payment 900.00 EUR']);
  });

  it('excludes whoever has changed it after a rejection', async () => {
    await ask(LAMP);
    await answer('mei', 'reject');
    await answer('omar', 'approve', 95);
    expect(await refusal('omar')).toBe('FourEyes');
  });

  it('ends without a payment when it is given up', async () => {
    await ask(LAMP);
    await answer('mei', 'reject');
    expect(await answer('ada', 'reject')).toMatchObject({
      status: 'completed',
      output: { text: 'Not approved: a lamp' },
    });
    expect(paid()).toEqual([]);
  });

  it('ends without a payment when it is called off or withdrawn', async () => {
    await ask(LAMP);
    expect(await answer('mei', 'cancel')).toMatchObject({ output: { text: 'Not approved: a lamp' } });
    const { requests } = await ask(DESKS);
    await box!.withdraw(requests[0]!.id, { as: 'user:ada', reason: 'asked for twice' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: { text: '未批准：升降桌' } });
    expect(paid()).toEqual([]);
  });

  it('asks a director after two days, and nobody more after two more', async () => {
    await ask(LAMP);
    await box!.advance('2d');
    expect((await run.view()).requests[0]).toMatchObject({ assignees: ['role:director'] });
    expect(await refusal('mei')).toBe('NotAssigned');
    await box!.advance('2d');
    expect(await run.view()).toMatchObject({ status: 'completed', output: { text: 'Not approved: a lamp' } });
  });

  it('keeps the approval that was given before it was escalated: one director is the second', async () => {
    await ask({ ...LAMP, amount: 5000 });
    await answer('mei', 'approve');
    await box!.advance('2d');
    expect(await refusal('omar')).toBe('NotAssigned');
    expect(await answer('ines', 'approve')).toMatchObject({ status: 'completed' });
  });

  it('tries a ledger that fails again, and books once', async () => {
    await ask(LAMP, ledgerThatFails(2));
    await run.answer({ action: 'approve', as: 'user:mei' });
    await box!.advance('1m');
    expect(await run.view()).toMatchObject({ status: 'completed' });
    expect(paid()).toEqual(['payment 89.90 EUR']);
  });

  it('reverses the payment when the order fails after it', async () => {
    await ask({ ...LAMP, supplier: 'Gone' });
    expect(await answer('mei', 'approve')).toMatchObject({ status: 'failed', error: { code: 'NotOrdered' } });
    expect(paid()).toEqual(['payment 89.90 EUR', 'reversal 89.90 EUR']);
    expect(entries[1]!.memo).toBe('reverses L-1');
  });
});
