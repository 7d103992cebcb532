import { createWorld, scriptedModel, Testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, desk, deskGraph, eventsOf, toldLast, tool } from './testing/desk.ts';

const PAY = {
  effect: 'once',
  input_schema: {
    type: 'object',
    required: ['order', 'cents'],
    properties: { order: { type: 'string' }, cents: { type: 'integer', minimum: 1, maximum: 50_000 } },
    additionalProperties: false,
  },
};

function paying(approval: unknown, says: Parameters<typeof desk>[0]['says'], more: object = {}) {
  const paid: unknown[] = [];
  const made = desk({
    tools: { pay: args => paid.push(args) && null },
    allowed: [tool('pay', { ...PAY, approval, ...more })],
    says,
  });
  const open = async () => (await made.box.inbox()).rows.map(({ requestId }) => requestId);
  return { ...made, paid, open };
}

const CALL = calls('pay', { order: 'A-1', cents: 500 });

describe('an approval of a call', () => {
  it('lets exactly these arguments run, once, after a restart as well', async () => {
    const { run, box, open, paid } = paying(true, [CALL, 'Paid.']);
    const handle = await run();
    const [request] = await open();
    expect(await handle.view()).toMatchObject({ status: 'suspended' });
    const again = await box.restart();
    await again.answer(request!, { action: 'approve', as: 'user:finn' });
    expect(await again.get(handle.id).settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect(paid).toEqual([{ order: 'A-1', cents: 500 }]);
  });

  it('is shown with the arguments, and bound to their digest: what names another digest is refused', async () => {
    const { run, box, open, paid } = paying(true, [CALL, 'Paid.']);
    const handle = await run();
    const view = await handle.view();
    const [request] = view.status === 'suspended' ? view.requests : [];
    expect(request).toMatchObject({
      kind: 'confirmation',
      gap: 'approval',
      subject: expect.stringMatching(/^sha256:/),
    });
    expect(String((request!.context as { arguments: string }).arguments)).toContain('"cents": 500');
    const other = box.answer((await open())[0]!, {
      action: 'approve',
      subject: `sha256:${'0'.repeat(64)}`,
      as: 'user:finn',
    });
    await expect(other).rejects.toMatchObject({ code: 'SubjectMismatch' });
    expect(paid).toEqual([]);
  });

  it('is not edited by an answer that changes nothing, be it that there is nothing to change; one that adds a value does', async () => {
    const kept = paying(true, [CALL, 'Paid.'], { sensitive: ['order'] });
    await kept.run();
    const [hidden] = await kept.open();
    await expect(kept.box.answer(hidden!, { action: 'edit', as: 'user:finn' })).rejects.toMatchObject({
      code: 'NothingEdited',
      hint: expect.stringContaining('no fields'),
    });
    const noted = { ...PAY.input_schema.properties, note: { type: 'string' } };
    const { run, box, open, paid } = paying(true, [CALL, 'Paid.'], {
      input_schema: { ...PAY.input_schema, properties: noted },
    });
    const handle = await run();
    const [request] = await open();
    const same = { order: 'A-1', cents: 500 };
    for (const values of [undefined, same])
      await expect(
        box.answer(request!, { action: 'edit', as: 'user:finn', ...(values === undefined ? {} : { values }) }),
      ).rejects.toMatchObject({ code: 'NothingEdited' });
    await box.answer(request!, { action: 'edit', values: { ...same, note: 'late' }, as: 'user:finn' });
    await handle.settled();
    await box.answer((await open())[0]!, { action: 'approve', as: 'user:finn' });
    await handle.settled();
    expect(paid).toEqual([{ ...same, note: 'late' }]);
  });

  it('is never given by the agent, a model or a tool, nor in anybody’s name by one', async () => {
    const { run, box, open, paid } = paying(true, [CALL, 'Paid.']);
    await run();
    const [request] = await open();
    for (const as of ['model:test/one', 'tool:pay', 'node:work'])
      await expect(box.answer(request!, { action: 'approve', as: as as never })).rejects.toMatchObject({
        code: 'NotEntitled',
      });
    expect(paid).toEqual([]);
  });

  it('is asked only where the contract says, and also where that cannot be evaluated', async () => {
    const small = paying('args.cents > 1000', [CALL, 'Paid.']);
    await small.run();
    expect(small.paid).toHaveLength(1);
    const unclear = paying('args.cents > state.nothing', [CALL, 'Paid.']);
    await unclear.run();
    expect(unclear.paid).toEqual([]);
    expect(await unclear.open()).toHaveLength(1);
  });

  it('that is declined is told to the agent with the reason, and the call never runs', async () => {
    const { run, box, open, paid, models } = paying(true, [CALL, 'I did not pay.']);
    const handle = await run();
    await box.answer((await open())[0]!, { action: 'reject', note: 'Not this customer.', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'I did not pay.' });
    expect(toldLast(models)).toMatchObject({
      refused: { code: 'declined', message: expect.stringContaining('Not this customer.') },
    });
    expect(paid).toEqual([]);
  });

  it('goes stale when the state closes the tool meanwhile', async () => {
    const { run, box, open, paid, models } = paying(true, [CALL, 'Too late.'], { when: 'state.complaints < 1' });
    const handle = await run();
    await box.get(handle.id).edit({ complaints: 3 }, { reason: 'a complaint came in' });
    await box.answer((await open())[0]!, { action: 'approve', as: 'user:finn' });
    await handle.settled();
    expect(paid).toEqual([]);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'approvalStale' } });
  });

  it('is not of another version of the tool: that is asked about anew', async () => {
    const paid: unknown[] = [];
    const processOf = (version: string) => {
      const pay = { version, execute: (args: object) => paid.push([version, args]) && null };
      const models = scriptedModel(version === '1' ? [CALL] : ['Paid.']);
      return { graphs: [deskGraph({ tools: { pay }, allowed: [tool('pay', { ...PAY, approval: true })] })], models };
    };
    const first = new Testbox(processOf('1'), createWorld());
    const { id } = await first.start('desk', {} as never);
    await first.get(id).settled();
    const box = await first.restart(processOf('2'));
    const open = async () => (await box.inbox()).rows[0]!.requestId;
    await box.answer(await open(), { action: 'approve', as: 'user:finn' });
    expect(await box.get(id).settled()).toMatchObject({ status: 'suspended' });
    expect(paid).toEqual([]);
    await box.answer(await open(), { action: 'approve', as: 'user:finn' });
    expect(await box.get(id).settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect(paid).toEqual([['2', { order: 'A-1', cents: 500 }]]);
    expect((await eventsOf(box, id, 'tool.judged')).map(({ version }) => version)).toEqual(['1', '2', '2']);
  });

  it('of an edited call is asked for anew, with a digest of its own, and what was edited passes the whole gate', async () => {
    const { run, box, open, paid, models } = paying(true, [CALL, 'Paid less.']);
    const handle = await run();
    await box.answer((await open())[0]!, { action: 'edit', values: { order: 'A-1', cents: 300 }, as: 'user:finn' });
    await handle.settled();
    expect(paid).toEqual([]);
    const [second] = await open();
    await box.answer(second!, { action: 'approve', as: 'user:kim' });
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([{ order: 'A-1', cents: 300 }]);
    const subjects = (await eventsOf(box, handle.id, 'request.opened')).map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(2);
    expect(models.requests).toHaveLength(2);
  });

  it('of two pending calls of one tool is asked for each by itself', async () => {
    const both = {
      calls: [
        { tool: 'pay', arguments: { order: 'A-1', cents: 1 } },
        { tool: 'pay', arguments: { order: 'A-2', cents: 2 } },
      ],
    };
    const { run, box, open, paid } = paying(true, [both as never, 'Done.'], { parallel: true });
    const handle = await run();
    const requests = await open();
    expect(requests).toHaveLength(2);
    await box.answer(requests[1]!, { action: 'reject', as: 'user:finn' });
    await box.answer(requests[0]!, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toHaveLength(1);
  });

  it('needs so many persons as the contract says', async () => {
    const { run, box, open, paid } = paying({ quorum: 2, assignees: ['user:finn', 'user:kim'] }, [CALL, 'Paid.']);
    const handle = await run();
    const [request] = await open();
    await box.answer(request!, { action: 'approve', as: 'user:finn' });
    expect(paid).toEqual([]);
    await box.answer(request!, { action: 'approve', as: 'user:kim' });
    await handle.settled();
    expect(paid).toHaveLength(1);
  });

  it('takes nothing that a model wrote for a template of the question', async () => {
    const text = { type: 'object', required: ['note'], properties: { note: {} } };
    const { run, box, models } = desk({
      tools: { note: () => null },
      allowed: [tool('note', { effect: 'once', approval: true, input_schema: text })],
      says: [calls('note', { note: { cel: 'state.complaints' } }), 'Done.'],
    });
    const handle = await run({ state: { complaints: 7 } });
    const view = await handle.view();
    const [request] = view.status === 'suspended' ? view.requests : [];
    expect(JSON.stringify(request!.context)).toContain('cel');
    expect(JSON.stringify(request!.displays)).toContain('state.complaints');
    expect(models.requests).toHaveLength(1);
    expect((await box.inbox()).rows).toHaveLength(1);
  });

  it('takes an argument that the contract does not name for no template either', async () => {
    const open = { type: 'object', required: ['note'], properties: { note: { type: 'string' } } };
    const { run } = desk({
      tools: { note: () => null },
      allowed: [tool('note', { effect: 'once', approval: true, input_schema: open })],
      says: [calls('note', { note: 'state.complaints', more: { cel: 'state.step' } }), 'Done.'],
    });
    const view = await (await run({ state: { step: 'secret' } })).view();
    expect(view.status).toBe('suspended');
    expect(JSON.stringify(view.status === 'suspended' ? view.requests : view)).not.toContain('secret');
  });

  it.each(['by the controller', 'by its policy'])(
    'that was used lets nothing run at a retry %s: it is asked for anew',
    async how => {
      const paid: unknown[] = [];
      const { box } = desk({
        tools: {
          pay: args => {
            paid.push(args);
            if (paid.length === 1) throw new Error('The bank is closed.');
            return null;
          },
        },
        allowed: [tool('pay', { ...PAY, approval: true })],
        says: [CALL, { fails: 'ModelUnavailable' }, 'Paid.'],
        ...(how === 'by its policy' ? { agent: { retry: { attempts: 2, backoff: '10ms' } } } : {}),
      });
      const run = await box.start('desk', {} as never);
      await box.settle();
      const [first] = (await box.inbox()).rows;
      await box.answer(first!.requestId, { action: 'approve', as: 'user:finn' });
      await box.advance('1s');
      expect(paid).toHaveLength(1);
      if (how === 'by the controller') await run.retry({ reason: 'The bank has opened.', as: 'user:finn' });
      await box.settle();
      expect(paid).toHaveLength(1);
      const [second] = (await box.inbox()).rows;
      expect(second).toMatchObject({ title: 'May "pay" be called?' });
      await box.answer(second!.requestId, { action: 'approve', as: 'user:finn' });
      expect(await run.settled()).toMatchObject({ status: 'completed' });
      expect(paid).toHaveLength(2);
    },
  );

  it('of a call that has succeeded is not asked for again at a retry, nor is the call done again', async () => {
    const { box, paid, open } = paying(true, [CALL, { fails: 'ModelUnavailable' }, 'Paid.']);
    const run = await box.start('desk', {} as never);
    await box.settle();
    await box.answer((await open())[0]!, { action: 'approve', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'failed' });
    await run.retry({ reason: 'again', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect(paid).toHaveLength(1);
  });
});
