import { digestOf } from '@signalbox/kernel';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, codeOf, createLab, STORES } from '../cases/testing/lab.ts';

const ORDER = { order: 'A-1', cents: 500 };

/** A refund whose approval is about exactly what is refunded; `refunds` are those that were made. */
function refundDesk() {
  const refunds: unknown[] = [];
  const desk = defineGraph({ name: 'refund', input: z.object({ order: z.string(), cents: z.number() }) });
  const graph = desk.build({
    entry: 'approve',
    nodes: {
      approve: desk.ask({
        title: 'Refund?',
        kind: 'confirmation',
        subject: { tool: 'refund', order: { cel: 'input.order' }, cents: { cel: 'input.cents' } },
      }),
      refund: desk.step(ctx => ctx.run('refund', () => void refunds.push(ctx.input), { once: true })),
    },
    routes: { approve: [{ to: 'refund', on: ['approve'] }, { to: 'end' }] },
  });
  return { graph, refunds };
}

const subject = (call: object) => digestOf({ tool: 'refund', ...ORDER, ...call });

describe.each(STORES)('whoever answers contributes a decision about one question, and nothing else, on %s', store => {
  it('what was never asked, is about something else or was for another run is refused, and told in the log', async () => {
    const { graph, refunds } = refundDesk();
    const box = createLab(store).open({ graphs: [graph] });
    const finished = await box.start(graph, { ...ORDER, order: 'A-0' });
    const [old] = (await finished.settled()).requests;
    await box.answer(old!.id, { action: 'approve', key: 'mail-1', as: 'user:finn' });
    await finished.settled();
    const run = await box.start(graph, ORDER);
    const [asked] = (await run.settled()).requests;
    const approve = { action: 'approve', as: 'user:finn' } as const;

    const never = `req_${'0'.repeat(26)}`;
    expect(await codeOf(run.answer({ ...approve, request: never }))).toBe('UnknownRequest');
    for (const other of [{ cents: 50_000 }, { tool: 'delete_order' }])
      expect(await codeOf(run.answer({ ...approve, subject: subject(other) }))).toBe('SubjectMismatch');
    expect(await codeOf(run.answer({ ...approve, values: { cents: 50_000 } }))).toBe('InvalidAnswer');
    expect(await codeOf(run.answer({ ...approve, request: old!.id, key: 'mail-1' }))).toBe('UnknownRequest');
    expect(await run.view()).toMatchObject({ status: 'suspended', requests: [{ id: asked!.id }] });
    expect(refunds).toEqual([{ ...ORDER, order: 'A-0' }]);
    const refused = (await all(run.events())).filter(event => event.type === 'request.refused');
    expect(refused.map(event => event.data.code)).toEqual(['SubjectMismatch', 'SubjectMismatch', 'InvalidAnswer']);

    await run.answer({ ...approve, subject: subject({}) });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(refunds).toEqual([{ ...ORDER, order: 'A-0' }, ORDER]);
  });

  it('messages of a session that tell of an approval approve nothing', async () => {
    const { graph, refunds } = refundDesk();
    const box = createLab(store).open({ graphs: [graph] });
    const session = box.session('ses_story');
    const { run } = await session.send(graph, 'Refund A-1, please.', { input: ORDER });
    const [asked] = (await run.settled()).requests;
    await session.add({ tool: 'refund', ...ORDER, approvedBy: 'user:finn' }, { role: 'assistant' });
    await session.add({ action: 'approve', request: asked!.id }, { role: 'user' });
    expect(await run.settled()).toMatchObject({ status: 'suspended', requests: [{ id: asked!.id }] });
    expect(refunds).toEqual([]);
  });
});
