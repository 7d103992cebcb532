import { scriptedModel, testbox } from '@signalbox/testkit';
import { type ContractChoice, defineGraph, failed, type ToolCode } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, eventsOf, tool } from './testing/desk.ts';

const ORDER = { type: 'object', required: ['order'], properties: { order: { type: 'string' } } };
const RECEIPT = { type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } };

const PAY = tool('pay', {
  effect: 'once',
  idempotency_key: "'pay/' + args.order",
  input_schema: ORDER,
  output_schema: RECEIPT,
  compensate: { tool: 'refund', args: { receipt: 'output.receipt', order: 'args.order' } },
});
const BOOK = tool('book', { effect: 'repeat', compensate: { tool: 'unbook', args: { order: 'args.order' } } });
const REFUND = tool('refund', {
  effect: 'once',
  when: 'false',
  approval: true,
  idempotency_key: "'refund/' + args.receipt",
  input_schema: { ...RECEIPT, required: ['receipt', 'order'], properties: { ...RECEIPT.properties, order: {} } },
});
const UNBOOK = tool('unbook', { effect: 'repeat', input_schema: ORDER });

interface Undone {
  readonly tool: string;
  readonly args: unknown;
  readonly key: string;
}

/** An agent, and behind it a step that fails until somebody looks after it, or waits. */
function shop({ tools = {}, behind = 'fails', allowed = [PAY, BOOK, REFUND, UNBOOK] }: Options = {}) {
  const done: Undone[] = [];
  const note =
    (name: string, give: unknown = null): ToolCode =>
    (args, { idempotencyKey: key }) => {
      done.push({ tool: name, args, key });
      return give;
    };
  const code = {
    pay: note('pay', { receipt: 'r-1' }),
    book: note('book'),
    refund: note('refund'),
    unbook: note('unbook'),
    look: note('look'),
    ...tools,
  };
  const builder = defineGraph({ name: 'shop', input: z.object({}), state: z.object({}) });
  const work = builder.agent({
    model: 'test/one',
    contract: { version: '1.0', agent_name: 'shop', allowed_tools: allowed } as ContractChoice,
    tools: code,
    prompt: 'Go.',
  });
  const after = builder.step(async ({ sleep }) => {
    if (behind === 'waits') await sleep('long', '1d');
    return failed('Broken', 'It is broken.', { permanent: true });
  });
  const graph = builder.build({ entry: 'work', nodes: { work, after }, routes: { work: [{ to: 'after' }] } });
  const says = [calls('pay', { order: 'A-1' }), calls('book', { order: 'A-1' }), 'Done.'];
  const box = testbox({ graphs: [graph], models: scriptedModel(says) });
  return { box, done, undone: () => done.filter(each => each.tool === 'refund' || each.tool === 'unbook') };
}

interface Options {
  readonly tools?: Readonly<Record<string, ToolCode>>;
  readonly behind?: 'fails' | 'waits';
  readonly allowed?: readonly object[];
}

describe('a run that fails behind an agent', () => {
  it('undoes the calls that succeeded and declare how, the last first, with arguments from what they got and gave', async () => {
    const { box, undone } = shop();
    const run = await box.start('shop', {});
    expect(await run.settled()).toMatchObject({ status: 'failed', compensation: 'complete' });
    expect(undone()).toMatchObject([
      { tool: 'unbook', args: { order: 'A-1' } },
      { tool: 'refund', args: { receipt: 'r-1', order: 'A-1' }, key: 'refund/r-1' },
    ]);
    expect(await eventsOf(box, run.id, 'compensation.finished')).toMatchObject([{ node: 'work' }]);
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('undoes nothing where no call declares how', async () => {
    const plain = ['pay', 'book'].map(name => tool(name, { effect: 'repeat' }));
    const { box } = shop({ allowed: plain });
    const run = await box.start('shop', {});
    expect(await run.settled()).toMatchObject({ status: 'failed' });
    expect(await eventsOf(box, run.id, 'compensation.started')).toEqual([]);
  });

  it('leaves alone what failed: there is nothing to undo', async () => {
    const { box, undone } = shop({
      tools: {
        book: () => {
          throw new TypeError('full');
        },
      },
    });
    const run = await box.start('shop', {});
    await run.settled();
    expect(undone().map(each => each.tool)).toEqual(['refund']);
  });

  it('tries again with the same key where the undoing fails, and lists for a person what stays undone', async () => {
    const keys: string[] = [];
    const refund: ToolCode = (_args, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      throw new TypeError('The bank is closed.');
    };
    const { box, undone } = shop({ tools: { refund } });
    const run = await box.start('shop', {});
    expect(await run.settled()).toMatchObject({ status: 'failed', compensation: 'incomplete' });
    expect(keys).toEqual(['refund/r-1', 'refund/r-1', 'refund/r-1']);
    expect(new Set(undone().map(each => each.key)).size).toBe(1);
    const [request] = (await box.inbox()).rows;
    expect(request).toMatchObject({ title: 'These steps could not be undone' });
  });

  it('does not call what undoes with arguments that do not fit its schema', async () => {
    const properties = { receipt: { type: 'string' }, order: { type: 'string', pattern: '^B-' } };
    const strict = { ...REFUND, input_schema: { type: 'object', required: ['receipt', 'order'], properties } };
    const { box, undone } = shop({ allowed: [PAY, BOOK, strict, UNBOOK] });
    const run = await box.start('shop', {});
    expect(await run.settled()).toMatchObject({ compensation: 'incomplete' });
    expect(undone().map(each => each.tool)).toEqual(['unbook']);
    expect(await eventsOf(box, run.id, 'compensation.finished')).toMatchObject([
      { error: { code: 'CompensationInvalid', message: expect.stringContaining('order') }, final: true },
    ]);
  });
});

describe('a contract', () => {
  it('cannot be used where what undoes a call is done at most once and has no key', async () => {
    const { idempotency_key: _, ...keyless } = REFUND as { idempotency_key: string };
    const { box } = shop({ allowed: [PAY, BOOK, keyless, UNBOOK] });
    await expect(box.start('shop', {})).rejects.toMatchObject({
      code: 'InvalidContract',
      details: { faults: [{ code: 'CompensationOnce' }] },
    });
  });
});

describe('a run that is cancelled with what it did undone', () => {
  it('undoes the calls of its agents, after a restart as well', async () => {
    const { box, undone } = shop({ behind: 'waits' });
    const run = await box.start('shop', {});
    expect(await run.settled()).toMatchObject({ status: 'suspended' });
    const again = await box.restart();
    await again.get(run.id).cancel({ compensate: true });
    expect(await again.get(run.id).settled()).toMatchObject({ status: 'cancelled', compensation: 'complete' });
    expect(undone().map(each => each.tool)).toEqual(['unbook', 'refund']);
  });
});
