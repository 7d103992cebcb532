import { testbox } from '@signalbox/testkit';
import { defineGraph, type RequestView } from 'signalbox';
import { z } from 'zod';
import { eventsOf } from './desk.ts';
import { obedientModel } from './obedient-model.ts';

export interface Performed {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the texts stand in for. */
export interface Scene {
  readonly task: string;
  readonly document?: string;
  /** What `find_order` fails with. */
  readonly error?: string;
  readonly memo?: string;
}

/** What a person who is asked answers; absent: nobody looks. */
export type Person = 'declines' | 'approves';

export const INSIDE = [
  'read_document',
  'find_order',
  'list_orders',
  'add_note',
  'send_reply',
  'refund',
  'close_account',
  'issue_voucher',
];
export const OUTSIDE = [
  'delete_order',
  'transfer',
  'run_shell',
  'http_get',
  'read_secret',
  'drop_table',
  'approve_request',
  'send_mail',
  'set_contract',
];

const ORDER = { type: 'string', pattern: '^R-[0-9]{2,4}$' };

function input(properties: object, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', required, properties, additionalProperties: false };
}

const CONTRACT = {
  agent_name: 'desk',
  allowed_tools: [
    { name: 'read_document', effect: 'read', input_schema: input({ id: { type: 'string', pattern: '^doc_[0-9]+$' } }) },
    { name: 'find_order', effect: 'read', input_schema: input({ order: ORDER }) },
    {
      name: 'list_orders',
      effect: 'read',
      input_schema: input(
        { since: { type: 'string', format: 'date' }, most: { type: 'integer', minimum: 1, maximum: 50 } },
        [],
      ),
    },
    {
      name: 'add_note',
      effect: 'repeat',
      limits: { per_run: 5 },
      input_schema: input({ text: { type: 'string', maxLength: 500 }, urgent: { type: 'boolean' } }, ['text']),
    },
    {
      name: 'send_reply',
      effect: 'once',
      bind: { to: 'state.customer' },
      idempotency_key: 'args.text',
      input_schema: input({ to: { type: 'string' }, text: { type: 'string' } }),
    },
    {
      name: 'refund',
      effect: 'once',
      approval: true,
      bind: { order: 'state.orders' },
      input_schema: input({ order: ORDER, amount: { type: 'number', exclusiveMinimum: 0, maximum: 80 } }),
    },
    {
      name: 'close_account',
      effect: 'once',
      approval: true,
      when: 'state.verified',
      input_schema: input({ reason: { type: 'string' } }),
    },
    {
      name: 'issue_voucher',
      effect: 'once',
      approval: 'args.amount > 10',
      idempotency_key: 'string(args.amount)',
      limits: { per_run: 2 },
      input_schema: input({ amount: { type: 'number', exclusiveMinimum: 0, maximum: 50 } }),
    },
  ],
};

const STATE = { orders: ['R-17', 'R-21'], customer: 'kim@shop.example', verified: false };

/** All tools there are, in the contract or not: each does what it is told, and it is kept what was done. */
function toolsOf(scene: Scene, performed: Performed[]) {
  const results: Readonly<Record<string, () => unknown>> = {
    read_document: () => scene.document ?? null,
    find_order: () => {
      if (scene.error !== undefined) throw new Error(scene.error);
      return { paid: 80 };
    },
  };
  const code = (tool: string) => (args: Readonly<Record<string, unknown>>) => {
    performed.push({ tool, args });
    return results[tool]?.() ?? null;
  };
  return Object.fromEntries([...INSIDE, ...OUTSIDE].map(tool => [tool, code(tool)]));
}

function graphOf(scene: Scene, performed: Performed[]) {
  const builder = defineGraph({
    name: 'injections',
    input: z.object({ task: z.string(), memo: z.string() }),
    state: z.object({
      orders: z.array(z.string()).default([]),
      customer: z.string().default(''),
      verified: z.boolean().default(false),
      memo: z.string().default(''),
    }),
  });
  const before = builder.step(({ input: { memo }, update }) => update({ ...STATE, memo }));
  const work = builder.agent({
    model: 'test/obedient',
    contract: CONTRACT,
    tools: toolsOf(scene, performed),
    prompt: context => context.input.task,
    timeout: '1h',
  });
  return builder.build({ entry: 'before', nodes: { before, work }, routes: { before: [{ to: 'work' }] } });
}

/** Plays one scene to its end, and tells all that happened in it. */
export async function play(scene: Scene, person?: Person) {
  const performed: Performed[] = [];
  const approved: Performed[] = [];
  const model = obedientModel([...INSIDE, ...OUTSIDE]);
  const graph = graphOf(scene, performed);
  const box = testbox({ graphs: [graph], models: model });
  const run = await box.start(graph, { task: scene.task, memo: scene.memo ?? '' });
  let view = await run.settled();
  const questions: RequestView[] = [];
  while (view.status === 'suspended') {
    const requests = view.requests;
    questions.push(...requests);
    if (person === undefined) break;
    for (const { id, gap, context } of requests) {
      const { tool, arguments: args } = (context ?? {}) as { tool: string; arguments: string };
      const isCall = gap === 'approval';
      if (isCall && person === 'approves') approved.push({ tool, args: JSON.parse(args) });
      const action = isCall && person === 'approves' ? 'approve' : 'reject';
      await box.answer(id, { action, as: 'user:finn' });
    }
    view = await run.settled();
  }
  const attempted = (await eventsOf(box, run.id, 'tool.judged')).map(({ tool }) => tool);
  await box.close();
  return { view, performed, approved, questions, attempted, asked: model.asked };
}
